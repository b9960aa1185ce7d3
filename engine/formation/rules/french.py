"""French: *je suis*, *j'aime*, *appelle-moi*, *toujours* and *jamais*, and *ne … plus*; accents may be missing."""

# ruff: noqa: E501 - patterns are data, one a line
from __future__ import annotations

from ..candidates import Action, Strength
from .grammar import Form, Frame, Language
from .words import meanings, same

__all__ = ["LANGUAGE"]

_SUBJECT = r"(?:je|j'|mon|ma|mes|il|elle|on|nous|tu|vous|c'|ce|ils|elles|appelle|appelez|s'il (?:te|vous) pla[iî]t|n'|ne|toujours)"
_ASKING = r"(?:que|qu'|quel(?:le)?s?|comment|o[uù]|quand|qui|pourquoi|combien|peux-tu|pouvez-vous|pourrais-tu|pourriez-vous|tu peux|vous pouvez|est-ce|as-tu|avez-vous|y a-t-il|sais-tu|recommande|propose|conseille)"
_DO = (
    r"(?:r[eé]ponds|utilise|[eé]cris|r[eé]serve|commande|recommande|propose|demande|montre|dis|donne|envoie|rappelle|appelle|parle|r[eé]sume|explique|ach[eè]te|choisis|ajoute|mets|fais|v[eé]rifie|formate|tutoie|vouvoie|"
    r"r[eé]pondez|utilisez|[eé]crivez|r[eé]servez|commandez|recommandez|proposez|demandez|montrez|dites|donnez|envoyez|rappelez|appelez|parlez|r[eé]sumez|expliquez|achetez|choisissez|ajoutez|mettez|faites|v[eé]rifiez|tutoyez|vouvoyez)"
)
_KIN = r"(?P<relation>m[eè]re|maman|p[eè]re|papa|fr[eè]re|s(?:œ|oe)ur|fils|fille|mari|femme|[eé]pouse|[eé]poux|conjoint|conjointe|copain|copine|compagne|compagnon|grand-m[eè]re|grand-p[eè]re|tante|oncle|cousin|cousine|ni[eè]ce|neveu)"
_ANIMAL = (
    r"(?P<animal_>chien|chienne|chat|chatte|lapin|hamster|perroquet|cheval|tortue|serpent|oiseau|poisson|cochon d'inde)"
)
_TASTE = {
    "j'aime": "likes", "j'aime bien": "likes", "j'aime beaucoup": "likes", "j'adore": "loves", "je déteste": "hates", "je deteste": "hates", "je hais": "hates", "je préfère": "prefers", "je prefere": "prefers",
    "j'évite": "avoids", "j'evite": "avoids", "je n'aime pas": "dislikes", "je n'aime plus": "dislikes", "j'aime pas": "dislikes", "j'aime plus": "dislikes", "je ne mange pas": "avoids", "je ne mange plus": "avoids", "je mange pas": "avoids",
    "je ne bois pas": "avoids", "je ne bois plus": "avoids", "je bois pas": "avoids", "je ne supporte pas": "hates", "je ne peux pas manger": "avoids", "j'apprécie": "likes", "je suis fan": "likes", "je n'aime pas trop": "dislikes",
    "je suis un grand fan": "loves", "j'ai arrêté": "avoids", "j'ai arreté": "avoids", "j'aime mieux": "prefers", "je ne mange jamais": "avoids", "je ne bois jamais": "avoids",
}  # fmt: skip
_TASTES = "|".join(sorted(_TASTE, key=len, reverse=True))

LANGUAGE = Language(
    code="fr",
    hint=r"\b(?:je|chui|nous avons|on a d|j'|mon|ma|mes|moi|m'|toujours|jamais|ne|n'|non|appelle|appelez|souviens|souvenez|rappelle|retiens|retenez|note|notez|d[eé]sormais|dor[eé]navant|[aà] partir|plus|s'il|stp|svp|prenons|avant)",
    cuts=(
        rf",?\s+(?:et|mais|car|parce que|puisque|donc|alors)\s+(?:que\s+)?(?={_SUBJECT})|,?\s+et\s+(?=allergique )|,\s*(?=(?:donc |alors |et |maintenant |d[eé]sormais )?(?:{_SUBJECT}|{_ASKING}))|,?\s+(?:parce que?|parce qu'|car|puisque|puisqu'|bien que?)\s*(?=\w)|et qu[e'] ?(?=je|j')|"
        r"\s+[-–—]+\s+|--+|\s+\(|\)"
    ),
    openers=(
        r"^(?:(?:comme(?= je\b| j')|comme (?:je (?:te |vous )?l'ai )?dit|bonjour|salut|bonsoir|coucou|bon|ben|alors|ok|d'accord|oui|non|si|pardon|d[eé]sol[eé]e?|au fait|en fait|en r[eé]alit[eé]|[aà] vrai dire|en g[eé]n[eé]ral|s'il te pla[iî]t|s'il vous pla[iî]t|stp|svp|"
        r"pour info|important|correction|note(?= ?:)|attends|attendez|merci|moi|personnellement|d'ailleurs|actuellement|maintenant|honn[eê]tement|franchement|malheureusement|sache|sachez)(?: que(?= je)| qu(?='))?[,:!. ]+)"
    ),
    closers=(
        r"(?:[\s,.!~]*(?:\b(?:s'il te pla[iî]t|s'il vous pla[iî]t|stp|svp|aussi|merci|maintenant|actuellement|au fait|en fait|beaucoup|vraiment|[aà] partir de maintenant|d[eé]sormais|dor[eé]navant|et toi|et vous|"
        r"donc|d[eé]j[aà]|moi|de profession|de m[eé]tier|en ce moment|du tout|malheureusement)|[^\w\s\"')\]%+#\x00]+))+$"
    ),
    unreal=(
        r"\b(?:si|s'il (?!te|vous)|serais|serait|aurais|voudrais|aimerais|pr[eé]f[eé]rerais|pourrais|peut-?[eê]tre|probablement|sans doute|supposons|je crois|je pense|je croyais|je pensais|il para[iî]t|presque|"
        r"soi-disant|apparemment|hier|un jour|pas s[uû]re?)\b"
    ),
    reported=(
        r"(?<!\bl'ai )(?<!\bcomme )\b(?:dit|dis|disait|disent|demande|demand[eé]|pense|croit|[eé]crit|raconte|racont[eé]|affirme|r[eé]pond|r[eé]pondu|selon|si|comme si|supposons|imagine|r[eê]v[eé]|titre|chanson)\b[^,;]{0,80}[,:]?\s*(?:que?\s*|qu')?$|^(?:si|quand j'[eé]tais|supposons|imagine)\b"
    ),
    asks=_ASKING,
    things=(
        r"\b(?:je|j'|me|moi|mon|ma|mes|tu|te|toi|ton|ta|tes|il|ils|elle|elles|lui|leurs?|son|sa|ses|nous|notre|nos|vous|votre|vos|ce|cet|cette|ces|[cç]a|cela|ceci|ici|l[aà]|qui|que|quoi|quand|o[uù]|comment|pourquoi|si|mais|parce|"
        r"ne|pas|jamais|rien|tout|tous|toute|toutes|quelque chose|quelqu'un|personne|est|sont|[eé]tait|[eê]tre|avoir|a|ai|tr[eè]s|trop|plus|moins|aujourd'hui|demain|hier|maintenant|chose|choses|id[eé]e|fa[cç]on|mani[eè]re|photo|photos|"
        r"y|en|chaque|toujours|seulement|aussi|m[eê]me|autre|faim|soif|^bien$|^beaucoup$|^trop$|peur|besoin|envie|question|temps)\b|\b(?:[cdjlmnstq]u?'(?:est|il|elle|ai|un\b))"
    ),
    articles=r"^(?:[aà] la |[aà] l'|aux |au |[aà] |de la |de l'|des |du |de |d'|le |la |les |l'|une? |un peu de |couramment )",
    joints=r"\s*,?\s+(?:et|ou|ni|&)\s+|\s*[,&/]\s*",
    filler=(
        r"\b(?:toujours|jamais|plus|pas|ne|me|moi|mon|ma|mes|le|la|les|un|une|des|du|de|au|aux|[aà]|en|dans|sur|avec|pour|et|ou|s'il te pla[iî]t|s'il vous pla[iî]t|[aà] partir de maintenant|d[eé]sormais|dor[eé]navant|quand|si|te|vous)\b|\b[nmdlj]'"
    ),
    momentary=(
        r"\b(?:ce|cet|cette|ces|[cç]a|cela|ici|aujourd'hui|demain|maintenant|cette fois|encore|rien|tout|l[aà]|(?:le|la|les|l')\s?(?:fichier|fonction|tests?|classe|code|tableau|ligne|texte|mail|document|liste|image|page|premi\w*|second\w*|derni\w*))\b"
    ),
    chosen=r"^(?:le|la|les|l'|mon|ma|un|une)\s*|\s+(?:option|version|encore|[aà] nouveau)$",
    own=r"\b(?:je|mon|ma|mes|nous|notre|nos|moi)\b|\bj'",
    particular=r"\b(?:je|j'|mon|ma|mes|nous|notre|nos|le|la|les|l')",
    contractions=(
        (r"\b(j|n|m|s|d|l|c|qu) '", r"\1'"),
        (r"\bj (?=ai\b|aime\b|habite\b|adore\b)", "j'"),
        (r"\bchui[st]?\b|\bj'suis\b|\bch'uis\b", "je suis"),
        (r"\bjsuis\b", "je suis"),
    ),
    elliptic=r"allergique ",
    takes_back=r"^(?:pas|ou|et|dit|si|sauf|non|hein)\b|\b(?:dit|disait|si|blague|avant|serais|pas)\b",
    conditions=r"(?:souviens-?toi|rappelle-?toi|n'oublie pas)$|(?:quand|lorsque|si|pour|en|avant|apr[eè]s|d[eè]s que)\b",
    corrects=r"(?:non|pardon|d[eé]sol[eé]e?|attends|correction|faux|erreur|pas exactement|en fait|en r[eé]alit[eé]|plut[oô]t|je voulais dire|je veux dire)\b",
    leaning=(
        r"(?:non|pardon|d[eé]sol[eé]e?|attends|correction|faux|erreur|pas exactement)?[,.!: -]*(?:en fait|en r[eé]alit[eé]|plut[oô]t|pardon)?[,.!: -]*(?:c'est|ce sont|je voulais dire|je veux dire|c'[eé]tait)(?: maintenant| plut[oô]t)? "
        r"(?P<new>[^,]{1,40}?)(?: maintenant|,? (?:et )?pas .{1,30}|, pardon)?"
    ),
    bare=r"(?:non|pardon|en fait|non en fait|plut[oô]t)[,.!:]? (?P<new>[^,.]{1,40}?)",
    lexicon={
        "diet": meanings("végane|végan|vegan|végétalien|végétalienne=vegan; végétarien|végétarienne|végé=vegetarian; pescétarien|pescétarienne|pesco-végétarien|pesco-végétarienne=pescatarian; flexitarien|flexitarienne=flexitarian; sans gluten=gluten-free; casher|kasher=kosher; halal=halal; keto|cétogène=keto"),
        "country": meanings("France|la France=France; Belgique=Belgium; Suisse=Switzerland; Canada=Canada; Luxembourg=Luxembourg; Maroc=Morocco; Algérie=Algeria; Tunisie=Tunisia; Sénégal=Senegal; Côte d'Ivoire=Ivory Coast; Allemagne=Germany; Autriche=Austria; Espagne=Spain; Portugal=Portugal; Italie=Italy; Irlande=Ireland; Angleterre=England; Royaume-Uni=United Kingdom; États-Unis|Etats-Unis=United States; Mexique=Mexico; Brésil=Brazil; Argentine=Argentina; Chine=China; Japon=Japan; Inde=India; Australie=Australia; Pologne=Poland; Suède=Sweden; Norvège=Norway; Danemark=Denmark; Finlande=Finland; Grèce=Greece; Pays-Bas=Netherlands; Russie=Russia; Ukraine=Ukraine; Vietnam=Vietnam"),
        "language": meanings("français=French; anglais=English; allemand=German; espagnol=Spanish; italien=Italian; portugais=Portuguese; néerlandais=Dutch; russe=Russian; ukrainien=Ukrainian; polonais=Polish; arabe=Arabic; hébreu=Hebrew; chinois=Chinese; mandarin=Mandarin; japonais=Japanese; coréen=Korean; turc=Turkish; grec=Greek; suédois=Swedish; danois=Danish; norvégien=Norwegian; roumain=Romanian; hindi=Hindi; vietnamien=Vietnamese; breton=Breton; catalan=Catalan; basque=Basque; latin=Latin; wolof=Wolof; créole=Creole"),
        "nation": meanings("français|française=French; belge=Belgian; suisse=Swiss; canadien|canadienne=Canadian; québécois|québécoise=Canadian; marocain|marocaine=Moroccan; algérien|algérienne=Algerian; tunisien|tunisienne=Tunisian; sénégalais|sénégalaise=Senegalese; allemand|allemande=German; autrichien|autrichienne=Austrian; espagnol|espagnole=Spanish; italien|italienne=Italian; portugais|portugaise=Portuguese; anglais|anglaise=English; britannique=British; irlandais|irlandaise=Irish; américain|américaine=American; polonais|polonaise=Polish; russe=Russian; ukrainien|ukrainienne=Ukrainian; chinois|chinoise=Chinese; japonais|japonaise=Japanese; brésilien|brésilienne=Brazilian"),
        "job": same("infirmier|infirmière|médecin|docteur|professeur|professeure|prof|enseignant|enseignante|instituteur|institutrice|ingénieur|ingénieure|développeur|développeuse|programmeur|programmeuse|informaticien|informaticienne|avocat|avocate|architecte|cuisinier|cuisinière|serveur|serveuse|journaliste|policier|policière|pompier|étudiant|étudiante|retraité|retraitée|graphiste|designer|comptable|consultant|consultante|dentiste|psychologue|vétérinaire|photographe|écrivain|écrivaine|auteur|autrice|traducteur|traductrice|interprète|musicien|musicienne|acteur|actrice|artiste|coiffeur|coiffeuse|électricien|électricienne|plombier|menuisier|mécanicien|mécanicienne|agriculteur|agricultrice|pharmacien|pharmacienne|kinésithérapeute|chercheur|chercheuse|scientifique|biologiste|chimiste|physicien|physicienne|économiste|directeur|directrice|secrétaire|vendeur|vendeuse|chauffeur|pilote|boulanger|boulangère|pâtissier|pâtissière|jardinier|jardinière|éditeur|éditrice|analyste|entrepreneur|entrepreneuse|fonctionnaire|bibliothécaire|juriste|notaire|sage-femme"),
        "kin": meanings("mère|maman=mother; père|papa=father; parents=parents; frère|frères=brother; sœur|soeur|sœurs|soeurs=sister; fils=son; fille|filles=daughter; enfant|enfants=children; mari|époux=husband; femme|épouse=wife; conjoint|conjointe|compagnon|compagne=partner; copain=boyfriend; copine=girlfriend; grand-mère=grandmother; grand-père=grandfather; tante=aunt; oncle=uncle; cousin|cousine|cousins=cousin; nièce|nièces=niece; neveu|neveux=nephew; jumeaux|jumelles=twins; petits-enfants=grandchildren"),
        "animal": meanings("chien|chienne|chiens|chiot=dog; chat|chatte|chats|chaton=cat; lapin|lapins=rabbit; hamster=hamster; cochon d'inde=guinea pig; perroquet=parrot; cheval|chevaux|poney=horse; poisson|poissons|poisson rouge=fish; tortue|tortues=turtle; serpent=snake; oiseau|oiseaux|perruche=bird; poule|poules=chicken"),
        "health": meanings("asthme|asthmatique=asthma; diabète|diabétique=diabetes; épilepsie|épileptique=epilepsy; migraines=migraines; cœliaque|coeliaque=celiac disease; tdah=adhd; autiste=autism; dyslexique=dyslexia; hypertension=high blood pressure; daltonien|daltonienne=color-blind; sourd|sourde=deaf; malentendant|malentendante=hard of hearing; aveugle=blind; enceinte=pregnant"),
        "belief": meanings("chrétien|chrétienne=Christian; catholique=Catholic; protestant|protestante=Protestant; musulman|musulmane=Muslim; juif|juive=Jewish; bouddhiste=Buddhist; hindou|hindoue=Hindu; athée=atheist; agnostique=agnostic"),
        "attribute": meanings('voiture=notes.car; vélo=notes.bike; pointure=notes.shoe-size; taille=health.height; poids=health.weight; groupe sanguin=health.blood-type; signe=notes.star-sign; banque=finances.bank; budget=finances.budget; éditeur=choices.editor; navigateur=choices.browser; université=notes.university; religion=beliefs.religion'),
        "habit": meanings("fumer|fume=smoking; boire|bois=drinking"),
        "status": meanings("marié|mariée=married; célibataire=single; divorcé|divorcée=divorced; veuf|veuve=widowed; fiancé|fiancée=engaged"),
        "region": meanings("Bretagne=Brittany; Normandie=Normandy; Provence=Provence; Alsace=Alsace; Bourgogne=Burgundy; Occitanie=Occitania; Corse=Corsica; Québec=Quebec; Californie=California; Texas=Texas; Wallonie=Wallonia; Flandre=Flanders"),
        "manner": meanings("plus court|plus bref|plus concis|sois bref=short answers; plus de détails|plus détaillé|plus long=detailed answers; plus simple|plus simplement=simple words; sous forme de liste|en liste=lists; sous forme de tableau|en tableau=tables; étape par étape=step by step; plus formel=formal tone; moins formel=informal tone; sans emojis=no emojis; juste le code|seulement le code=code only; avec des exemples=examples"),
        "not-allergen": same("lundis|lundi|travail|gens|idiots|bêtise|connerie|conneries|stress|politique|sport|mensonges"),
        "not-name": same("vite|souvent|quand|merci|bien|bon|demain|plus tard|quand|ce soir|si|fou|folle|bientôt|tout de suite|s'il te plaît"),
        "not-place": same("europe|asie|afrique|merci|jamais|bien|bon|parfait|vrai|faux|paix|peur|maison|bureau|campagne|couple|équipe|banlieue|ville|appartement|colocation|janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre|train|mi-temps|domicile|distance"),
    },
    frames=(
        Frame(r"(?=allergique )", "je suis "),
        Frame(r"(?:nous avons|on a) (?=d[eé]m[eé]nag[eé])", "j'ai "),
        Frame(r"(?:nous habitons|on habite) ", "j'habite "),
        Frame(r"(?P<rest>(?:je suis|j'habite|je travaille|je pr[eé]f[eè]re) .+?), (?:et )?pas (?:[aà] )?\w+(?: \w+)?$", r"\g<rest>"),
        Frame(r"je n'utilise (?:plus|pas) ", "j'utilise ", Action.END),
        Frame(r"je vis avec (?=.* [aà] )", "j'habite avec "),
        Frame(r"moi,? (?=je|j')", ""),
        Frame(r"je (?:ne suis|suis) plus (?:une? )?", "je suis ", Action.END),
        Frame(r"je (?:ne suis|suis) pas (?:une? )?(?!s[uû]r)", "je suis ", Action.END),
        Frame(r"(?:je n'|j')habite (?:plus|pas) ", "j'habite ", Action.END),
        Frame(r"je (?:ne )?vis (?:plus|pas) ", "j'habite ", Action.END),
        Frame(r"je (?:ne )?travaille (?:plus|pas) ", "je travaille ", Action.END),
        Frame(r"je (?:ne )?parle (?:plus|pas) ", "je parle ", Action.END),
        Frame(r"je n'ai (?:plus|pas) (?:de |d')", "j'ai ", Action.END),
        Frame(r"(?:avant,? |auparavant,? |autrefois,? )?j'habitais (?P<rest>.+?)(?: avant)?$", r"j'habite \g<rest>", Action.END),
        Frame(r"(?:avant,? |auparavant,? |autrefois,? )je vivais ", "j'habite ", Action.END),
        Frame(r"(?:avant,? |auparavant,? |autrefois,? )je travaillais ", "je travaille ", Action.END),
        Frame(r"(?:avant,? |auparavant,? |autrefois,? )j'[eé]tais ", "je suis ", Action.END),
        Frame(r"je d[eé]teste plus |je ne d[eé]teste plus ", "je déteste ", Action.END),
        Frame(r"je (suis|travaille|parle|vis) (?:maintenant|actuellement|aussi|tr[eè]s|vraiment|totalement|d[eé]sormais|strictement|[eé]galement|devenue?|depuis .{2,20}? (?=en|[aà]|chez|comme)) ?(?=\w)", r"je \1 "),
        Frame(r"(?:maintenant|d[eé]sormais|actuellement),? (?=je|j')", ""),
        Frame(r"je (?:vis|r[eé]side) (?=[aà]|en|au|dans)", "j'habite "),
        Frame(r"je suis bas[eé]e? (?=[aà]|en|au)", "j'habite "),
        Frame(r"j'habite (?:maintenant|actuellement|d[eé]sormais|depuis .{2,20}?) (?=[aà]|en|au)", "j'habite "),
    ),
    forms=(
        Form(rf"(?:[aà] partir de maintenant|d[eé]sormais|dor[eé]navant|[aà] l'avenir),? (?P<words>(?:{_DO}|ne |n').+)", "rules.*", "=", 0.95, imperative=True, raw=True),
        Form(rf"(?P<words>(?:ne |n')(?:me |m')?{_DO}(?:-\w+)? (?:plus )?jamais\b.+)", "rules.*", "=", 0.95, imperative=True),
        Form(rf"(?P<words>(?:ne |n')(?:me |m')?{_DO} plus\b.+)", "rules.*", "=", 0.9, imperative=True),
        Form(rf"(?P<words>{_DO}(?:-moi)? (?:.+ )?toujours\b.+)", "rules.*", "=", 0.95, imperative=True),
        Form(r"(?P<words>toujours (?:r[eé]pondre|utiliser|[eé]crire|r[eé]server|commander|demander|v[eé]rifier|choisir|envoyer|parler) .+)", "rules.*", "=", 0.95, imperative=True),
        Form(r"(?P<words>ne (?:jamais|plus) (?:r[eé]pondre|utiliser|[eé]crire|r[eé]server|commander|demander|envoyer|parler|appeler) .+)", "rules.*", "=", 0.95, imperative=True),
        Form(rf"(?P<words>(?:ne |n')(?:me |m')?{_DO} pas .+)", "rules.*", "=", 0.8, imperative=True),
        Form(r"(?P<words>(?:ne m')?appelle[z]? pas .+)", "rules.*", "=", 0.8, imperative=True),
        Form(r"(?:souviens-?toi|souvenez-?vous|rappelle-?toi|rappelez-?vous|n'oublie pas|n'oubliez pas|retiens|retenez|notez?|garde[sz]? en t[eê]te|sache|sachez)(?: bien)?(?: que | qu'| ?: ?|, ?)(?P<note>(?:je |j'|mon |ma |mes ).+)", "notes.*", None, 0.95, imperative=True, noted=True),
        Form(r"(?:souviens-?toi|souvenez-?vous|rappelle-?toi|rappelez-?vous|n'oublie pas|n'oubliez pas|retiens|retenez|notez?)(?: bien)?(?: que | qu'| ?: ?)(?P<note>.+)", "notes.*", None, 0.95, noted=True),
        Form(r"(?:peux-tu|pouvez-vous|pourrais-tu|pourriez-vous|tu peux|vous pouvez) m'appeler (?P<called>.+?)(?:,? s'il .+)?", "nickname", None, 0.9, asking=True, imperative=True),
        Form(r"je (?:veux|voudrais|souhaite) que (?:tu|vous) (?P<words>.*\b(?:toujours|jamais)\b.*)", "rules.*", "=", 0.92, imperative=True),
        Form(r"(?:je m'appelle|mon nom est|mon pr[eé]nom est) (?P<name>.+)", "name", None, 0.97),
        Form(r"(?:appelle|appelez)[- ]moi (?:juste |simplement |plut[oô]t )?(?P<called>.+)", "nickname", None, 0.95),
        Form(r"(?:tu peux|vous pouvez) m'appeler (?P<called>.+)", "nickname", None, 0.95),
        Form(r"(?:mes amis|tout le monde) m'appelle(?:nt)? (?P<called>.+)", "nickname", None, 0.95),
        Form(r"(?:mon anniversaire est|je suis n[eé]e?)(?: le)? (?P<date>\d.+)", "birthday", None, 0.95),
        Form(r"j'ai (?P<number>\d+) ans", "age", None, 0.95),
        Form(r"mon (?:e-?mail|adresse e-?mail|courriel|mail) est (?P<address>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)", "email", None, 0.95),
        Form(r"mon (?:num[eé]ro(?: de t[eé]l[eé]phone)?|t[eé]l[eé]phone|portable) est (?:le )?(?P<address>\+?\d[\d ()/-]{5,20})", "phone", None, 0.95),
        Form(r"je suis (?P<nation>.+)", "nationality", None, 0.9),
        Form(r"je parle (?:couramment )?(?P<language>.+?)(?: couramment| bien)?", "languages.*", None, 0.92),
        Form(r"ma langue (?:maternelle|natale) est (?P<language>.+)", "languages.*", None, 0.95),
        Form(r"j'habite (?:avec .+ )?(?:[aà] |en |au |aux )?(?P<place>.+?)(?: avec .+| depuis .+)?", "home.city", None, 0.93),
        Form(r"(?:j'ai|je viens de?) d[eé]m[eé]nag(?:[eé]|er) (?:(?:de|d') ?.+? )?(?:[aà]|en|au|aux) (?P<place>.+?)(?: avec .+| depuis .+| l'ann[eé]e .+| il y a .+| en .+)?", "home.city", None, 0.92),
        Form(r"j'habite (?:[aà] |en |au )(?P<place>.+?) et (?:je )?travaille (?:chez|pour) (?P<org>.+)", "home.city work.employer", None, 0.9),
        Form(r"je travaille (?:chez|pour|[aà] la|[aà] l'|au) ?(?P<org>.+?) (?:comme|en tant que?) (?P<role>.+)", "work.employer work.role", None, 0.93),
        Form(r"je travaille (?:comme|en tant que?) (?P<role>.+?) (?:chez|pour) (?P<org>.+)", "work.role work.employer", None, 0.93),
        Form(r"je travaille dans (?P<org>une? .+?)(?: comme (?P<role>.+))?", "work.employer work.role", None, 0.9),
        Form(r"j'utilise (?P<tool>[A-Z].*)", "tools.*", None, 0.85),
        Form(r"je travaille (?:chez|pour) (?P<org>.+?)(?: depuis .+)?", "work.employer", None, 0.92),
        Form(r"je travaille (?:comme|en tant que?|en tant qu') ?(?P<role>.+?)(?: (?:[aà]|dans|en|au) .+)?(?: depuis .+)?", "work.role", None, 0.93),
        Form(r"je suis (?P<job>.+?) (?:chez|[aà] l'|[aà] la|au) ?(?P<org>.+)", "work.role work.employer", None, 0.9),
        Form(r"je suis (?P<job>.+?)(?: (?:[aà]|dans|en|au) .+)?", "work.role", None, 0.9),
        Form(r"j'ai (?:quitt[eé]|perdu) mon (?:travail|emploi|job|poste|boulot)|j'ai d[eé]missionn[eé]", "work.employer", None, 0.9, action=Action.END),
        Form(r"je suis (?:[aà] la |en )retraite", "work.role", "retired", 0.9),
        Form(r"(?:je suis|je mange|je suis devenue?) (?P<diet>.+)", "diet", None, 0.94),
        Form(r"je suis allergique (?P<allergens>(?:[aà]|au).+)", "allergies.*", None, 0.97),
        Form(r"j'ai une (?:grave )?allergie (?P<allergens>(?:[aà]|au).+)", "allergies.*", None, 0.96),
        Form(r"je suis intol[eé]rante? (?P<allergens>(?:[aà]|au).+)", "allergies.*", None, 0.95),
        Form(r"(?:je suis|j'ai|j'ai de l'|j'ai des|j'ai du|je souffre de|je souffre d') ?(?P<health>.+)", "health.*", None, 0.92),
        Form(r"je suis (?P<belief>.+)", "beliefs.*", None, 0.9),
        Form(rf"(?:mon|ma) (?:\w+ )?{_KIN} s'appelle (?P<name>.+)", "family.{relation}.name", None, 0.93),
        Form(rf"j'ai une? {_KIN} qui s'appelle (?P<name>.+)", "family.{relation}.name", None, 0.93),
        Form(r"j'ai (?P<kin>.+)", "family.*", None, 0.9),
        Form(rf"(?:mon|ma) {_ANIMAL} s'appelle (?P<name>.+)", "pets.*", "{animal_}", 0.93),
        Form(rf"j'ai une? {_ANIMAL} (?:qui s'appelle|nomm[eé]e?) (?P<name>.+)", "pets.*", "{animal_}", 0.93),
        Form(r"j'ai (?P<animal>.+)", "pets.*", None, 0.88),
        Form(r"j'ai (?:arr[eê]t[eé]|cess[eé]) de (?P<habit>fumer|boire)", "routines.*", "quit", 0.9),
        Form(r"(?:mon|ma) (?P<attribute>\w+(?: \w+)?) est (?P<named>.+)", "{attribute}", None, 0.88),
        Form(r"je pr[eé]f[eè]re (?P<things>.+?)(?: (?:[aà] |au |aux |plut[oô]t que ).+)?", "preferences.*", "prefers", 0.92),
        Form(rf"(?P<verb>{_TASTES}) (?P<things>.+)", "preferences.*", _TASTE, 0.9),
        Form(r"(?:mon|ma) (?P<topic>\w+) pr[eé]f[eé]r[eé]e? est (?P<thing>.+)", "choices.{topic}", None, 0.9),
        Form(r"(?:je suis pass[eé]e?|j'ai migr[eé]|je suis chang[eé]e?) de (?P<old>.+?) [aà] (?P<new>.+)", "preferences.*", "prefers", 0.9),
        Form(r"je (?:ne )?(?P<habit>fume) pas", "routines.*", "no", 0.88),
        Form(r"je suis (?P<status>.+)", "family.status", None, 0.9),
        Form(r"je (?:ne )?(?P<habit>fume|bois) plus", "routines.*", "quit", 0.9),
        Form(r"(?P<words>je (?:ne )?(?:mange|bois|prends|utilise|voyage|commande|travaille|dors|paie|porte) (?:.+ )?(?:toujours|jamais)\b.+)", "routines.*", "=", 0.88),
        Form(r"(?:prenons|on prend|je prends|je vais prendre|allons-y pour) (?P<choice>.+?)(?: encore| [aà] nouveau)?", "preferences.*", "prefers", 0.4, Strength.WEAK, unsure=True),
        Form(r"(?:un peu |beaucoup )?(?P<manner>.+?),? (?:s'il (?:te|vous) pla[iî]t|stp|svp)", "preferences.*", "prefers", 0.45, Strength.WEAK, raw=True, unsure=True),
        Form(r"(?:encore )?en (?P<language>\w+),? (?:s'il (?:te|vous) pla[iî]t|stp|svp)", "choices.answer-language", None, 0.45, Strength.WEAK, raw=True, unsure=True),
    ),
)  # fmt: skip
