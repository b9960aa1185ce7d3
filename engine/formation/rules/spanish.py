"""Spanish: *soy*, *me gusta*, *llámame*, *siempre* and *nunca*, and *ya no*; accents may be missing."""

# ruff: noqa: E501 - patterns are data, one a line
from __future__ import annotations

from ..candidates import Action, Strength
from .grammar import Form, Frame, Language
from .words import meanings, same

__all__ = ["LANGUAGE"]

_OWN = r"(?:soy|vivo|trabajo|tengo|hablo|odio|prefiero|detesto|evito|como|bebo|uso|me (?:llamo|gustan?|encantan?|mud[eé]|he mudado)|no me|ya no|no (?:como|bebo|soporto|soy))"
_SUBJECT = rf"(?:yo|mi|mis|{_OWN}|siempre|nunca|ll[aá]mame|por favor|[eé]l|ella|nosotros|t[uú]|usted|es|recuerda)\b"
_ASKING = r"¿|(?:qu[eé]|c[oó]mo|d[oó]nde|cu[aá]l(?:es)?|cu[aá]ndo|qui[eé]n|por qu[eé]|puedes|puede|podr[ií]as|podr[ií]a|me (?:recomiendas|puedes|recomienda)|hay|tienes|sabes|recomi[eé]ndame|sugi[eé]reme)\b"
_DO = (
    r"(?:responde|contesta|usa|utiliza|escribe|reserva|pide|recomienda|sugiere|pregunta|muestra|mu[eé]strame|dime|dame|env[ií]a|env[ií]ame|manda|m[aá]ndame|recuerda|recu[eé]rdame|llama|"
    r"habla|h[aá]blame|resp[oó]ndeme|cont[eé]stame|resume|explica|expl[ií]came|compra|elige|a[nñ]ade|incluye|pon|haz|revisa|comprueba|formatea|trata|res[eé]rvame|responda|conteste|use|utilice|escriba|h[aá]bleme|resp[oó]ndame)"
)
_DONT = (
    r"(?:respondas|contestes|uses|utilices|escribas|reserves|pidas|recomiendes|sugieras|preguntes|muestres|digas|des|env[ií]es|mandes|recuerdes|llames|hables|resumas|"
    r"expliques|compres|elijas|a[nñ]adas|incluyas|pongas|hagas|vuelvas a|trates|tutees|responda|conteste|use|utilice|escriba|reserve|recomiende|llame|hable)"
)
_KIN = r"(?P<relation>madre|mam[aá]|padre|pap[aá]|hermano|hermana|hijo|hija|marido|esposo|esposa|mujer|pareja|novio|novia|abuela|abuelo|t[ií]a|t[ií]o|primo|prima|sobrina|sobrino|nieto|nieta)"
_ANIMAL = r"(?P<animal_>perro|perra|gato|gata|conejo|h[aá]mster|loro|caballo|tortuga|serpiente|p[aá]jaro|pez|cobaya)"
_TASTE = {
    "me gusta": "likes", "me gustan": "likes", "me encanta": "loves", "me encantan": "loves", "amo": "loves", "adoro": "loves", "odio": "hates", "detesto": "hates",
    "no soporto": "hates", "prefiero": "prefers", "evito": "avoids", "no me gusta": "dislikes", "no me gustan": "dislikes", "ya no me gusta": "dislikes", "ya no me gustan": "dislikes",
    "no como": "avoids", "ya no como": "avoids", "no bebo": "avoids", "ya no bebo": "avoids", "no puedo comer": "avoids", "no puedo tomar": "avoids", "no tomo": "avoids",
    "disfruto": "likes", "soy fan de": "likes", "soy muy fan de": "loves", "he dejado de comer": "avoids", "dejé de comer": "avoids", "deje de comer": "avoids",
}  # fmt: skip
_TASTES = "|".join(sorted(_TASTE, key=len, reverse=True))

LANGUAGE = Language(
    code="es",
    hint=rf"\b(?:llamarme|llamaras|como|podr[ií]as?|{_OWN}|estoy|nos|puedes|todos|he dejado|dej[eé]|nac[ií]|de|en|el|la|los|las|que|un|una|con|yo|mi|mis|siempre|nunca|jam[aá]s|no|ll[aá]mame|recuerda|recuerde|por favor|a partir|antes|vamos|me)\b",
    cuts=(
        rf",?\s+(?:y|e|pero|porque|as[ií] que|ya que|aunque|pues)\s+(?:que\s+)?(?={_SUBJECT})|,?\s+y\s+(?=al[eé]rgic[oa] )|,\s*(?=(?:as[ií] que |ahora |actualmente )?(?:{_SUBJECT}|{_ASKING}))|,?\s+(?:porque|aunque|as[ií] que)\s+|\s+(?=¿)|"
        r"\s+[-–—]+\s+|--+|\s+\(|\)"
    ),
    openers=(
        r"^[¡¿]?(?:(?:como(?= (?:soy|vivo|tengo)\b)|ya que(?= soy)|como (?:ya )?(?:te )?(?:dije|he dicho)|hola|buenas|buenos d[ií]as|buenas tardes|bueno|pues|vale|ok|s[ií](?=[,.!])|no(?=[,.!:])|perd[oó]n|perdona|por cierto|la verdad|en realidad|de hecho|en general|por favor|para que (?:lo )?sepas|"
        r"importante|correcci[oó]n|nota|oye|mira|gracias|adem[aá]s|actualmente|ahora|hoy en d[ií]a|espera|yo|sinceramente|personalmente|desgraciadamente)(?: que(?= (?:soy|vivo|me|mi)\b))?[,:!. ]+)"
    ),
    closers=(
        r"(?:[\s,.!~]*(?:\b(?:por favor|tambi[eé]n|gracias|ahora|actualmente|hoy en d[ií]a|por cierto|mucho|much[ií]simo|en realidad|de verdad|la verdad|a partir de ahora|y t[uú]|pues|as[ií] que|"
        r"de profesi[oó]n|m[aá]s|en general|ya)|[^\w\s\"')\]%+#\x00]+))+$"
    ),
    unreal=(
        r"\b(?:si|ser[ií]a|fuera|fuese|tuviera|viviera|quiz[aá]s?|tal vez|a lo mejor|probablemente|posiblemente|supongamos|supongo|creo|cre[ií]a|pensaba|parece|casi|ojal[aá]|gustar[ií]a|encantar[ií]a|"
        r"quisiera|podr[ií]a|supuestamente|no estoy segur[oa]|ayer|alg[uú]n d[ií]a)\b"
    ),
    reported=(
        r"(?<!\bcomo )(?<!\bcomo ya )\b(?:dijo|dice|dicen|dec[ií]a|dije|digo|pregunt[oó]|pregunta|cree|creen|piensa|escribi[oó]|escribe|cuenta|cont[oó]|afirma|respondi[oó]|seg[uú]n|si|como si|supongamos|imagina|ojal[aá]|so[nñ][eé]|t[ií]tulo|canci[oó]n)\b"
        r"[^,;]{0,80}[,:]?\s*(?:que\s*)?$|^(?:si|cuando era|supongamos)\b"
    ),
    asks=_ASKING,
    things=(
        r"\b(?:yo|m[ií]|me|mis|t[uú]|te|ti|tus|su|sus|[eé]l(?= )|ella|ellos|ellas|nosotros|nos|nuestr\w*|usted|ustedes|est[eaos]s?|es[eao]s?|aquel\w*|aqu[ií]|ah[ií]|all[ií]|qui[eé]n|qu[eé]|cu[aá]ndo|d[oó]nde|c[oó]mo|por|porque|"
        r"si|pero|cuando|donde|que|no|nunca|algo|todo|todos|nada|alguien|nadie|es|son|era|ser|estar|est[aá]\w*|hay|ha|he|haber|muy|tan|m[aá]s|mucho|hoy|ma[nñ]ana|ayer|ahora|cosa|cosas|idea|"
        r"foto|fotos|ver|verte|lo|le|les|cada|siempre|solo|s[oó]lo|tambi[eé]n|tanto|mismo|misma|otro|otra|manera|forma|hambre|miedo|sue[nñ]o|tiempo|ganas|pregunta|favor)\b"
    ),
    articles=r"^(?:a la|a los|a las|al|a l|la|el|los|las|un poco de|una?|unos|unas|todo tipo de|comer|beber|tomar|fluido|a)\s+",
    joints=r"\s*,?\s+(?:y|e|o|u|ni|&)\s+|\s*[,&/]\s*",
    filler=(
        r"\b(?:siempre|nunca|jam[aá]s|por favor|no|me|mi|mis|el|la|los|las|un|una|unos|unas|al|del|de|a|en|con|para|por|y|o|m[aá]s|a partir de ahora|de ahora en adelante|vuelvas|cuando|si|que|lo|te|su)\b"
    ),
    momentary=(
        r"\b(?:est[eaos]s?|es[eao]s?|aqu[ií]|ahora mismo|hoy|ma[nñ]ana|esta vez|lo|le|todav[ií]a|a[uú]n|nada|todo|as[ií]|(?:el|la|los|las) (?:archivo|fichero|funci[oó]n|test|tests|clase|c[oó]digo|tabla|l[ií]nea|texto|"
        r"correo|documento|lista|imagen|p[aá]gina|primer\w*|segund\w*|[uú]ltim\w*))\b"
    ),
    chosen=r"^(?:el|la|los|las|lo|mi|un|una)\s+|\s+(?:opci[oó]n|versi[oó]n|otra vez|de nuevo)$",
    own=r"\b(?:yo|mi|mis|me|nos|nosotros|nuestr\w*)\b",
    particular=r"\b(?:yo|mi|mis|me|nosotros|nos|nuestr\w*|el|la|los|las)\b",
    elliptic=r"al[eé]rgic[oa] ",
    takes_back=r"^(?:no|o|y|dice|si|salvo|excepto|verdad)\b|\b(?:dice|dijo|si|broma|antes|sería|no)\b",
    conditions=r"(?:recuerda|recuerde|no olvides)$|(?:cuando|si|para|al|en|antes|despu[eé]s|siempre que)\b",
    corrects=r"(?:no|perd[oó]n|perdona|espera|correcci[oó]n|mal|incorrecto|en realidad|de hecho|quer[ií]a decir|me refer[ií]a)\b",
    leaning=(
        r"(?:no|perd[oó]n|perdona|espera|correcci[oó]n|mal|incorrecto|eso no)?[,.!: -]*(?:en realidad|de hecho|perd[oó]n)?[,.!: -]*(?:es|son|quer[ií]a decir|me refer[ií]a a|ser[ií]a)(?: ahora)? "
        r"(?P<new>[^,]{1,40}?)(?: ahora|,? no .{1,30}|, perd[oó]n)?"
    ),
    bare=r"(?:no|perd[oó]n|en realidad|no en realidad)[,.!:]? (?P<new>[^,.]{1,40}?)",
    lexicon={
        "diet": meanings("vegano|vegana=vegan; vegetariano|vegetariana=vegetarian; pescetariano|pescetariana|pescatariano|pescatariana=pescatarian; flexitariano|flexitariana=flexitarian; sin gluten=gluten-free; keto|cetogénica=keto; halal=halal; kosher=kosher"),
        "country": meanings("España=Spain; México|Mexico|Méjico=Mexico; Argentina=Argentina; Chile=Chile; Colombia=Colombia; Perú=Peru; Venezuela=Venezuela; Ecuador=Ecuador; Bolivia=Bolivia; Uruguay=Uruguay; Paraguay=Paraguay; Cuba=Cuba; Guatemala=Guatemala; Costa Rica=Costa Rica; Panamá=Panama; Honduras=Honduras; Nicaragua=Nicaragua; El Salvador=El Salvador; República Dominicana=Dominican Republic; Alemania=Germany; Austria=Austria; Suiza=Switzerland; Francia=France; Portugal=Portugal; Italia=Italy; Bélgica=Belgium; Irlanda=Ireland; Inglaterra=England; Reino Unido=United Kingdom; Estados Unidos|EEUU|EE.UU=United States; Canadá=Canada; Brasil=Brazil; China=China; Japón=Japan; Polonia=Poland; Suecia=Sweden; Noruega=Norway; Dinamarca=Denmark; Finlandia=Finland; Grecia=Greece; Países Bajos|Holanda=Netherlands; Australia=Australia; Rusia=Russia; Ucrania=Ukraine"),
        "language": meanings("español|castellano=Spanish; inglés=English; alemán=German; francés=French; italiano=Italian; portugués=Portuguese; catalán=Catalan; gallego=Galician; euskera|vasco=Basque; neerlandés|holandés=Dutch; ruso=Russian; ucraniano=Ukrainian; polaco=Polish; árabe=Arabic; hebreo=Hebrew; chino=Chinese; mandarín=Mandarin; japonés=Japanese; coreano=Korean; turco=Turkish; griego=Greek; sueco=Swedish; danés=Danish; noruego=Norwegian; rumano=Romanian; hindi=Hindi; quechua=Quechua; guaraní=Guarani; latín=Latin"),
        "nation": meanings("español|española=Spanish; mexicano|mexicana=Mexican; argentino|argentina=Argentinian; chileno|chilena=Chilean; colombiano|colombiana=Colombian; peruano|peruana=Peruvian; venezolano|venezolana=Venezuelan; cubano|cubana=Cuban; uruguayo|uruguaya=Uruguayan; alemán|alemana=German; francés|francesa=French; italiano|italiana=Italian; portugués|portuguesa=Portuguese; inglés|inglesa=English; británico|británica=British; irlandés|irlandesa=Irish; estadounidense|norteamericano|norteamericana=American; canadiense=Canadian; brasileño|brasileña=Brazilian; suizo|suiza=Swiss; austriaco|austriaca=Austrian; polaco|polaca=Polish; ruso|rusa=Russian; ucraniano|ucraniana=Ukrainian; chino|china=Chinese; japonés|japonesa=Japanese"),
        "job": same("enfermero|enfermera|médico|médica|doctor|doctora|profesor|profesora|maestro|maestra|ingeniero|ingeniera|programador|programadora|desarrollador|desarrolladora|informático|informática|abogado|abogada|arquitecto|arquitecta|cocinero|cocinera|camarero|camarera|mesero|mesera|periodista|policía|bombero|bombera|estudiante|jubilado|jubilada|diseñador|diseñadora|contable|contador|contadora|consultor|consultora|dentista|psicólogo|psicóloga|veterinario|veterinaria|fotógrafo|fotógrafa|escritor|escritora|traductor|traductora|músico|música|actor|actriz|artista|peluquero|peluquera|electricista|fontanero|fontanera|carpintero|carpintera|mecánico|mecánica|agricultor|agricultora|farmacéutico|farmacéutica|fisioterapeuta|investigador|investigadora|científico|científica|biólogo|bióloga|químico|química|físico|física|economista|gerente|director|directora|secretario|secretaria|vendedor|vendedora|conductor|conductora|piloto|azafata|panadero|panadera|jardinero|jardinera|editor|editora|analista|empresario|empresaria|autónomo|autónoma|funcionario|funcionaria"),
        "kin": meanings("madre|mamá=mother; padre|papá=father; padres=parents; hermano|hermanos=brother; hermana|hermanas=sister; hijo=son; hija|hijas=daughter; hijos=children; marido|esposo=husband; esposa|mujer=wife; pareja=partner; novio=boyfriend; novia=girlfriend; abuela=grandmother; abuelo=grandfather; tía=aunt; tío=uncle; primo|prima|primos=cousin; sobrina|sobrinas=niece; sobrino|sobrinos=nephew; nieto|nietos=grandchildren; nieta=granddaughter; gemelos|gemelas|mellizos=twins"),
        "animal": meanings("perro|perra|perros|perrito|cachorro=dog; gato|gata|gatos|gatito=cat; conejo|conejos=rabbit; hámster|hamster=hamster; cobaya|cobayas=guinea pig; loro|loros=parrot; caballo|caballos=horse; pez|peces=fish; tortuga|tortugas=turtle; serpiente=snake; pájaro|pájaros|periquito=bird; gallina|gallinas=chicken"),
        "health": meanings("asma|asmático|asmática=asthma; diabetes|diabético|diabética=diabetes; epilepsia|epiléptico|epiléptica=epilepsy; migrañas|migraña=migraines; celíaco|celíaca|celiaquía=celiac disease; tdah=adhd; autista=autism; disléxico|disléxica|dislexia=dyslexia; depresión=depression; ansiedad=anxiety; hipertenso|hipertensa|hipertensión=high blood pressure; daltónico|daltónica=color-blind; sordo|sorda=deaf; ciego|ciega=blind"),
        "belief": meanings("cristiano|cristiana=Christian; católico|católica=Catholic; protestante=Protestant; musulmán|musulmana=Muslim; judío|judía=Jewish; budista=Buddhist; hindú=Hindu; ateo|atea=atheist; agnóstico|agnóstica=agnostic"),
        "attribute": meanings('coche|carro|auto=notes.car; bici|bicicleta=notes.bike; talla=notes.dress-size; talla de zapato|número de zapato|número de pie=notes.shoe-size; altura=health.height; peso=health.weight; grupo sanguíneo=health.blood-type; signo=notes.star-sign; banco=finances.bank; presupuesto=finances.budget; editor=choices.editor; navegador=choices.browser; apellido=notes.last-name; universidad=notes.university; religión=beliefs.religion'),
        "habit": meanings("fumar|fumo|tabaco=smoking; beber|bebo|alcohol=drinking"),
        "status": meanings("casado|casada=married; soltero|soltera=single; divorciado|divorciada=divorced; viudo|viuda=widowed; prometido|prometida=engaged"),
        "region": meanings("Cataluña=Catalonia; Andalucía=Andalusia; Galicia=Galicia; Asturias=Asturias; Aragón=Aragon; Extremadura=Extremadura; País Vasco|el País Vasco=Basque Country; California=California; Texas|Tejas=Texas; Florida|la Florida=Florida"),
        "manner": meanings("más corto|más breve|más conciso|sé breve=short answers; más detalles|más detallado|más largo=detailed answers; más sencillo|más simple|más fácil=simple words; en una lista|como lista=lists; en una tabla|como tabla=tables; paso a paso=step by step; más formal=formal tone; menos formal|más informal=informal tone; sin emojis=no emojis; solo el código|sólo el código=code only; con ejemplos=examples"),
        "not-allergen": same("los lunes|lunes|trabajo|gente|tontería|tonterías|idiotas|estupidez|política|deporte|drama|mentiras"),
        "not-name": same("pronto|cuando|ya|gracias|claro|bien|luego|mañana|cuando|loco|loca|después|tarde|hoy|ahora|más tarde|por favor|si|a"),
        "not-place": same("europa|asia|áfrica|gracias|nunca|luego|claro|bien|perfecto|verdad|paz|miedo|casa|oficina|pareja|peligro|marketing|ventas|equipo|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|pobreza|informe|proyecto|texto|libro|el campo|una|otro|educación|línea"),
    },
    frames=(
        Frame(r"(?=al[eé]rgic[oa] )", "soy "),
        Frame(r"nos (?:mudamos|hemos mudado) ", "me mudé "),
        Frame(r"vivimos (?=en)", "vivo "),
        Frame(r"(?P<rest>(?:soy|vivo|trabajo|prefiero) .+?), no (?:en |a )?\w+(?: \w+)?$", r"\g<rest>"),
        Frame(r"yo ", ""),
        Frame(r"ya no (?=soy|vivo|trabajo|hablo|uso|tengo|odio)", "", Action.END),
        Frame(r"no (?=soy|vivo|trabajo|hablo|uso|tengo)", "", Action.END),
        Frame(r"(?:antes |yo antes )?viv[ií]a en (?P<rest>.+?)(?: antes)?$", r"vivo en \g<rest>", Action.END),
        Frame(r"(?:antes |yo antes )?trabajaba (?P<rest>.+?)(?: antes)?$", r"trabajo \g<rest>", Action.END),
        Frame(r"(?:antes|yo antes) era (?P<rest>.+)$", r"soy \g<rest>", Action.END),
        Frame(r"(?:he dejado|dej[eé]) de ser ", "soy ", Action.END),
        Frame(r"(?:he dejado|dej[eé]) de trabajar ", "trabajo ", Action.END),
        Frame(r"(?:he dejado|dej[eé]) de usar ", "uso ", Action.END),
        Frame(r"(soy|vivo|trabajo|hablo) (?:ahora|actualmente|tambi[eé]n|muy|totalmente|realmente|desde hace .{2,20}? (?=en)) ?(?=\w)", r"\1 "),
        Frame(r"ahora (?=soy|vivo|trabajo|prefiero|uso)", ""),
        Frame(r"estoy viviendo en ", "vivo en "),
        Frame(r"estoy trabajando ", "trabajo "),
        Frame(r"llevo .{2,20} viviendo en ", "vivo en "),
    ),
    forms=(
        Form(rf"(?:a partir de ahora|de ahora en adelante|desde ahora|en el futuro),? (?P<words>(?:por favor )?(?:{_DO}|no {_DONT}|siempre|nunca)\b.+)", "rules.*", "=", 0.95, imperative=True, raw=True),
        Form(rf"(?P<words>(?!nunca digas nunca)(?:nunca|jam[aá]s)(?: me| le)? {_DONT}\b.+)", "rules.*", "=", 0.95, imperative=True),
        Form(rf"(?P<words>no(?: me| le| lo)? {_DONT}\b.*(?:nunca|jam[aá]s|vuelvas a).*)", "rules.*", "=", 0.95, imperative=True),
        Form(r"(?P<words>no(?: me)? vuelvas a .+)", "rules.*", "=", 0.95, imperative=True),
        Form(rf"(?P<words>siempre {_DO}\b.+)", "rules.*", "=", 0.95, imperative=True),
        Form(rf"(?P<words>{_DO}(?: .+)? siempre\b.*)", "rules.*", "=", 0.95, imperative=True),
        Form(rf"(?P<words>no(?: me| le)? {_DONT} .+)", "rules.*", "=", 0.8, imperative=True),
        Form(r"(?:por favor )?(?:recuerda|recuerde|acu[eé]rdate de|acu[eé]rdese de|no olvides|no olvide|ten en cuenta|tenga en cuenta|apunta|anota)(?: que|:|,) ?(?P<note>(?:que )?(?:soy|vivo|me|mi|mis|tengo|no|odio|prefiero|trabajo|hablo)\b.+)", "notes.*", None, 0.95, imperative=True, noted=True),
        Form(r"(?:por favor )?(?:recuerda|recuerde|acu[eé]rdate de|acu[eé]rdese de|no olvides|no olvide|ten en cuenta|tenga en cuenta|apunta|anota)(?: que|:) ?(?P<note>.+)", "notes.*", None, 0.95, noted=True),
        Form(r"¿?(?:puedes|podr[ií]as|puede|podr[ií]a) llamarme (?P<called>.+?)(?:,? por favor)?", "nickname", None, 0.9, asking=True, imperative=True),
        Form(r"(?:quiero|me gustar[ií]a) que me (?:llames|llamaras|llame) (?P<called>.+)", "nickname", None, 0.92, imperative=True),
        Form(r"(?:quiero|me gustar[ií]a) que (?P<words>(?:siempre|nunca) .+)", "rules.*", "=", 0.92, imperative=True),
        Form(r"(?:me llamo|mi nombre es|mi nombre completo es) (?P<name>.+)", "name", None, 0.97),
        Form(r"(?:por favor )?(?:ll[aá]mame|ll[aá]meme|dime) (?P<called>.+)", "nickname", None, 0.95),
        Form(r"(?:puedes|puede|pod[eé]is) llamarme (?P<called>.+)", "nickname", None, 0.95),
        Form(r"(?:mis amigos|todos) me (?:llaman|dicen) (?P<called>.+)", "nickname", None, 0.95),
        Form(r"(?:mi cumplea[nñ]os es|nac[ií])(?: el)? (?P<date>\d.+)", "birthday", None, 0.95),
        Form(r"tengo (?P<number>\d+) a[nñ]os", "age", None, 0.95),
        Form(r"mi (?:correo|email|e-mail)(?: electr[oó]nico)? es (?P<address>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)", "email", None, 0.95),
        Form(r"mi (?:n[uú]mero(?: de (?:tel[eé]fono|m[oó]vil))?|tel[eé]fono|m[oó]vil) es (?:el )?(?P<address>\+?\d[\d ()/-]{5,20})", "phone", None, 0.95),
        Form(r"soy (?P<nation>.+)", "nationality", None, 0.9),
        Form(r"hablo (?P<language>.+?)(?: con fluidez| perfectamente| bien)?", "languages.*", None, 0.92),
        Form(r"mi (?:lengua materna|idioma materno|primera lengua) es (?:el )?(?P<language>.+)", "languages.*", None, 0.95),
        Form(r"(?:vivo|resido) (?:con .+ )?en (?P<place>.+?)(?: con .+| desde .+)?", "home.city", None, 0.93),
        Form(r"(?:me mud[eé]|me he mudado|me acabo de mudar|me traslad[eé])(?: (?:de|desde) .+?)? a (?P<place>.+?)(?: con .+| desde .+| hace .+| el .+)?", "home.city", None, 0.92),
        Form(r"vivo en (?P<place>.+?) y trabajo (?:en|para) (?P<org>.+)", "home.city work.employer", None, 0.9),
        Form(r"trabajo (?:en|para) (?P<org>.+?) (?:como|de) (?P<role>.+)", "work.employer work.role", None, 0.93),
        Form(r"trabajo (?:como|de) (?P<role>.+?) (?:en|para) (?P<org>.+)", "work.role work.employer", None, 0.93),
        Form(r"trabajo (?:en|para) (?P<org>.+?)(?: desde .+)?", "work.employer", None, 0.92),
        Form(r"trabajo (?:como|de) (?P<role>.+?)(?: desde .+)?", "work.role", None, 0.93),
        Form(r"soy (?P<job>.+?) en (?:el |la )?(?P<org>.+)", "work.role work.employer", None, 0.9),
        Form(r"soy (?P<job>.+)", "work.role", None, 0.9),
        Form(r"(?:he dejado|dej[eé]|perd[ií]|he perdido|renunci[eé] a) (?:mi|el) (?:trabajo|empleo)", "work.employer", None, 0.9, action=Action.END),
        Form(r"(?:he renunciado|renunci[eé])", "work.employer", None, 0.85, action=Action.END),
        Form(r"estoy jubilad[oa]", "work.role", "retired", 0.9),
        Form(r"(?:soy|me he hecho|me hice|como|sigo una dieta|llevo una dieta) (?P<diet>.+)", "diet", None, 0.94),
        Form(r"soy al[eé]rgic[oa] (?P<allergens>a.+)", "allergies.*", None, 0.97),
        Form(r"(?:tengo|padezco) (?:una )?(?:alergia|intolerancia) (?P<allergens>a.+)", "allergies.*", None, 0.96),
        Form(r"soy intolerante (?P<allergens>a.+)", "allergies.*", None, 0.95),
        Form(r"(?:soy|tengo|padezco|sufro de) (?P<health>.+)", "health.*", None, 0.92),
        Form(r"soy (?P<belief>.+)", "beliefs.*", None, 0.9),
        Form(rf"mi (?:\w+ )?{_KIN} se llama (?P<name>.+)", "family.{relation}.name", None, 0.93),
        Form(rf"tengo una? {_KIN}(?: \w+)? (?:que se llama|llamad[oa]) (?P<name>.+)", "family.{relation}.name", None, 0.93),
        Form(r"tengo (?P<kin>.+)", "family.*", None, 0.9),
        Form(rf"mi {_ANIMAL} se llama (?P<name>.+)", "pets.*", "{animal_}", 0.93),
        Form(rf"tengo una? {_ANIMAL} (?:que se llama|llamad[oa]) (?P<name>.+)", "pets.*", "{animal_}", 0.93),
        Form(r"tengo (?P<animal>.+)", "pets.*", None, 0.88),
        Form(r"mi (?P<attribute>\w+(?: de \w+)?) (?:es|son) (?P<named>.+)", "{attribute}", None, 0.88),
        Form(r"me gustan? m[aá]s (?P<things>.+?)(?: que .+)?", "preferences.*", "prefers", 0.9),
        Form(r"prefiero (?P<things>.+?)(?: antes que .+| en lugar de .+| en vez de .+| a (?:la|el|los|las) .+| al .+| a \w+)?", "preferences.*", "prefers", 0.92),
        Form(rf"(?P<verb>{_TASTES}) (?P<things>.+)", "preferences.*", _TASTE, 0.9),
        Form(r"mi (?P<topic>\w+) (?:favorit[oa]|preferid[oa]) es (?P<thing>.+)", "choices.{topic}", None, 0.9),
        Form(r"(?:me (?:he )?(?:cambi[eé]|cambiado|pas[eé]|pasado)|cambi[eé]|he cambiado|migr[eé]) de (?P<old>.+?) a (?P<new>.+)", "preferences.*", "prefers", 0.9),
        Form(r"(?:me (?:he )?(?:cambi[eé]|cambiado|pas[eé]|pasado))(?P<old>(?!.))? a (?P<new>.+)", "preferences.*", "prefers", 0.88),
        Form(r"uso (?P<tool>[A-Z].*)", "tools.*", None, 0.85),
        Form(r"(?:he dejado|dej[eé]) (?:de |el )?(?P<habit>fumar|beber|tabaco|alcohol)", "routines.*", "quit", 0.9),
        Form(r"(?:yo )?no (?P<habit>fumo)", "routines.*", "no", 0.88),
        Form(r"(?:soy|estoy) (?P<status>.+)", "family.status", None, 0.9),
        Form(r"ya no (?P<habit>fumo|bebo)", "routines.*", "quit", 0.9),
        Form(r"(?P<words>(?:siempre|nunca|yo siempre|yo nunca) (?:como|bebo|tomo|uso|viajo|vuelo|compro|pido|trabajo|duermo|pago|llevo) .+)", "routines.*", "=", 0.88),
        Form(r"(?:vamos con|me quedo con|elijo|tomar[eé]|pido) (?P<choice>.+?)(?: otra vez| de nuevo)?", "preferences.*", "prefers", 0.4, Strength.WEAK, unsure=True),
        Form(r"(?:un poco |mucho )?(?P<manner>.+?),? por favor", "preferences.*", "prefers", 0.45, Strength.WEAK, raw=True, unsure=True),
        Form(r"(?:otra vez )?en (?P<language>\w+),? por favor", "choices.answer-language", None, 0.45, Strength.WEAK, raw=True, unsure=True),
    ),
)  # fmt: skip
