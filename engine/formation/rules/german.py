"""German: *ich bin*, *ich mag*, *nenn mich*, *immer* and *nie*, and *nicht mehr*; verbs at the end behind *dass*."""

# ruff: noqa: E501 - patterns are data, one a line
from __future__ import annotations

from ..candidates import Action, Strength
from .german_words import LEXICON
from .grammar import Form, Frame, Language

__all__ = ["LANGUAGE"]

_VERBS = (
    r"(?:bin|hei(?:ß|ss)e|wohne|lebe|arbeite|spreche|mag|liebe|hasse|esse|trinke|habe|hab|bevorzuge|vertrage|benutze|nutze|"
    r"verabscheue|meide|rauche|komme|war)"
)
_SUBJECT = rf"(?:ich|mein|meine|meiner|er|sie|wir|du|ihr|es|man|das|nenn(?:e|t)?|bitte|merk(?:e)?|{_VERBS}(?= ))\b"
_ASKING = (
    r"(?:was|wie|wo|wer|wen|wem|wann|warum|wieso|weshalb|welche[rsnm]?|woher|wohin|kannst|kann|können|koennen|könntest|könnt|gibt|hast|haben|"
    r"ist|sind|soll|sollte|darf|magst|würdest|wirst|weißt|weisst|gehts|hättest|empfiehlst|also was|also wie)\b"
)
_DO = (
    r"(?:antworte|nutz|nutze|benutz|benutze|verwend|verwende|schreib|schreibe|buch|buche|bestell|bestelle|empfiehl|schlag|schlage|"
    r"frag|frage|zeig|zeige|nimm|gib|sag|sage|sprich|ruf|rufe|schick|schicke|sende|erinner|erinnere|koch|koche|plan|plane|achte|setz|setze|kauf|"
    r"kaufe|erklär|erkläre|formatier|formatiere|nenn|nenne|wähl|wähle|reservier|reserviere|fass|fasse|speicher|speichere|füg|füge|teil|teile|"
    r"duz|duze|siez|sieze|weck|wecke|prüf|prüfe|teste|lösch|lösche|lass|rede|runde|erwähn|erwähne|leg|lege|mach|mache|stell|stelle|"
    r"(?:antworten|nutzen|benutzen|verwenden|schreiben|buchen|bestellen|empfehlen|schlagen|fragen|zeigen|nehmen|geben|sagen|sprechen|rufen|"
    r"schicken|senden|erinnern|planen|achten|kaufen|erklären|nennen|wählen|reservieren|speichern|duzen|siezen) sie)"
)
_INFINITIVE = (
    r"(?:antworten|benutzen|nutzen|verwenden|schreiben|buchen|bestellen|empfehlen|vorschlagen|fragen|zeigen|nehmen|geben|sagen|sprechen|anrufen|"
    r"schicken|senden|erinnern|kochen|planen|machen|kaufen|erklären|formatieren|nennen|wählen|reservieren|duzen|siezen|löschen|committen|testen|"
    r"prüfen|speichern|wecken|runden|einplanen|hinzufügen|anhängen|einbauen|rechnen|angeben|verschicken)"
)
_NEVER = r"(?:nie wieder|nie mehr|niemals|nie|immer|stets|grundsätzlich|auf keinen fall)"
_KIN = (
    r"(?P<relation>mutter|mama|vater|papa|bruder|schwester|sohn|tochter|mann|ehemann|frau|ehefrau|partner|partnerin|freund|freundin|oma|"
    r"großmutter|opa|großvater|tante|onkel|cousin|cousine|nichte|neffe|enkel|enkelin)"
)
_ANIMAL = r"(?P<animal_>hund|hündin|katze|kater|hase|kaninchen|hamster|meerschweinchen|papagei|pferd|pony|schildkröte|schlange|vogel|wellensittich)"
_TASTE = {
    "liebe": "loves", "mag": "likes", "mag gern": "likes", "mag gerne": "likes", "mag sehr": "likes", "hasse": "hates", "verabscheue": "hates", "bevorzuge": "prefers",
    "esse gern": "likes", "esse gerne": "likes", "trinke gern": "likes", "trinke gerne": "likes", "meide": "avoids", "vermeide": "avoids", "esse sehr gern": "likes", "esse sehr gerne": "likes",
    "mag kein": "dislikes", "mag keine": "dislikes", "mag keinen": "dislikes", "mag nicht": "dislikes", "esse kein": "avoids", "esse keine": "avoids", "esse keinen": "avoids",
    "trinke kein": "avoids", "trinke keine": "avoids", "trinke keinen": "avoids", "stehe auf": "likes", "steh auf": "likes", "stehe nicht auf": "dislikes", "steh nicht auf": "dislikes",
    "esse am liebsten": "prefers", "trinke am liebsten": "prefers", "esse lieber": "prefers", "trinke lieber": "prefers", "bin ein fan von": "likes", "bin ein großer fan von": "loves",
    "verzichte auf": "avoids", "mag am liebsten": "prefers", "esse ungern": "dislikes", "trinke ungern": "dislikes", "nehme lieber": "prefers", "nehme am liebsten": "prefers",
    "vertrage kein": "avoids", "vertrage keine": "avoids", "vertrage keinen": "avoids",
}  # fmt: skip
_TASTES = "|".join(sorted(_TASTE, key=len, reverse=True))
_KEIN = {"esse": "avoids", "trinke": "avoids", "mag": "dislikes", "vertrage": "avoids"}

LANGUAGE = Language(
    code="de",
    hint=r"\b(?:ich|wir|duze?|sieze?|mein|meine|mich|mir|nie|niemals|immer|bitte|nenn\w*|nein|merk\w*|kein\w*|nicht|ab jetzt|ab sofort|in zukunft|von nun an|doch|denk\w*|nehmen)\b",
    cuts=(
        rf",?\s+(?:und|aber|doch|denn|sondern|weil|da|obwohl|sodass|so dass|deshalb)\s+(?:dass\s+)?(?={_SUBJECT})|,?\s+und\s+(?=(?:auf|gegen) .{{2,40}} allergisch|allergisch (?:gegen|auf))|,\s*(?=(?:also |jetzt |inzwischen |mittlerweile )?(?:{_SUBJECT}|{_ASKING}))|"
        r",?\s+(?:weil|obwohl|sodass)\s+|,\s+(?:aber|denn|der|die|was|wo|womit|deshalb)\s+(?!\w+ (?:heißt|heisst)\b)|\s+[-–—]+\s+|--+|\s+\(|\)"
    ),
    openers=(
        r"^(?:(?:da(?= ich\b)|weil(?= ich\b)|hallo|hi|hey|moin|servus|guten (?:tag|morgen|abend)|also|ok|okay|ja|nein|nee|nö|doch|ach|ach so|naja|na ja|übrigens|uebrigens|bitte|ehrlich gesagt|"
        r"eigentlich|grundsätzlich|generell|zur info|nur zur info|nur damit du es weißt|wichtig|korrektur|hinweis|moment|sorry|entschuldigung|tut mir leid|stimmt nicht|"
        r"falsch|quatsch|danke|vielen dank|fyi|btw|apropos|außerdem|leider|wie gesagt|tatsächlich|persönlich|notiz|zur erinnerung|"
        r"du sollst(?= (?:immer|nie|niemals)))(?: dass(?= (?:ich|mein)\b))?[,:!. ]+" rf"(?!{_VERBS} ich\b))"
    ),
    closers=(
        r"(?:[\s,.!~]*(?:\b(?:bitte|übrigens|uebrigens|auch|danke|vielen dank|jetzt|mittlerweile|inzwischen|aktuell|zurzeit|zur zeit|momentan|derzeit|sehr|total|wirklich|halt|eben|"
        r"ja|doch|nämlich|ab jetzt|ab sofort|in zukunft|künftig|von beruf|ehrlich gesagt|leider|selbst|und du|und sie|eigentlich|btw|fyi|schon|über alles|überhaupt)|"
        r"[^\w\s\"')\]%+#\x00]+))+$"
    ),
    unreal=(
        r"\b(?:wenn|falls|wäre|waere|würde|wuerde|hätte|haette|könnte|koennte|angenommen|vielleicht|eventuell|möglicherweise|wahrscheinlich|vermutlich|anscheinend|angeblich|"
        r"fast|beinahe|glaube|denke|dachte|scheinbar|ob|wünschte|wollte|möchte|sozusagen|quasi|irgendwann|gestern|mal sehen|nicht sicher)\b"
    ),
    reported=(
        r"(?<!\bwie )(?<!\bich )\b(?:sag(?:t|te|ten|en|st|test)|gesagt|mein(?:t|te|ten)|behaupte(?:t|te)|erzähl(?:t|te|en)|frag(?:t|te)|glaub(?:t|te|st)|denk(?:t|st)|dachte|schreibt|schrieb|geschrieben|hör(?:t|te)|"
        r"zitat|titel|lied|heißt es|wenn|falls|angenommen|ob|als ob|wünsch(?:te|e)|träum(?:te|e)|witzelt\w*)\b[^,;]{0,80}[,:]?\s*(?:dass\s*)?$|^(?:ich (?:glaube|denke|vermute|fürchte|hoffe)\b|wenn|falls|angenommen|als ich|sobald|bevor)\b"
    ),
    asks=_ASKING,
    things=(
        r"\b(?:ich|mich|mir|mein\w*|du|dich|dir|dein\w*|er|ihn|ihm|sein\w*|sie|ihr\w*|es|wir|uns|unser\w*|euch|euer|das|dies\w*|jen\w*|der|die|den|dem|des|hier|dort|da|wer|was|wann|wo|warum|wie|"
        r"welche\w*|wenn|weil|aber|als|dass|daß|nicht|nie|niemals|etwas|alles|nichts|jemand\w*|niemand\w*|alle|man|ist|sind|war|waren|sein|haben|hat|hatte|wird|werden|kann|soll|muss|würde|nur|"
        r"wirklich|auch|sogar|zu|zum|zur|so|mehr|sehr|heute|morgen|gestern|jetzt|ding|dinge|sachen|sache|gefühl|idee|art|weise|viel|viele|ja|nein|immer|kein\w*|solche\w*|sich|darüber|damit|"
        r"davon|dafür|daran|darauf|beides|schon|noch|mal|lust|angst|zeit|ahnung|problem|probleme|hunger|durst|frage|fragen)\b"
    ),
    articles=r"^(?:ein bisschen|ein wenig|etwas|fließend|fliessend|gut|gutes|eine[rnms]?|ein|alle arten von|gern|gerne|frische[nrs]?)\s+",
    joints=r"\s*,?\s+(?:und|oder|sowie|&)\s+|\s*[,&/]\s*",
    filler=(
        r"\b(?:immer|nie|niemals|wieder|mehr|stets|grundsätzlich|auf keinen fall|bitte|mir|mich|uns|ich|ein|eine|einen|einem|einer|kein|keine|keinen|nicht|der|die|das|den|dem|zu|zum|zur|für|in|im|"
        r"auf|an|am|bei|mit|von|und|oder|ab jetzt|ab sofort|in zukunft|künftig|wenn|du|sie|ist|es|irgend\w*)\b"
    ),
    momentary=(
        r"\b(?:dies\w*|hier|heute|gerade|morgen|diesmal|dieses mal|es|ihn|ihm|ihr|so|noch|jetzt|erstmal|vorerst|da|dort|davon|daran|damit|darauf|darüber|dazu|nichts|alles|"
        r"(?:die|der|das|den|dem) (?:datei|funktion|tests?|klasse|tabelle|zeile|mail|e-mail|code|text|branch|methode|liste|bild|bericht|entwurf|seite|dokument|erste\w*|zweite\w*|letzte\w*))\b"
    ),
    chosen=r"^(?:das|die|den|der|dem|mein\w*|ein\w*)\s+|\s+(?:variante|version|option|wieder)$",
    own=r"\b(?:ich|mein\w*|wir|uns\w*|mir|mich)\b",
    particular=r"\b(?:ich|mein\w*|wir|uns|unser\w*|mir|der|die|das|den|dem)\b",
    contractions=((r"\bich (hab|wohn|ess|leb|arbeit|trink|find|nehm|sprech|lieb|hass|benutz|nutz)\b", r"ich \1e"), (r"\bich heisse\b", "ich heiße"), (r"\bich bins\b", "ich bin")),
    elliptic=r"gegen .{2,40} allergisch|allergisch (?:gegen|auf)",
    takes_back=r"^(?:nicht|oder|und|sagt|wenn|falls|außer|gell|oder nicht)\b|\b(?:sagt|sagte|meint|wenn|witz|scherz|spaß|früher|nicht|wäre|würde)\b",
    conditions=r"(?:bitte )?(?:merk(?:e)? dir(?: bitte)?|denk(?:e)? (?:dran|daran)|vergiss nicht)$|(?:wenn|falls|bei|beim|für|in|im|vor|nach|sobald|bevor)\b",
    corrects=r"(?:nein|nee|nö|ne|moment|quatsch|falsch|sorry|(?:das )?stimmt nicht|das ist falsch|korrektur|nicht ganz|doch|eigentlich|entschuldigung|ich mein(?:t)?e|sondern|richtig ist)\b",
    leaning=(
        r"(?:nein|nee|nö|moment|quatsch|falsch|sorry|stimmt nicht|das stimmt nicht|das ist falsch|korrektur|nicht ganz|doch|ne)?[,.!: -]*(?:eigentlich|entschuldigung|sorry)?[,.!: -]*"
        r"(?:es ist|das ist|ist es|ist das|ich meinte|ich meine|es sind|richtig ist|sondern)(?: eigentlich| jetzt| inzwischen)? (?P<new>[^,]{1,40}?)(?: jetzt|, sorry|,? nicht .{1,30})?"
    ),
    bare=r"(?:nein|nee|nö|falsch|sorry|eigentlich|nein eigentlich|moment)[,.!:]? (?P<new>[^,.]{1,40}?)",
    lexicon=LEXICON,
    joins_words=True,
    frames=(
        Frame(r"(?=gegen .{2,40} allergisch|allergisch (?:gegen|auf))", "ich bin "),
        Frame(r"(?P<rest>ich (?:trinke|esse) .+?), (?:nur noch|sondern) .+$", r"\g<rest>"),
        Frame(r"wir sind (?=.*nach )", "ich bin "),
        Frame(r"wir (?:wohnen|leben) (?=in)", "ich wohne "),
        Frame(r"wir haben (?=.*(?:hund|katze|kater|kind))", "ich habe "),
        Frame(r"(?P<rest>ich \w+ .+?), nicht \w+(?: \w+)?$", r"\g<rest>"),
        Frame(r"(?P<whose>meine? \w+) (?P<rest>.+) (?P<verb>hei(?:ß|ss)t|ist)$", r"\g<whose> \g<verb> \g<rest>"),
        Frame(rf"ich (?!{_VERBS}\b)(?P<rest>.+) (?P<verb>{_VERBS})$", r"ich \g<verb> \g<rest>"),
        Frame(rf"(?:übrigens|uebrigens|außerdem|ausserdem|jetzt|inzwischen|mittlerweile|eigentlich|seit kurzem|seitdem|zurzeit|aktuell|derzeit|am liebsten|allerdings|leider|seit \d+(?: jahren)?) ({_VERBS}) ich ", r"ich \1 "),
        Frame(r"(?:früher|frueher) (?:habe|hab) ich (?P<rest>.+) (?:gewohnt|gelebt)$", r"ich wohne \g<rest>", Action.END),
        Frame(r"ich habe (?:früher|frueher) (?P<rest>.+) (?:gewohnt|gelebt)$", r"ich wohne \g<rest>", Action.END),
        Frame(r"(?:früher|frueher) (?:habe|hab) ich (?P<rest>.+) gearbeitet$", r"ich arbeite \g<rest>", Action.END),
        Frame(r"ich habe (?:früher|frueher) (?P<rest>.+) gearbeitet$", r"ich arbeite \g<rest>", Action.END),
        Frame(r"(?:früher|frueher) war ich ", "ich bin ", Action.END),
        Frame(r"ich war (?:früher|frueher) ", "ich bin ", Action.END),
        Frame(r"ich bin nicht mehr ", "ich bin ", Action.END),
        Frame(r"ich bin (?P<rest>.+) nicht mehr(?P<what> \w+)?$", r"ich bin \g<rest>\g<what>", Action.END),
        Frame(r"ich bin keine?n? (?P<rest>.+?)(?: mehr)?$", r"ich bin \g<rest>", Action.END),
        Frame(r"ich bin nicht ", "ich bin ", Action.END),
        Frame(r"ich (wohne|lebe|arbeite|spreche|benutze|nutze|hasse) (?:nicht mehr|nicht) ", r"ich \1 ", Action.END),
        Frame(r"ich spreche kein (?P<rest>.+?)(?: mehr)?$", r"ich spreche \g<rest>", Action.END),
        Frame(r"ich (hasse|liebe) (?P<rest>.+) nicht mehr$", r"ich \1 \g<rest>", Action.END),
        Frame(r"ich habe keine?n? (?P<rest>.+?)(?: mehr)?$", r"ich habe \g<rest>", Action.END),
        Frame(rf"ich ({_VERBS}) (?:jetzt|inzwischen|mittlerweile|aktuell|derzeit|zurzeit|immer noch|noch|auch|übrigens|ja|eigentlich|wirklich|total|echt|sehr|seit .{{2,25}}? (?=in|bei|als|vegan|vegetar|veganer)|nämlich|halt|leider|stark|schwer|hauptsächlich|meistens|am allerliebsten|strikt|überzeugter?|doch|besonders|absolut) (?=\w)", r"ich \1 "),
        Frame(rf"(?=(?:{_VERBS}) )(?!bin )", "ich "),
    ),
    forms=(
        Form(rf"(?:ab jetzt|ab sofort|von jetzt an|von nun an|in zukunft|künftig|zukünftig),? (?P<words>(?:bitte )?(?:{_DO}|nur|immer|nie|niemals|kein\w*)\b.+)", "rules.*", "=", 0.95, imperative=True, raw=True),
        Form(rf"(?P<words>(?!sag niemals nie|sag nie nie){_DO}\b(?: .+)? {_NEVER}\b.*)", "rules.*", "=", 0.95, imperative=True),
        Form(r"(?P<words>(?:duze?|sieze?) mich|(?:duzen|siezen) sie mich)", "rules.*", "=", 0.9, imperative=True),
        Form(rf"(?P<words>(?:bei|beim|in|im|für) \w+(?: \w+)? {_NEVER} .+ {_INFINITIVE})", "rules.*", "=", 0.95, imperative=True),
        Form(rf"(?P<words>{_DO} (?:in zukunft|ab jetzt|ab sofort|künftig) .+)", "rules.*", "=", 0.95, imperative=True),
        Form(rf"(?P<words>{_NEVER} .+ {_INFINITIVE})", "rules.*", "=", 0.95, imperative=True),
        Form(rf"(?P<words>(?:wenn|falls|bei|beim|für|in|im|vor|nach)\b[^,]+, (?:bitte )?(?:{_DO}\b.* {_NEVER}\b.*|{_NEVER} .+ {_INFINITIVE}))", "rules.*", "=", 0.95, imperative=True),
        Form(rf"(?P<words>(?!mach dir|mache dir|sag nichts){_DO} (?:mir |mich |uns |bitte )*(?:keine?n?|nicht) .+)", "rules.*", "=", 0.8, imperative=True),
        Form(r"(?:bitte )?(?:merk(?:e|en)? (?:dir|sie sich)|denk(?:e|en sie)? dran|denk(?:e|en sie)? daran|vergiss nicht|vergessen sie nicht|notier(?:e|en sie)?(?: dir)?|behalte im kopf)(?: bitte)?[,:]? (?P<note>(?:dass |daß )?(?:ich|mein\w*)\b.+)", "notes.*", None, 0.95, imperative=True, noted=True),
        Form(r"(?:bitte )?(?:merk(?:e|en)? (?:dir|sie sich)|denk(?:e|en sie)? dran|denk(?:e|en sie)? daran|vergiss nicht|vergessen sie nicht|notier(?:e|en sie)?(?: dir)?)(?: bitte)?(?:, (?:dass|daß)|:) (?P<note>.+)", "notes.*", None, 0.95, noted=True),
        Form(r"ich (?P<verb>liebe|mag|hasse) (?:es|sie|ihn)", "{same}", _TASTE, 0.85),
        Form(r"(?:kannst|könntest|koenntest|würdest|können sie|könnten sie) (?:du )?mich (?:bitte |einfach |ab jetzt )*(?P<called>.+) nennen", "nickname", None, 0.9, asking=True, imperative=True),
        Form(r"ich (?:möchte|moechte|will|hätte gern|wünsche mir),? dass (?:du|sie) (?P<words>(?:.+ )?(?:immer|nie|niemals|nie wieder) .+)", "rules.*", "=", 0.92, imperative=True),
        Form(rf"(?P<words>keine?n? .+ {_INFINITIVE})", "rules.*", "=", 0.85, imperative=True),
        Form(r"ich heiße nicht .+?, sondern (?P<name>.+)", "name", None, 0.95),
        Form(r"(?:mein (?:voller |richtiger )?name ist|ich heiße) (?P<name>.+)", "name", None, 0.97),
        Form(r"(?:bitte )?(?:nenn|nenne|nennt|nennen sie) mich (?:bitte |einfach |ruhig |lieber )*(?P<called>.+)", "nickname", None, 0.95),
        Form(r"(?:du kannst|sie können|ihr könnt) mich (?:gern |gerne |ruhig |einfach )*(?P<called>.+) nennen", "nickname", None, 0.95),
        Form(r"(?:alle|meine freunde) nennen mich (?P<called>.+)", "nickname", None, 0.93),
        Form(r"mein spitzname ist (?P<called>.+)", "nickname", None, 0.95),
        Form(r"(?:mein geburtstag ist (?:am |der )?(?P<date>\d.+)|ich (?:bin|wurde) am (?P<date2>\d.+) geboren)", "birthday", None, 0.93),
        Form(r"ich habe am (?P<date>\d.+) geburtstag", "birthday", None, 0.95),
        Form(r"ich bin (?P<number>\d+) jahre(?: alt)?", "age", None, 0.95),
        Form(r"ich bin (?P<number>[1-9]\d)", "age", None, 0.85),
        Form(r"meine e-?mail(?:-?adresse)? (?:ist|lautet) (?P<address>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)", "email", None, 0.95),
        Form(r"meine (?:telefonnummer|handynummer|nummer) (?:ist|lautet) (?P<address>\+?\d[\d ()/-]{5,20})", "phone", None, 0.95),
        Form(r"ich bin (?P<nation>.+)", "nationality", None, 0.9),
        Form(r"ich spreche (?P<language>.+?)(?: fließend| als muttersprache| und ein (?:bisschen|wenig))?", "languages.*", None, 0.92),
        Form(r"meine muttersprache ist (?P<language>.+)", "languages.*", None, 0.95),
        Form(r"ich (?:wohne|lebe)(?: (?:zusammen )?mit .+?)?(?: seit .{2,25}?)? in (?P<place>.+?)(?: seit .+| mit .+| zusammen mit .+)?", "home.city", None, 0.93),
        Form(r"ich bin (?:vor .{2,25} |letztes jahr |letzten monat |gerade |jetzt |neulich |kürzlich )?(?:(?:von|aus) .+? )?nach (?P<place>.+?) (?:gezogen|umgezogen)", "home.city", None, 0.92),
        Form(r"ich wohne in (?P<place>.+?) und arbeite (?:bei|für) (?P<org>.+)", "home.city work.employer", None, 0.9),
        Form(r"ich arbeite(?: seit .{2,25}?)? (?:bei|für) (?:der |dem |den |die |das )?(?P<org>.+?) als (?P<role>.+)", "work.employer work.role", None, 0.93),
        Form(r"ich arbeite(?: seit .{2,25}?)? als (?P<role>.+?) (?:bei|für) (?:der |dem |den |die |das )?(?P<org>.+)", "work.role work.employer", None, 0.93),
        Form(r"ich arbeite(?: seit .{2,25}?)? (?:bei|für) (?:der |dem |den |die |das )?(?P<org>.+?)(?: seit .+)?", "work.employer", None, 0.92),
        Form(r"ich arbeite(?: seit .{2,25}?)? als (?P<role>.+?)(?: (?:an|in|im) .+)?(?: seit .+)?", "work.role", None, 0.93),
        Form(r"ich arbeite (?:im|in einem|in einer|in der|am|an einer|an der) (?P<org>.+?) als (?P<role>.+)", "work.employer work.role", None, 0.9),
        Form(r"ich (?:benutze|nutze|verwende) (?P<tool>[A-Z].*)", "tools.*", None, 0.85),
        Form(r"mein beruf ist (?P<job>.+)", "work.role", None, 0.93),
        Form(r"ich bin (?P<job>.+?) (?:bei|an) (?:der |dem )?(?P<org>.+)", "work.role work.employer", None, 0.9),
        Form(r"(?:ich bin|von beruf bin ich) (?P<job>.+?)(?: (?:an|in|im|am) .+)?", "work.role", None, 0.9),
        Form(r"ich habe (?:meinen job |meine stelle )?gekündigt", "work.employer", None, 0.9, action=Action.END),
        Form(r"ich habe bei (?P<former>.+) (?:gekündigt|aufgehört)", "work.employer", None, 0.9, action=Action.END),
        Form(r"ich bin (?:jetzt )?(?:in rente|im ruhestand|pensioniert)", "work.role", "retired", 0.9),
        Form(r"ich (?:bin|esse|lebe|ernähre mich|ernaehre mich|bin .{2,20} geworden) (?:rein |strikt |nur )?(?P<diet>.+?)", "diet", None, 0.94),
        Form(r"ich bin (?:jetzt )?(?P<diet>.+?) geworden", "diet", None, 0.93),
        Form(r"ich bin allergisch (?:gegen|auf) (?P<allergens>.+)", "allergies.*", None, 0.97),
        Form(r"ich bin (?:gegen|auf) (?P<allergens>.+) allergisch", "allergies.*", None, 0.97),
        Form(r"ich habe (?:eine )?(?:starke |schwere )?allergien? gegen (?P<allergens>.+)", "allergies.*", None, 0.96),
        Form(r"ich habe (?:eine )?(?:starke |schwere )?(?P<allergens>\w{3,30}?)-?(?:allergie|unverträglichkeit|intoleranz)", "allergies.*", None, 0.95),
        Form(r"ich bin (?P<allergens>\w{3,20}?)-?(?:intolerant|allergiker|allergikerin)", "allergies.*", None, 0.95),
        Form(r"ich vertrage (?:keine?n?) (?P<allergens>.+)", "allergies.*", None, 0.9),
        Form(r"ich vertrage (?P<allergens>.+) nicht", "allergies.*", None, 0.9),
        Form(r"ich bin (?:eine? )?(?P<health>.+)", "health.*", None, 0.92),
        Form(r"ich (?:habe|leide an|leide unter) (?P<health>.+)", "health.*", None, 0.92),
        Form(r"ich bin (?:eine? )?(?P<belief>.+)", "beliefs.*", None, 0.9),
        Form(rf"meine? (?:\w+ )?{_KIN} (?:heißt|heisst) (?P<name>.+)", "family.{relation}.name", None, 0.93),
        Form(rf"ich habe eine?n? (?:\w+ )?{_KIN}(?: namens |, (?:der|die|das) )(?P<name>.+?)(?: hei(?:ß|ss)t)?", "family.{relation}.name", None, 0.92),
        Form(r"ich habe (?P<kin>.+)", "family.*", None, 0.9),
        Form(rf"meine? {_ANIMAL} (?:heißt|heisst) (?P<name>.+)", "pets.*", "{animal_}", 0.93),
        Form(rf"ich habe eine?n? (?:\w+ )?{_ANIMAL}(?: namens |, (?:der|die|das) )(?P<name>.+?)(?: hei(?:ß|ss)t)?", "pets.*", "{animal_}", 0.93),
        Form(r"ich habe (?!fisch$|huhn$|fische$)(?P<animal>.+)", "pets.*", None, 0.88),
        Form(r"meine? (?P<attribute>\w+) (?:ist|sind|heißt) (?:der |die |das )?(?P<named>.+)", "{attribute}", None, 0.88),
        Form(r"ich (?P<verb>mag|esse|trinke) keine?n? (?P<things>.+?)(?: mehr)?", "preferences.*", _KEIN, 0.9),
        Form(r"ich (?P<verb>mag) (?P<things>.+?) (?:gar |überhaupt )?(?:nicht|nicht mehr|nicht so gern|nicht so gerne)", "preferences.*", {"mag": "dislikes"}, 0.9),
        Form(r"ich (?:esse|trinke) (?:nie|niemals|nie wieder|grundsätzlich kein\w*) (?P<things>.+)", "preferences.*", "avoids", 0.9),
        Form(r"ich (?:mag|finde) (?P<things>.+?) lieber(?: als .+)?", "preferences.*", "prefers", 0.9),
        Form(r"mir ist (?P<things>.+?) lieber(?: als .+)?", "preferences.*", "prefers", 0.9),
        Form(r"ich (?:mag|esse|trinke|nehme) lieber (?P<things>.+?)(?: als .+)?", "preferences.*", "prefers", 0.9),
        Form(r"ich (?:esse|trinke) (?P<things>.+?) (?:sehr )?gerne?", "preferences.*", "likes", 0.88),
        Form(rf"ich (?P<verb>{_TASTES}) (?P<things>.+?)(?: gegenüber .+| statt .+| mehr als .+)?", "preferences.*", _TASTE, 0.9),
        Form(r"ich kann (?P<things>.+) nicht (?:ausstehen|leiden)", "preferences.*", "hates", 0.9),
        Form(r"(?:mein|meine) lieblings-?(?P<topic>\w+) (?:ist|sind|heißt) (?:der |die |das )?(?P<thing>.+)", "choices.{topic}", None, 0.9),
        Form(rf"(?P<words>ich (?:esse|trinke|nehme|fahre|fliege|arbeite|schlafe|bestelle|rauche|sitze|trage|zahle|bezahle|buche|kaufe|nutze|benutze) (?:nur |.+ )?{_NEVER}\b.+)", "routines.*", "=", 0.88),
        Form(r"ich (?:bin|habe) (?:von )(?P<old>.+?) (?:auf|zu|nach) (?P<new>.+?) (?:umgestiegen|gewechselt|umgestellt)", "preferences.*", "prefers", 0.9),
        Form(r"ich (?:bin|habe)(?P<old>(?!.))? (?:auf|zu) (?P<new>.+?) (?:umgestiegen|gewechselt|umgestellt)", "preferences.*", "prefers", 0.88),
        Form(r"ich habe (?:das (?P<habit>rauchen|trinken) aufgegeben|mit dem (?P<habit2>rauchen|trinken) aufgehört|aufgehört zu (?P<habit3>rauchen|trinken))", "routines.*", "quit", 0.9),
        Form(r"ich (?P<habit>rauche) nicht mehr|ich (?P<habit2>trinke) nicht mehr", "routines.*", "quit", 0.88),
        Form(r"ich (?P<habit>rauche) nicht", "routines.*", "no", 0.88),
        Form(r"ich bin (?P<status>.+)", "family.status", None, 0.9),
        Form(r"(?:lass uns|wir nehmen|ich nehme|nehmen wir|dann nehme ich)(?: dann| wieder| doch)* (?P<choice>.+?)(?: nehmen| wieder)?", "preferences.*", "prefers", 0.4, Strength.WEAK, unsure=True),
        Form(r"(?:bitte )?(?:etwas |ein bisschen |viel |noch )?(?P<manner>.+?),? bitte", "preferences.*", "prefers", 0.45, Strength.WEAK, raw=True, unsure=True),
        Form(r"(?:bitte )(?:etwas |ein bisschen |viel |noch )?(?P<manner>.+)", "preferences.*", "prefers", 0.45, Strength.WEAK, raw=True, unsure=True),
        Form(r"(?:bitte )?(?:nochmal )?auf (?P<language>\w+),? bitte|bitte auf (?P<language2>\w+)", "choices.answer-language", None, 0.45, Strength.WEAK, raw=True, unsure=True),
    ),
)  # fmt: skip
