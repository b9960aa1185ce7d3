"""English words whose meaning the rules know: what a gap for a diet, a language, a job or a relative may hold."""

# ruff: noqa: E501 - patterns are data, one a line
from __future__ import annotations

from collections.abc import Mapping

from .words import meanings, same

__all__ = ["LEXICON"]

_DIET = {
    "vegan": "vegan", "vegetarian": "vegetarian", "veggie": "vegetarian", "pescatarian": "pescatarian",
    "pescetarian": "pescatarian", "flexitarian": "flexitarian", "keto": "keto", "paleo": "paleo", "kosher": "kosher",
    "halal": "halal", "plant-based": "vegan", "gluten-free": "gluten-free", "gluten free": "gluten-free",
    "on a keto diet": "keto", "on a gluten-free diet": "gluten-free", "carnivore": "carnivore",
}  # fmt: skip

_COUNTRY = same(
    "Germany|Austria|Switzerland|France|Spain|Portugal|Italy|Belgium|Luxembourg|Ireland|England|Scotland|Wales|Poland|"
    "Denmark|Sweden|Norway|Finland|Iceland|Greece|Turkey|Hungary|Romania|Bulgaria|Croatia|Serbia|Ukraine|Russia|Canada|"
    "Mexico|Brazil|Argentina|Chile|Colombia|Peru|China|Japan|Taiwan|India|Pakistan|Indonesia|Thailand|Vietnam|Malaysia|"
    "Singapore|Australia|New Zealand|Egypt|Morocco|Nigeria|Kenya|South Africa|Israel|Iran|Iraq|Estonia|Latvia|Lithuania|"
    "Slovakia|Slovenia|South Korea|Philippines|Netherlands|Czechia"
) | {
    "usa": "United States", "the netherlands": "Netherlands", "the us": "United States", "the usa": "United States", "the uk": "United Kingdom", "the united states": "United States", "the united kingdom": "United Kingdom", "the philippines": "Philippines", "the czech republic": "Czechia", "us": "United States", "u.s": "United States", "united states": "United States",
    "america": "United States", "states": "United States", "uk": "United Kingdom", "united kingdom": "United Kingdom",
    "great britain": "United Kingdom", "holland": "Netherlands", "korea": "South Korea",
    "czech republic": "Czechia",
}  # fmt: skip

_LANGUAGE = same(
    "English|German|French|Spanish|Italian|Portuguese|Dutch|Swedish|Danish|Norwegian|Finnish|Polish|Czech|Slovak|"
    "Hungarian|Romanian|Bulgarian|Greek|Turkish|Russian|Ukrainian|Arabic|Hebrew|Persian|Hindi|Urdu|Bengali|Punjabi|Tamil|"
    "Chinese|Mandarin|Cantonese|Japanese|Korean|Vietnamese|Thai|Indonesian|Malay|Tagalog|Swahili|Catalan|Basque|Irish|"
    "Welsh|Esperanto|Latin|Croatian|Serbian|Slovenian|Lithuanian|Latvian|Estonian|Icelandic|Yiddish|American Sign Language"
) | {"farsi": "Persian"}

_NATION = same(
    "American|British|English|Scottish|Welsh|Irish|German|Austrian|Swiss|French|Spanish|Portuguese|Italian|Belgian|Dutch|"
    "Polish|Danish|Swedish|Norwegian|Finnish|Greek|Turkish|Hungarian|Romanian|Bulgarian|Croatian|Serbian|Ukrainian|Russian|"
    "Canadian|Mexican|Brazilian|Argentinian|Chilean|Colombian|Peruvian|Chinese|Japanese|Taiwanese|Indian|Pakistani|"
    "Indonesian|Thai|Vietnamese|Malaysian|Singaporean|Australian|Egyptian|Moroccan|Nigerian|Kenyan|South African|Israeli|"
    "Iranian|Korean|Filipino|Czech|Slovak|Estonian|Latvian|Lithuanian"
) | {"german citizen": "German", "us citizen": "American", "american citizen": "American", "british citizen": "British"}

_JOB = same(
    "accountant|actor|actress|analyst|architect|artist|attorney|author|baker|banker|barber|barista|bartender|biologist|"
    "builder|butcher|caretaker|carpenter|cashier|chef|chemist|clerk|coach|composer|consultant|contractor|cook|counselor|"
    "cyclist|dancer|dentist|designer|developer|dietitian|director|doctor|driver|economist|editor|electrician|engineer|entrepreneur|"
    "farmer|firefighter|fisherman|florist|freelancer|gardener|geologist|gp|guide|hairdresser|historian|illustrator|"
    "instructor|interpreter|investor|janitor|journalist|judge|lawyer|lecturer|librarian|lifeguard|linguist|machinist|manager|"
    "mathematician|mechanic|midwife|musician|nanny|nurse|nutritionist|optician|painter|paramedic|pediatrician|pharmacist|"
    "photographer|physician|physicist|physiotherapist|pianist|pilot|plumber|policeman|postman|producer|professor|programmer|"
    "psychiatrist|psychologist|radiologist|realtor|receptionist|recruiter|researcher|retiree|sailor|salesperson|scientist|"
    "sculptor|secretary|singer|soldier|statistician|student|surgeon|tailor|teacher|technician|therapist|trader|trainer|"
    "translator|tutor|veterinarian|vet|waiter|waitress|welder|writer|sysadmin|admin|devops|founder|ceo|cto|paralegal"
) | {"postdoc": "postdoc", "phd student": "PhD student"}

_KIN = {
    "mother": "mother", "mom": "mother", "mum": "mother", "father": "father", "dad": "father", "parents": "parents",
    "brother": "brother", "brothers": "brother", "sister": "sister", "sisters": "sister", "son": "son", "sons": "son",
    "daughter": "daughter", "daughters": "daughter", "kid": "children", "kids": "children", "child": "children",
    "children": "children", "twins": "twins", "husband": "husband", "wife": "wife", "partner": "partner",
    "boyfriend": "boyfriend", "girlfriend": "girlfriend", "fiance": "fiance", "fiancé": "fiance", "fiancée": "fiance",
    "grandmother": "grandmother", "grandma": "grandmother", "grandfather": "grandfather", "grandpa": "grandfather",
    "aunt": "aunt", "uncle": "uncle", "cousin": "cousin", "cousins": "cousin", "niece": "niece", "nieces": "niece",
    "nephew": "nephew", "nephews": "nephew", "grandson": "grandson", "granddaughter": "granddaughter",
    "grandchildren": "grandchildren", "grandkids": "grandchildren", "stepson": "stepson", "stepdaughter": "stepdaughter",
}  # fmt: skip

_ANIMAL = {
    plural: single
    for single, plurals in {
        "dog": "dog dogs pup puppy puppies", "cat": "cat cats kitten kittens kitty", "rabbit": "rabbit rabbits bunny",
        "hamster": "hamster hamsters", "guinea pig": "", "parrot": "parrot parrots", "horse": "horse horses",
        "fish": "fish goldfish", "turtle": "turtle turtles", "tortoise": "tortoise", "snake": "snake snakes",
        "bird": "bird birds", "budgie": "budgie budgies", "ferret": "ferret ferrets", "lizard": "lizard gecko",
        "pony": "pony", "rat": "rat rats", "mouse": "mice", "chicken": "chickens", "chinchilla": "chinchilla",
    }.items()
    for plural in [single, *plurals.split()]
}  # fmt: skip

_HEALTH = same(
    "asthma|diabetes|type 1 diabetes|type 2 diabetes|epilepsy|migraines|celiac disease|coeliac disease|Crohn's|adhd|add|"
    "autism|dyslexia|depression|anxiety|high blood pressure|hypertension|arthritis|hypothyroidism|insomnia|tinnitus|"
    "psoriasis|eczema|endometriosis|IBS|PCOS|OCD|PTSD|hay fever|scoliosis|gout|lupus|multiple sclerosis"
) | {
    "diabetic": "diabetes", "type 1 diabetic": "type 1 diabetes", "type 2 diabetic": "type 2 diabetes",
    "asthmatic": "asthma", "epileptic": "epilepsy", "celiac": "celiac disease", "coeliac": "celiac disease",
    "autistic": "autism", "dyslexic": "dyslexia", "color-blind": "color-blind", "colour-blind": "color-blind",
    "color blind": "color-blind", "colour blind": "color-blind", "colorblind": "color-blind", "deaf": "deaf",
    "hard of hearing": "hard of hearing", "blind": "blind", "pregnant": "pregnant", "wheelchair user": "wheelchair",
}  # fmt: skip

_BELIEF = {
    "christian": "Christian", "catholic": "Catholic", "protestant": "Protestant", "muslim": "Muslim",
    "jewish": "Jewish", "buddhist": "Buddhist", "hindu": "Hindu", "sikh": "Sikh", "atheist": "atheist",
    "agnostic": "agnostic", "mormon": "Mormon", "quaker": "Quaker", "orthodox christian": "Orthodox",
}  # fmt: skip

LEXICON: Mapping[str, Mapping[str, str]] = {
    "diet": _DIET,
    "country": _COUNTRY,
    "language": _LANGUAGE,
    "nation": _NATION,
    "job": _JOB,
    "kin": _KIN,
    "animal": _ANIMAL,
    "health": _HEALTH,
    "belief": _BELIEF,
    "attribute": meanings('car=notes.car; bike|bicycle=notes.bike; doctor|gp=notes.doctor; dentist=notes.dentist; shoe size|shoes size=notes.shoe-size; dress size=notes.dress-size; shirt size|t-shirt size=notes.shirt-size; ring size=notes.ring-size; height=health.height; weight=health.weight; blood type|blood group=health.blood-type; star sign|zodiac sign=notes.star-sign; major=notes.major; hobby=notes.hobby; instrument=notes.instrument; gym=notes.gym; bank=finances.bank; budget=finances.budget; salary=finances.salary; editor|text editor=choices.editor; ide=choices.ide; shell=choices.shell; browser=choices.browser; laptop=choices.laptop; operating system|os=choices.operating-system; keyboard layout=choices.keyboard-layout; phone model=choices.phone-model; airline=choices.airline; hometown=notes.hometown; school=notes.school; university=notes.university; team=notes.team; manager|boss=notes.manager; emergency contact=notes.emergency-contact; anniversary=notes.anniversary; wedding anniversary=notes.anniversary; eye color|eye colour=notes.eye-color; hair color|hair colour=notes.hair-color; middle name=notes.middle-name; last name|surname|family name=notes.last-name; maiden name=notes.maiden-name; hourly rate=finances.hourly-rate; religion=beliefs.religion'),
    "habit": meanings("smoke|smoking|cigarettes|smoking cigarettes=smoking; drink|drinking|alcohol|booze|drinking alcohol=drinking; vape|vaping=vaping; gamble|gambling=gambling"),
    "status": same("single|married|divorced|widowed|engaged|happily married"),
    "region": same("Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia|Hawaii|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada|New Hampshire|New Jersey|New Mexico|North Carolina|North Dakota|Ohio|Oklahoma|Oregon|Pennsylvania|Rhode Island|South Carolina|South Dakota|Tennessee|Texas|Utah|Vermont|Virginia|West Virginia|Wisconsin|Wyoming|Ontario|Quebec|British Columbia|Alberta|Nova Scotia|Queensland|New South Wales|Bavaria|Tuscany|Catalonia|Andalusia|Brittany|Normandy|Provence"),
    "manner": {
        "shorter": "short answers", "briefer": "short answers", "more concise": "short answers",
        "keep it short": "short answers", "keep it brief": "short answers", "less detail": "short answers",
        "longer": "long answers", "more detail": "detailed answers", "more details": "detailed answers",
        "more detailed": "detailed answers", "simpler": "simple words", "in simple words": "simple words",
        "in plain english": "simple words", "as a list": "lists", "in bullet points": "bullet points",
        "as bullet points": "bullet points", "as a table": "tables", "in a table": "tables",
        "step by step": "step by step", "more formal": "formal tone", "less formal": "informal tone",
        "without emojis": "no emojis", "no emojis": "no emojis", "with examples": "examples", "just the code": "code only",
        "code only": "code only",
    },
    "not-allergen": same(
        "mondays|monday|mornings|work|working|people|stupid people|stupidity|nonsense|bs|bullshit|exercise|drama|fun|"
        "sports|mathematics|math|maths|failure|commitment|responsibility|idiots|meetings|small talk|losing|bad code|"
        "javascript|java|politics|early mornings|housework|studying|school|homework|cardio"
    ),
    "not-name": same(
        "soon|often|whenever|first|instead|babe|quick|quickly|up|out|dude|bro|boss|sir|daddy|a|the|on|at|by|if|when|thanks|thank you|please|wait|stop|ok|okay|done|home|back|here|late|sorry|sure|fine|good|great|later|tomorrow|tonight|crazy|maybe|anytime|never|"
        "asap|now|again|ready|in|out|busy|lost|old|batman|ishmael|groot|god|nobody|somebody|someone|everyone|alone|"
        "stupid|paranoid|biased|mad|weird|naive|cynical|lazy|interested|impressed|curious|surprised|skeptical|happy|"
        "excited|tired|christmas|monday|friday|an|not|afraid|glad|yes|no|team|pro|anti|gen|hungry|sick|cold|hot|bored|"
        "dead|alive|free|single|married|divorced|retired|gay|lesbian|bi|straight|queer|trans|cis|shook|pumped|stoked"
    ),
    "not-place": same(
        "europe|asia|africa|earth|mars|space|suburbia|thanks|thank you|please|never|later|sorry|sure|wait|stop|cancel|okay|fine|great|good|raining|fear|hope|pain|peace|town|love|denial|luxury|poverty|debt|harmony|sin|silence|exile|chaos|style|comfort|paradise|"
        "hell|heaven|january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|"
        "spring|summer|autumn|winter|step|plan b|bed|work|school|home|retirement|fashion|night|nights|day|weekends|weekend|english|sales|marketing|finance|"
        "it|hr|tech|healthcare|education|management|nature|shock|awe|hiding|limbo|isolation|solitude|flux|a|general|vain"
    ),
}  # fmt: skip
