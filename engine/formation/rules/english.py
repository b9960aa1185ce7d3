"""English: how people say what they are, what they like, what shall always hold, and that it holds no longer."""

# ruff: noqa: E501 - patterns are data, one a line
from __future__ import annotations

from ..candidates import Action, Strength
from .english_words import LEXICON
from .grammar import Form, Frame, Language

__all__ = ["LANGUAGE"]

_SUBJECT = r"(?:I|I'(?:m|ve|d|ll)|Im|my|he|she|they|we|you|it|it's|that's|this|please|call me|remember)\b"
_ASKING = (
    r"(?:what|can|could|would|will|is|are|do|does|did|should|how|where|which|when|why|who|whose|have|has|am|any|"
    r"may|might|shall|won't|isn't|aren't|don't you|doesn't|so what|so how|so which|so can)\b"
)
_REQUEST = r"(?:recommend|suggest|find|give|show|book|make|tell|help|thanks|thank you|sorry|let's|look|plan|write|list|order)\b"

_KIN = (
    r"(?P<relation>mother|mom|mum|father|dad|brother|sister|son|daughter|husband|wife|partner|boyfriend|girlfriend|"
    r"fianc[eé]e?|grandmother|grandma|grandfather|grandpa|aunt|uncle|cousin|niece|nephew)"
)
_ANIMAL = r"(?P<animal_>dog|puppy|cat|kitten|rabbit|bunny|hamster|guinea pig|parrot|horse|turtle|tortoise|snake|bird|budgie|ferret|pony)"

_TASTE = {
    "love": "loves", "adore": "loves", "like": "likes", "enjoy": "likes", "hate": "hates", "detest": "hates",
    "despise": "hates", "loathe": "hates", "can not stand": "hates", "can not bear": "hates", "dislike": "dislikes",
    "do not like": "dislikes", "do not enjoy": "dislikes", "can not handle": "avoids", "do not care for": "dislikes",
    "avoid": "avoids", "do not eat": "avoids", "can not eat": "avoids", "can not have": "avoids", "prefer": "prefers",
    "do not drink": "avoids", "can not drink": "avoids", "gave up": "avoids", "have given up": "avoids",
    "never eat": "avoids", "never drink": "avoids", "no longer eat": "avoids", "no longer drink": "avoids", "no longer like": "dislikes", "no longer enjoy": "dislikes", "stopped eating": "avoids", "quit eating": "avoids", "stopped drinking": "avoids", "have stopped eating": "avoids",
    "can not tolerate": "avoids", "am a fan of": "likes", "am not a fan of": "dislikes", "am into": "likes",
    "am a big fan of": "likes", "am a huge fan of": "loves", "am not into": "dislikes", "am not a big fan of": "dislikes",
    "am fond of": "likes", "am obsessed with": "loves", "am crazy about": "loves", "am not fond of": "dislikes",
}  # fmt: skip
_TASTES = "|".join(sorted(_TASTE, key=len, reverse=True))

_ASKABLE = (
    r"(?:use|call|send|book|order|recommend|suggest|show|ask|write|reply|answer|respond|remind|schedule|buy|add|include|"
    r"give me|tell|put|play|explain|apologi[sz]e|sign|format|wake|text|email|message|contact|share|post|mention|speak|talk|"
    r"start|end|offer|cook|serve|summari[sz]e|commit|push|mock|log|print|wrap|create|generate|assume|interrupt|store|save|"
    r"track|address|notify|ping|invite|translate|quote|repeat|begin|open|seat|deliver|charge|refer|praise|flatter|swear|reserve|"
    r"let me|keep (?!going|on\b|up\b|it up|smiling|pushing|your (?:head|chin|spirits?|hopes?|eyes?|cool))|check|choose|pick|cite|confirm|convert|prefer|round|run|list|mark|name|number|return|set|spell|"
    r"test|type|validate|verify|warn|highlight|link|leave|make sure|pay|plan|point|prefix|provide|pull|query|read|rebase|reject|remove|"
    r"require|respect|review|route|search|select|skip|sort|split|squash|stick to|submit|switch|tag|treat|update|upload|wait|delete|merge|"
    r"deploy|document|comment|indent|import|install|propose|quote|rename|shorten|bring|ring|knock|sell|trade|transfer|accept|decline|cancel|"
    r"double.check|wear|follow|report|sign|greet|correct me|dim|lock|turn|travel|fly|seat|eat|drink|have)"
)
_NO_WISH = (
    r"(?:mind|say|again|ever|before|been|had|saw|seen|heard|knew|know|thought|too|a|an|the|stop|quit|forget|better|felt|did|got|"
    r"met|tried|lose|let|underestimate|fails?|ceases|gets|gonna|going|happened|have|has|not|change|surrender|give up|good|nice|"
    r"great|happy|here|up|fun|glad|love|loved|wanted|look|be|keep|stay|feel|worth|remember|something|there|ready|makes|"
    r"is|was|were|are|am|in|on|at|for|with|my|your|his|her|our|their|it|I|you|he|she|we|they|that|this|trust|believe|follow|"
    r"easy|hard|exciting|interesting|amazing|awesome|wonderful|helpful|important|hope|wish|dream|one|so|really|learn|enough|"
    r"came|went|took|made|found|gave|told|said|did|comes|goes|takes|feels|looks|seems|helps|reminds|brings|doubt|regret|look|cry|"
    r"mine|nothing|more|less|room|time|open|new|next|people|grateful|thankful|down|eager|curious|fear|judge|back|give|take|\w+ed|\w+ing)\b"
)
_AT_HAND = "file|function|test|tests|code|repo|branch|line|class|method|module|first|second|last|above|below|same|other|previous|next|rest|text|email|document|page|table|list|image|picture|report|draft"
"""What a wish with *the* is about, when it is about what is at hand."""
_DO = r"(?:eat|drink|take|use|order|fly|book|buy|work|travel|sit|wear|smoke|cook|pay|sleep|drive|run|start|read|write|go|tip|cycle|walk|train|commit|(?:get|have|choose|pick|go for) (?=the |my |an? ))"
_FOR = r"(?: (?:for|since) .{2,40})"

LANGUAGE = Language(
    code="en",
    hint=r"\b(?:I|we|I'm|Im|my|me|always|never|remember|don'?t|do not|please|from now on|no|actually|call|it's|stop|let's|note|keep|bear|going forward|future)\b",
    cuts=(
        rf",?\s+(?:and|but|so|plus)(?: that)?\s+(?=(?:now )?{_SUBJECT}|{_REQUEST})|,?\s+so\s+(?=(?:never|always|don'?t|do not)\b)|,?\s+and\s+(?:now\s+)?(?=(?:allergic to|live in|work (?:at|for|as)|speak|love|hate)\b)|,?\s+(?:because|'cause|cause|cuz|although|though|"
        rf"even though|whereas|but|so that|which|and so)\s+|,\s*so\s+|\b(?:why|how much|since|reasons?)\s+(?=I (?:really |just )?(?:love|like|hate|enjoy|adore|prefer)\b)|,\s*(?=(?:so |now |these days )?(?:{_SUBJECT}|{_ASKING}|{_REQUEST}))|"
        r",\s*(?=the (?:\w+ ){1,2}(?:is|are|was|hates?|likes?|do|does|will|can|makes?)\b)|\s+[-–—]+\s+|--+|\s+\(|\)"
    ),
    openers=(
        r"^(?:(?:what can i say|hi|hey|hello|well|oh|ok|okay|so|and|but|also|yes|yeah|yep|no|nope|nah|actually|honestly|personally|basically|"
        r"sure|right|btw|by the way|fyi|for the record|just so you know|just to let you know|to be honest|tbh|in general|generally|"
        r"as a rule|please|note|important|correction|reminder|in fact|oh no|no wait|wait|sorry|hmm+|um+|uh+|mind you|"
        r"first of all|for (?:this|that|these|those|such|most|small|big|new) [\w ]{2,30}?(?= I prefer\b)|for future reference|for context|for reference|from now on|heads.?up|for your information|keep in mind|as you know|you know|as i (?:already )?(?:said|mentioned|told you)|like i (?:said|told you)|i mean|thanks|thank you|good morning|"
        r"(?:please )?note|unfortunately|luckily|nowadays|these days|currently|now|since i know|"
        r"i(?: would|'d)? (?:want|need|like) you to(?= (?:always|never))|you (?:should|must)(?= (?:always|never))|"
        r"make sure (?:that you|you|to)(?= (?:always|never)))(?: that(?= (?:I|my)\b))?(?:[,:!. ]+|$))"
    ),
    closers=(
        r"(?:[\s,.!~]*(?:\b(?:please|by the way|btw|too|as well|now|nowadays|these days|currently|right now|at the moment|thanks|thank you|"
        r"thx|though|actually|for the record|just so you know|fyi|you know|a lot|so much|very much|from now on|in general|already|"
        r"of course|in fact|again and again|haha|ok|okay|and you|to be honest|tbh|honestly|these days|sadly|unfortunately|"
        r"after all|anyway|instead|then)|[^\w\s\"')\]%+#\x00]+))+$"
    ),
    unreal=(
        r"\b(?:if|unless|would|wouldn't|suppose|supposing|wish|might|maybe|perhaps|probably|possibly|apparently|almost|i guess|"
        r"i think|i thought|seems?|whether|not sure|unsure|i'd|yesterday|until|someday|one day|supposedly|allegedly|nearly|practically|(?<!this )(?<!that )kind of|(?<!this )(?<!that )sort of|kinda|sorta|basically)\b"
    ),
    reported=(
        r"(?<!\bas I )(?<!\blike I )\b(?:sa(?:id|ys|y|ying)|t(?:old|ell|ells|elling)|ask(?:ed|s|ing)?|thinks?|thought|believes?|wrote|writes|claims?|claimed|heard|"
        r"quot(?:e|ed|es)|answers?|answered|replied|replies|shouts?|shouted|joked|jokes|feels? like|like,|if|unless|suppose|supposing|whether|"
        r"wish|pretend|imagine|what if|in case|dream(?:ed|t)|titled|called|reads?|sings?|assum(?:e|es|ing)|would be|used to say)\b[^,;]{0,80}[,:]?\s*$|"
        r"^(?:if|suppose|imagine|unless|what if|when i was|whenever|once)\b"
    ),
    asks=rf"(?:so |and |but |then )?(?:{_ASKING}|{_REQUEST})",
    things=(
        r"\b(?:I|me|my|mine|you|your|yours|he|him|his|she|her|hers|it|its|we|us|our|they|them|their|this|that|these|those|here|there|"
        r"who|what|when|where|why|how|which|if|because|so|but|than|then|to|not|no|never|something|anything|everything|nothing|someone|"
        r"anyone|everyone|everybody|somebody|one|ones|stuff|thing|things|way|ways|lot|lots|idea|ideas|is|are|was|were|be|been|being|have|has|had|"
        r"do|does|did|will|would|can|could|should|might|must|about|just|really|also|even|too|more|most|all|both|such|the|as|like|since|"
        r"until|today|tomorrow|yesterday|tonight|now|sound|look|looks|seeing|hearing|knowing|having|getting|trying|going|thinking|"
        r"making|doing|talking|spending|being|seeing|looking|giving|helping|watching you|feeling|every|each|always|ever|only|much|many|few|"
        r"okay|yes|yeah|lol|same|other|others|another|else|any|or|nor|and|obviously|moment|moments|option|version|variant|answer|choice|solution|approach|^[abd-qs-z]$|part|parts|side|myself|yourself|pushing|help|fun|playing(?=$)|helping(?=$)|feel|feels|u|ur)\b"
    ),
    articles=r"^(?:a little(?: bit of)?|a bit of|an?|some|any|all kinds of|all types of|most kinds of|most|eating|drinking|fluent|basic)\s+",
    joints=r"\s*,?\s+(?:and|or|&|as well as|nor)\s+|\s*[,&/]\s*",
    filler=(
        r"\b(?:always|usually|normally|generally|never|ever|please|do not|don't|not|again|any ?more|me|my|mine|i|the|a|an|to|for|in|on|of|at|with|and|or|from now on|"
        r"stop|when|if|you|your|is|are|be|it|that|anything|any|no matter what|under any circumstances|in future|in the future|going forward)\b"
    ),
    momentary=(
        r"\b(?:this|that|these|those|here|now|today|tonight|tomorrow|yet|it|them|him|her|so|for now|right away|this time|once|"
        r"anything|everything|anyone|anybody|us)\b"
    ),
    own=r"\b(?:I|my|mine|we|our|us|me)\b",
    particular=r"\b(?:I|my|mine|we|our|us|me|the)\b",
    chosen=r"^(?:the|my|a|an)\s+|\s+(?:one|ones|option|version|variant|again)$",
    contractions=(
        (r"\bI'm\b|^Im\b|^I m\b", "I am"),
        (r"\b(do|does|did|is|are|was|would|has|have|should|could)n'?t\b", r"\1 not"),
        (r"\b(?:can'?t|cannot)\b", "can not"),
        (r"\bI've\b|^Ive\b", "I have"),
        (r"\bwe've\b", "we have"),
        (r"\b(I|we) have got\b", r"\1 have"),
        (r"\bbirthday's (?=on|in|the|\d|[A-Z])", "birthday is "),
        (r"\bI'd\b", "I would"),
        (r"\b(it|that|there)'s\b", r"\1 is"),
        (r"\b(fav(?:ou?rite|e)?) colour\b", r"\1 color"),
        (r"\b(fav(?:ou?rite|e)? \w+)'s\b", r"\1 is"),
        (r"\b(name|one)s (?=is\b)", r"\1 "),
        (r"\bany more\b", "anymore"),
    ),
    pointing=r"\b(?:this|that|these|those|here|there|it|its|them|they|their|him|her|his|she|he|you|your|yourself|how|when|where|what|why|who|which|if|because|so|such|me|us|we|I|out|one|ones|else|more|lot|things?|around|myself|fun|everything|something|anything)\b",
    heads=r"\b(?:movies|films|music|books|flavou?rs|games|food|songs|shows|stories|dishes|novels|series|cuisine|wines?|beers?|cheese|tea|seats)$",
    elliptic=r"(?:allergic to|live in|work (?:at|for|as)|speak|love|hate)\b",
    takes_back=r"^(?:obviously|not|or|and|never|said|says|if|unless|right|huh|like|except|especially|at least|as|though|but)\b|\b(?:said|says|saying|wish|if|joke|joking|kidding|once|used to|someday|years? ago|said|lied|lying|not)\b",
    conditions=r"(?:from now on|going forward|in (?:the )?future)$|(?:when|whenever|if|for|in|on|before|after|unless|while|during)\b|my name (?:is not|isn't) \w+$|(?:please )?(?:remember|note|do not forget|don't forget)$|(?:hi|hello|hey|good (?:morning|evening|afternoon))(?: \w+)?$",
    corrects=r"(?:(?:oh|well|hmm)[,.! ]+)?(?:no|nope|wait|sorry|actually|correction|wrong|that's (?:wrong|not right)|that is wrong|not quite|oops|i meant|make (?:it|that)|rather)\b",
    leaning=(
        r"(?:no|nope|wait|sorry|actually|no wait|correction|oh|well|not quite|wrong|that's wrong|that is wrong|that's not right|oops)?[,.!: -]*"
        r"(?:no|actually|sorry|i meant|rather)?[,.!: -]*(?:it is|it's|its|that's|that is|i meant|make it|make that|it should be|the answer is)(?: actually| now)? "
        r"(?P<new>[^,]{1,40}?)(?: now|, actually|, sorry|, not .{1,30}| not .{1,30}| instead)?"
    ),
    bare=r"(?:no|nope|actually|sorry|wrong|not quite|no sorry|no wait|no actually)[,.!:]? (?P<new>[^,.]{1,40}?)",
    lexicon=LEXICON,
    frames=(
        Frame(r"I have been (?=an? |\w+ )(?P<rest>(?!to\b).+?)" + _FOR + "$", r"I am \g<rest>"),
        Frame(r"I have (lived|worked) (?P<rest>.+?)" + _FOR + "$", r"I \1 \g<rest>"),
        Frame(r"I used to be ", "I am ", Action.END),
        Frame(r"I used to ", "I ", Action.END),
        Frame(r"I am no longer ", "I am ", Action.END),
        Frame(r"I am not (?:really|particularly|that|so|much) (?=into\b|an? \w* ?fan\b|fond\b|crazy\b)", "I am not "),
        Frame(r"I am not (?P<rest>.+?)(?: anymore| any longer)?$", r"I am \g<rest>", Action.END),
        Frame(r"I no longer ", "I ", Action.END),
        Frame(r"I do not (?:really|particularly|usually|actually|even|ever) ", "I do not "),
        Frame(r"I do not (?P<rest>.+?)(?: anymore| any longer)?$", r"I \g<rest>", Action.END),
        Frame(r"I (?:have )?(?:just |recently )?(?:stopped|quit) (work|speak)ing ", r"I \1 ", Action.END),
        Frame(r"I (?:have )?(?:just |recently )?(?:stopped|quit) using ", "I use ", Action.END),
        Frame(r"I am (?:now|currently|still|actually|also|really|just|both|already|strictly|fully|very|severely|deathly|highly|mildly|extremely|terribly|badly) ", "I am "),
        Frame(r"I (?:now|currently|still|actually|also|really|just|absolutely|do|always|totally|truly|definitely|genuinely|mostly|mainly|usually|especially|particularly|simply|strongly|only|recently|have just|have recently|have now|have) (?=[a-z])", "I "),
        Frame(r"I am (?:living|based|located|residing) (?=in\b)", "I live "),
        Frame(r"I (?:lived|reside|am resident) (?=in\b)", "I live "),
        Frame(r"I (?:am employed|am working|worked) (?=at|for|as|in\b)", "I work "),
        Frame(r"(?=allergic to )", "I am "),
        Frame(r"(?=(?:live in|work (?:at|for|as)|speak|love|hate) )", "I "),
        Frame(r"we (?=(?:have|live|moved|relocated|switched|migrated|adopted|got|own)\b)", "I "),
        Frame(r"(?P<rest>I (?:am|live|work|prefer|like|speak) .+?),? not (?:an? |in |at |for )?[\w -]{1,20}$", r"\g<rest>"),
        Frame(r"I am an? (?=vegan|vegetarian|veggie|pescatarian|flexitarian)", "I am "),
    ),
    forms=(
        # what shall hold from now on
        Form(rf"(?:from now on|going forward|in (?:the )?future),? (?P<words>(?:please )?(?!call me)(?:{_ASKABLE}|always|never|do not)\b.+)", "rules.*", "=", 0.95, imperative=True, raw=True),
        Form(rf"(?P<words>(?:please )?(?!call me){_ASKABLE}\b.+?),? (?:from now on|going forward|in (?:the )?future)", "rules.*", "=", 0.95, imperative=True, raw=True),
        Form(rf"(?P<words>(?:always|never|never ever|do not ever) (?!let me down|leave me)(?:{_ASKABLE}\b.+|(?!{_NO_WISH})\w+ me\b.*))", "rules.*", "=", 0.95, imperative=True),
        Form(rf"(?P<words>(?:when|whenever|if|for|in|on|before|after|unless|while|during)\b[^,]+, (?:please )?(?:always|never|do not ever) (?!let me down|leave me)(?:{_ASKABLE}\b.+|(?!{_NO_WISH})\w+ me\b.*))", "rules.*", "=", 0.95, imperative=True),
        Form(rf"(?P<words>do not (?!{_NO_WISH}|worry)\w+ .+ (?:again|ever|ever again|anymore|any longer))", "rules.*", "=", 0.9, imperative=True),
        Form(rf"(?P<words>do not {_ASKABLE}\b(?! the\b)(?! me$)(?!.*\bthe (?:{_AT_HAND})\b).+)", "rules.*", "=", 0.8, imperative=True),
        Form(r"(?P<words>stop (?:using|adding|sending|calling|asking|suggesting|recommending|writing|apologi[sz]ing|putting|including|booking|ordering|reminding|giving|telling|showing)\b.+)", "rules.*", "=", 0.85, imperative=True),
        Form(r"(?:can|could|would|will) (?:you|u) (?:please )?(?:just )?call me (?P<called>.+?)(?: please| from now on| instead)*", "nickname", None, 0.9, asking=True, imperative=True),
        Form(rf"(?:can|could|would|will) you (?:please )?(?P<words>(?:always|never) (?:{_ASKABLE}\b.+|\w+ me\b.*))", "rules.*", "=", 0.9, asking=True, imperative=True),
        Form(r"(?:please )?(?:remember|do not forget|never forget|keep in mind|bear in mind|note|make a note)(?: that|:|,)? (?P<note>(?:that )?(?:I|my)\b.+)", "notes.*", None, 0.95, imperative=True, noted=True),
        Form(r"(?:please )?(?:remember|do not forget|keep in mind|bear in mind|make a note)(?: that|:) (?!(?:one|time|day|night|song|movie|place|guy|girl|man|feeling|summer|year)\b)(?P<note>.+)", "notes.*", None, 0.95, noted=True),
        Form(r"I (?P<verb>love|adore|like|enjoy|hate|dislike|do not like|can not stand|prefer) (?:it|them)", "{same}", _TASTE, 0.85),
        # who I am
        Form(r"(?:my (?:full |first |real |given )?name is|my name's|I am called|I am named) (?P<name>.+)", "name", None, 0.97),
        Form(r"my name is not .+?,? (?:it is|but|I am) (?P<name>.+)", "name", None, 0.95),
        Form(r"(?:please )?(?:(?:you can|you may|just|everyone can|people|my friends|friends|everybody|everyone|they all) )?calls? me (?P<called>.+)", "nickname", None, 0.95),
        Form(r"I (?:go by|prefer to be called|like to be called|want to be called) (?P<called>.+)", "nickname", None, 0.95),
        Form(r"my nickname is (?P<called>.+)", "nickname", None, 0.95),
        Form(r"my (?:preferred )?pronouns are (?P<pronouns>[a-z]+/[a-z]+(?:/[a-z]+)?)", "pronouns", None, 0.97),
        Form(r"I (?:use|go by) (?P<pronouns>(?:he|she|they|it|ze|xe)/[a-z]+)(?: pronouns)?", "pronouns", None, 0.95),
        Form(r"(?:my birthday is|my birth ?date is|my date of birth is|I was born)(?: on)? (?:the )?(?P<date>.+)", "birthday", None, 0.95),
        Form(r"(?:(?:hi|hello|hey|good (?:morning|evening|afternoon))(?: there)?[,!]? )I am (?P<called>\w+)", "name", None, 0.85, raw=True),
        Form(r"I am (?P<number>\d+) (?:years old|years of age|yo)", "age", None, 0.95),
        Form(r"I am (?P<number>[1-9]\d)", "age", None, 0.85),
        Form(r"I (?:just |recently )?turned (?P<number>\d+)(?: .+ ago| last \w+| this \w+| yesterday| today| in .+)?", "age", None, 0.93),
        Form(r"I am (?P<status>.+?)(?: to .+)?", "family.status", None, 0.9),
        Form(r"I weigh (?:about |around )?(?P<fact>\d.+)", "health.weight", None, 0.9),
        Form(r"I am (?:about |around )?(?P<fact>\d[\d.,' ]*(?:cm|m|feet|foot|ft)(?: \d+)?) tall", "health.height", None, 0.9),
        Form(r"my age is (?P<number>\d+)", "age", None, 0.95),
        Form(r"my e-?mail(?: address)? is (?P<address>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)", "email", None, 0.95),
        Form(r"my (?:phone|mobile|cell|telephone)(?: phone)?(?: number)? is (?P<address>\+?\d[\d ()/-]{5,20})", "phone", None, 0.95),
        Form(r"my time ?zone is (?P<zone>[\w/+: -]{2,30})", "home.timezone", None, 0.95),
        Form(r"I am (?P<nation>.+)", "nationality", None, 0.9),
        Form(r"my nationality is (?P<nation>.+)", "nationality", None, 0.95),
        Form(r"I (?:can )?speak (?:fluent |good |some |basic |a little |a bit of |native )?(?P<language>.+?)(?: fluently| natively| well| at home| as a second language| and a (?:little|bit)(?: of)?)?", "languages.*", None, 0.92),
        Form(r"(?:I am (?:fluent|native|a native speaker) (?:in|of)|my (?:native language|mother tongue|first language|native tongue) is|I am a native speaker of) (?P<language>.+)", "languages.*", None, 0.95),
        Form(r"I am a native (?P<language>.+) speaker", "languages.*", None, 0.95),
        # where and what for
        Form(r"I live (?:together )?(?:with .+ )?in (?P<place>.+?)(?: with .+| together with .+| alone|" + _FOR[3:-1] + r")?", "home.city", None, 0.93),
        Form(r"my (?:home ?town|home city|city) is (?P<place>.+)", "home.city", None, 0.85),
        Form(r"I (?:moved|relocated) (?:back |over |house )?(?:from .+? )?to (?P<moved>.+?)(?: with .+| (?:last|this|a|in|two|three|four|five|six|\d+|for|recently|because)\b.*)?", "home.city", None, 0.92),
        Form(r"I live in (?P<place>.+?) and work (?:at|for) (?P<org>.+)", "home.city work.employer", None, 0.9),
        Form(r"I work (?:at|for|with) (?P<org>.+?) as (?P<role>.+)", "work.employer work.role", None, 0.93),
        Form(r"I work as (?P<role>.+?) (?:at|for) (?P<org>.+)", "work.role work.employer", None, 0.93),
        Form(r"I work (?:at|for) (?P<org>.+?)" + _FOR + "?", "work.employer", None, 0.92),
        Form(r"I work as (?P<role>(?!if\b|though\b|well\b|long\b|usual\b|soon\b|part\b|you\b).+?)(?: in .+)?" + _FOR + "?", "work.role", None, 0.93),
        Form(r"(?:my (?:job|profession|occupation) is|by profession I am|by trade I am) (?:being )?(?P<job>.+)", "work.role", None, 0.9),
        Form(r"I (?:just |recently )?(?:started|began|started working|began working|will be working) (?:at|for) (?P<org>.+?)(?: as (?P<role>.+?))?(?: (?:last|this|yesterday|a|two|in)\b.*)?", "work.employer work.role", None, 0.88),
        Form(r"I (?:just |recently )?(?:got|took|accepted|started|landed|found) an? (?:new )?(?:job|position|role) (?:at|with) (?P<org>.+?)(?: as (?P<role>.+?))?(?: (?:last|this|yesterday|two|in)\b.*)?", "work.employer work.role", None, 0.88),
        Form(r"I (?:just |recently )?(?:joined|left .{2,30} for) (?P<org>.+?)(?: as (?P<role>.+?))(?: (?:last|this|two|in)\b.*)?", "work.employer work.role", None, 0.88),
        Form(r"I am (?:no longer|not) (?:working )?(?:at|with) (?P<former>.+?)(?: anymore)?", "work.employer", None, 0.9, action=Action.END),
        Form(r"my (?:employer|company) is (?P<org>.+)", "work.employer", None, 0.9),
        Form(r"I am (?P<job>an? .+?) (?:at|for|with) (?P<org>.+)", "work.role work.employer", None, 0.9),
        Form(r"I am (?P<job>an? .+?)(?: by (?:profession|trade|training)| in .+)?", "work.role", None, 0.9),
        Form(r"I (?:am|have) retired", "work.role", "retired", 0.9),
        Form(r"I (?:quit|left|lost|resigned from) my (?:old )?job(?: (?:at|with) .+)?", "work.employer", None, 0.9, action=Action.END),
        Form(r"I (?:quit|left|resigned from|was fired from|got fired from|was laid off from) (?P<former>.+)", "work.employer", None, 0.85, action=Action.END),
        # body and table
        Form(r"I am (?P<diet>.+)", "diet", None, 0.95),
        Form(r"I (?:follow|eat|am on|keep) (?:an? )?(?:strictly |strict )?(?P<diet>.+?)(?: diet| food| only)?", "diet", None, 0.9),
        Form(r"I (?:became|turned|went|have gone|have become|have turned|have been|converted to) (?:an? )?(?P<diet>.+?)(?: (?:last|this|a|in|two|three|\d+)\b.*)?", "diet", None, 0.93),
        Form(r"I am allergic to (?P<allergens>.+)", "allergies.*", None, 0.97),
        Form(r"my allergies are (?P<allergens>.+)", "allergies.*", None, 0.95),
        Form(r"I have (?:an? |severe |bad )*(?:allergy|allergies|allergic reactions?) to (?P<allergens>.+)", "allergies.*", None, 0.96),
        Form(r"I have an? (?:severe |bad |serious )?(?P<allergens>[\w-]+(?: [\w-]+)?) allergy", "allergies.*", None, 0.95),
        Form(r"I am (?P<allergens>\w+)[- ]intolerant", "allergies.*", None, 0.95),
        Form(r"I am intolerant (?:to|of) (?P<allergens>.+)", "allergies.*", None, 0.95),
        Form(r"I am (?:an? )?(?P<health>.+)", "health.*", None, 0.92),
        Form(r"I (?:have|suffer from|was diagnosed with|live with) (?P<health>.+)", "health.*", None, 0.92),
        Form(r"I am (?:an? )?(?P<belief>.+)", "beliefs.*", None, 0.9),
        # mine
        Form(rf"my (?:\w+ )?{_KIN}(?:'s name is|s name is| is called| is named) (?P<name>.+)", "family.{relation}.name", None, 0.93),
        Form(rf"I have an? (?:\w+ )?{_KIN} (?:called|named|whose name is) (?P<name>.+)", "family.{relation}.name", None, 0.93),
        Form(r"I have (?P<kin>.+)", "family.*", None, 0.9),
        Form(rf"my {_ANIMAL}(?:'s name is|s name is| is called| is named) (?P<name>.+)", "pets.*", "{animal_}", 0.93),
        Form(rf"I have an? (?:\w+ )?{_ANIMAL} (?:called|named|whose name is) (?P<name>.+)", "pets.*", "{animal_}", 0.93),
        Form(r"I (?:have|own) (?!chicken$|fish$)(?P<animal>.+)", "pets.*", None, 0.88),
        Form(r"I (?:just |recently )?(?:got|adopted|bought|rescued) (?=an? |two |three |four |\d )(?!.*\b(?:chickens?|fish)\b)(?P<animal>.+?)(?: (?:.+ ago|last \w+|recently|from .+))?", "pets.*", None, 0.85),
        Form(r"my (?:main |biggest |long-term |personal )?(?:goal|dream|aim|resolution) is to (?P<aim>.+)", "goals.*", None, 0.85),
        Form(r"my (?P<attribute>doctor|gp|dentist|boss|manager)(?:'s name)? is (?:called |named )?(?P<called>.+)", "{attribute}", None, 0.88),
        Form(r"my (?P<attribute>hobby|star sign|zodiac sign|major|instrument|editor|text editor|ide|shell|browser|eye colou?r|hair colou?r) is (?!(?:slow|broken|boring|fun|expensive|cheap|great|good|bad|annoying|crashing|fine|okay|weird|not|old|new|better|down|hard|easy|dead|open|closed|awesome|nice)\b)(?P<fact>.+)", "{attribute}", None, 0.88),
        Form(r"my (?!doctor|gp|dentist|boss|manager)(?P<attribute>[a-z]+(?: [a-z]+)?) (?:is|are) (?P<named>.+)", "{attribute}", None, 0.88),
        # taste
        Form(r"I (?:have )?(?:quit|stopped|given up|gave up) (?P<doing>gambling|gaming|running|dancing|playing [\w ]+|taking [\w ]+)", "routines.*", "quit", 0.9),
        Form(r"I (?:do not|never) (?P<habit>.+)", "routines.*", "no", 0.88),
        Form(r"I (?:no longer|quit|have quit|stopped|have stopped|gave up|have given up|do not) (?P<habit>.+?)(?: anymore)?", "routines.*", "quit", 0.9),
        Form(r"I (?:have )?(?:quit|cut out) (?P<things>coffee|sugar|caffeine|meat|dairy|gluten|sweets|soda|carbs|bread|fast food|social media)", "preferences.*", "avoids", 0.9),
        Form(r"I prefer to (?P<doing>.+?)(?: (?:over|rather than|instead of) .+)?", "preferences.*", "prefers", 0.9),
        Form(r"I prefer (?P<things>.+?)(?: (?:to|over|rather than|instead of) .+)?", "preferences.*", "prefers", 0.92),
        Form(r"I would (?:prefer|rather have) (?P<things>.+?)(?: (?:to|over|rather than|instead of) .+)?", "preferences.*", "prefers", 0.5, Strength.WEAK, unsure=True),
        Form(r"I (?:like|love) (?P<things>.+?) (?:more|better) than .+", "preferences.*", "prefers", 0.88),
        Form(rf"I (?P<verb>{_TASTES}) (?P<things>.+?)(?: anymore| with (?:my|our|the|some|friends|family)\b.+)?", "preferences.*", _TASTE, 0.9),
        Form(r"I (?P<verb>love|adore|like|enjoy|hate|dislike|prefer|do not like) (?P<gerund>(?!being|seeing|hearing|knowing|having|getting|going|thinking|looking|trying|feeling|anything|something|nothing|everything)\w+ing .+)", "preferences.*", _TASTE, 0.85),
        Form(r"I (?P<verb>love|like|hate|enjoy|dislike|do not like) to (?P<doing>.+)", "preferences.*", _TASTE, 0.85),
        Form(r"I (?:like|take|drink|prefer) my (?P<topic>coffee|tea|steak|eggs|toast|pizza|burgers?|whisky|whiskey) (?P<thing>.+)", "choices.{topic}", None, 0.88),
        Form(r"I am more of an? (?P<thing>\w+) (?:person|guy|girl)", "preferences.*", "prefers", 0.85),
        Form(r"I am an? (?P<thing>morning|night|dog|cat|tea|coffee|city|beach|mountain|beer|wine) person", "preferences.*", "prefers", 0.85),
        Form(r"I am (?:currently )?(?:learning|studying) (?P<language>.+)", "goals.learn-*", None, 0.85),
        Form(r"I want to learn (?P<language>.+)", "goals.learn-*", None, 0.85),
        Form(r"(?P<thing>[^,]{2,40}?) (?:is|are) my (?:absolute |all-time |personal )?fav(?:ou?rite|e) (?P<topic>[\w-]+(?: [\w-]+)?)", "choices.{topic}", None, 0.88),
        Form(r"I use (?P<tool>.+?)(?: (?:as my .+|every day|at work|daily|at home))?", "tools.*", None, 0.85),
        Form(r"my (?:absolute |all-time |personal )?fav(?:ou?rite|e|s)? (?P<topic>[\w-]+(?: [\w-]+){0,2}?) (?:is|are) (?:definitely |probably |still |now )?(?P<thing>.+)", "choices.{topic}", None, 0.9),
        Form(rf"(?P<words>I (?:always|never|only) (?={_DO}\b)\w+ .+)", "routines.*", "=", 0.88),
        Form(rf"(?P<words>I (?:usually |normally )?(?:{_DO[3:-1]}|swim|meditate|do|wake up|get up) (?:[\w:.]+ ){{0,5}}every (?:day|morning|evening|night|week|weekend|\w+day)s?)", "routines.*", "=", 0.85),
        Form(rf"(?P<words>I (?:usually|normally|generally) (?:{_DO[3:-1]}|wake up|get up|have) .+)", "routines.*", "=", 0.8),
        Form(r"I use (?P<things>.+?) for (?P<topic>[\w-]+(?: [\w-]+)?)", "choices.{topic}", None, 0.85),
        Form(r"my (?:preferred|default|usual|go-to) (?P<topic>[\w-]+(?: [\w-]+){0,2}?) is (?P<thing>.+)", "choices.{topic}", None, 0.9),
        # another instead
        Form(r"I (?:have )?(?:switched|changed|moved|migrated|went) (?:over )?from (?!tab\b|line\b|page\b|main\b|step\b)(?P<old>.+?) to (?P<new>.+)", "preferences.*", "prefers", 0.9),
        Form(r"I (?:have )?(?:switched|migrated) (?:over )?to (?!main\b|master\b|dev\b|prod|tab\b|branch|line\b|page\b|step\b|plan [ab]\b)(?P<new>.+?)(?: from (?P<old>.+))?", "preferences.*", "prefers", 0.88),
        # signs
        Form(r"(?:let's|let us|I will|I'll|we'll) take (?P<choice>.+ (?:one|option|version|again))(?: as usual)?", "preferences.*", "prefers", 0.4, Strength.WEAK, unsure=True),
        Form(r"(?:let's|let us|I will|I'll|we'll) (?:go with|pick|choose|go for|stick with) (?P<choice>.+?)(?: again| as usual| as always| this time)?", "preferences.*", "prefers", 0.4, Strength.WEAK, unsure=True),
        Form(r"(?:I will|I'll) (?:have|get|order) (?P<choice>(?:the|my) .+) again", "preferences.*", "prefers", 0.4, Strength.WEAK, unsure=True),
        Form(r"(?:(?:can|could) you (?:please )?(?:make it |be )?)?(?:a (?:bit|little) |much |make it |and |even )?(?P<manner>.+?)(?:,? please| pls)", "preferences.*", "prefers", 0.45, Strength.WEAK, raw=True, unsure=True),
        Form(r"(?:please )?(?:answer |reply |write |respond |now |again )?in (?P<language>\w+),? (?:please|pls)", "choices.answer-language", None, 0.45, Strength.WEAK, raw=True, unsure=True),
    ),
)  # fmt: skip
