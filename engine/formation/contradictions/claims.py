"""What a sentence claims of somebody, in slots that hold one value at a time.

``home = berlin`` · ``feels: cilantro −`` · ``prefers: tea (hot-drink)`` · ``left: pytest, now: unittest``
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from ..attributes import attribute_of
from .claim import Claim, Slot
from .kinds import kinds_of
from .meals import diets, meals
from .patterns import FEELINGS, ONE_VALUE, PREFERENCES, ROLES, STATES, STOPPED, SWITCHES, USES
from .reading import READ
from .statements import Statement
from .tidying import denied_before, is_negated, tidy
from .values import feeling_of, texts_of
from .words import CJK, fold, plain, tokens

__all__ = ["claims_of"]


_NO_PLACE = frozenset(
    "home work night nights weekends weekend day days school university college fear peace style constant bed sync "
    "hause casa nuit moment harmony germany's a an the my our this that another einem einer ein der die das mi un una "
    "mon ma notre same it them him her me us you what where small big two three remote myself now which".split()
)
_OVER = re.compile(
    r" (?:over|to|instead of|rather than|than|als|statt|a|antes que|en vez de|plutot que|au|aux) (?P<y>.+)$"
)
_INSTEAD = re.compile(
    r"(?P<x>[^.,;!?]+?) (?:instead of|rather than|in place of|statt|anstatt|en vez de|au lieu de) (?P<y>[^.,;!?]+)"
)
_COLON = re.compile(r"^(?:my |the user s )?(?P<of>[a-z][a-z ]{1,40}): (?P<x>[^;!?]+)$")
_FAVOURITE = (
    re.compile(r"\bfavou?rites? (?P<of>[a-z ]+?): (?P<x>[^;!?]+)"),
    re.compile(r"\bfavou?rite (?P<of>[a-z ]+?) (?:is|are|has become|became|would be)(?: now)? (?P<x>[^.,;!?]+)"),
    re.compile(
        r"(?P<x>[^.,;!?]+?) (?:is|are|became|has become)(?: now)? (?:my|his|her|the user s)(?: new)? favou?rite (?P<of>[a-z ]+)"
    ),
    re.compile(r"\blieblings(?P<of>[a-z]+) (?:ist|sind)(?: jetzt)? (?P<x>[^.,;!?]+)"),
    re.compile(r"\bmi (?P<of>[a-z]+) (?:favorit[oa]|preferid[oa]) (?:ahora )?es(?: ahora)? (?P<x>[^.,;!?]+)"),
    re.compile(r"\bm(?:on|a) (?P<of>[a-z]+) (?:preferee?|favorite?) (?:est|reste)(?: maintenant)? (?P<x>[^.,;!?]+)"),
    re.compile(rf"最喜欢的(?P<of>[{CJK}]+?)是(?P<x>[{CJK}a-z0-9]+)"),
    re.compile(rf"(?:一番|最も)好きな(?P<of>[{CJK}]+?)は(?P<x>[{CJK}a-z0-9]+?)(?:です|だ|になり|$)"),
)
_ATTRIBUTE = re.compile(
    r"\b(?:my|his|her|our|their|user s|the|mein|meine|mi|mon|ma|default|preferred) (?P<of>[a-z][a-z -]{1,40}?) "
    r"(?:is now|is called|is named|is|are|was changed to|has changed to|changed to|moved to|has moved to|was moved to|heisst jetzt|heisst|ist jetzt|ist|"
    r"es ahora|es|se llama|est|se appelle|starts at|begins at|leaves at|costs|runs on|runs)(?: now| on| at| jetzt)* (?P<x>[^.,;!?]+)"
)
_ATTRIBUTE_CJK = (
    re.compile(rf"我的?(?P<of>[{CJK}]{{1,6}}?)(?:是|叫|在)(?P<x>[{CJK}a-z0-9]+)"),
    re.compile(rf"(?:^|[ 。])(?:私の)?(?P<of>[{CJK}]{{1,6}}?)は(?P<x>[{CJK}a-z0-9]+?)(?:です|だ|になり)"),
)
_DOING = re.compile(r"\s*(?:not )?[a-z]+ing\b")
_WHERETO = re.compile(
    r"\s*(?:in|on|at|to|down|up|across|through|along|around|over|into|from|off|out|away|by|with|near|behind|for)\b"
)


def claims_of(statement: Statement) -> tuple[Claim, ...]:
    """Everything that path, value and words of *statement* claim, in a fixed order."""
    return tuple(dict.fromkeys([*_from_path(statement), *_from_words(statement.words[:READ])]))


def _from_path(statement: Statement) -> list[Claim]:
    attribute = attribute_of(statement.path)
    if attribute is None:
        return []
    own = statement.path[len(attribute.path) + 1 :].replace("-", " ").replace("_", " ").replace(".", " ")
    things = texts_of(statement.value)
    match attribute.path:
        case "home.city":
            return [Claim(Slot.HOME, thing) for thing in things[:1]]
        case "work.employer":
            return [Claim(Slot.EMPLOYER, thing) for thing in things[:1]]
        case "name":
            return [Claim(Slot.NAME, thing) for thing in things[:1]]
        case "nickname":
            return [Claim(Slot.ADDRESS, thing) for thing in things[:1]]
        case "work.role":
            return [Claim(Slot.ROLE, thing) for thing in things[:1]]
        case "diet":
            return [Claim(Slot.DIET, word) for thing in things for word in diets(thing)]
        case "choices":
            return [Claim(Slot.PREFERS, thing, of=fold(own)) for thing in things[:1]]
        case "preferences":
            feeling = feeling_of(statement.value)
            if feeling is None or not own:
                return []
            word = fold(statement.value) if isinstance(statement.value, str) else ""
            if word.startswith("prefer"):
                return [Claim(Slot.PREFERS, fold(own))]
            return [Claim(Slot.FEELS, fold(own), sign=feeling)]
        case _:
            return []


@lru_cache(maxsize=4096)
def _from_words(words: str) -> tuple[Claim, ...]:
    text = plain(words)
    digits = " ".join(tokens(words)).replace(" ,", ",").replace(" .", ".")
    found = [
        *_one_value(text, digits),
        *_roles(text),
        *_stopped(text),
        *meals(text),
        *_favourites(text),
        *_attributes(text),
    ]
    found += [*_switches(text), *_preferences(text), *_feelings(text), *_uses(text)]
    names = {fold(name) for name in re.findall(r"(?<=[a-z,:] )[A-ZÀ-Þ]\w+", words)}
    subject = _subject(text)
    return tuple(
        replace(claim, subject=subject, proper=bool(names.intersection(claim.thing.split()))) for claim in found
    )


_SUBJECT = re.compile(
    r"^(?:(?:today|now|and|but|yes|so|well|recently|actually|remember that),? )*(?:my|our|the|his|her|their|mein|meine|unser|unsere|mi|mis|nuestro|"
    r"nuestra|mon|ma|mes|notre|le|la) (?P<of>[a-z]+(?: [a-z]+)?) (?:(?:now|also|still|only|no longer|just|recently|jetzt|ahora|maintenant) )?"
    r"(?:is|are|was|were|has|have|had|do|does|can|will|[a-z]{2,}(?:s|ed)|moved|went|ran|run|use|live|work|prefer|like|ist|sind|wohnt|arbeitet|"
    r"es|son|vive|trabaja|est|sont|habite|travaille)\b"
)
_OWN = frozenset(
    "user users person owner client home hometown city name family home city favourite favorite zuhause casa maison".split()
)


def _subject(text: str) -> str:
    match = _SUBJECT.match(text)
    if match is None or match["of"].split()[0] in _OWN:
        return ""
    return match["of"].split()[0]


def _one_value(text: str, digits: str) -> list[Claim]:
    found = []
    for slot, patterns in ONE_VALUE.items():
        for pattern in patterns:
            match = pattern.search(digits if slot == "age" else text)
            if match is None:
                continue
            thing, when = tidy(match["x"])
            if slot in ("home", "employer", "left-employer") and (
                not thing or match["x"].split()[0] in _NO_PLACE or thing.isdigit()
            ):
                continue
            left = tidy(match["y"])[0] if "y" in pattern.groupindex and match["y"] else ""
            if slot == "left-employer":
                found.append(Claim(Slot.EMPLOYER, thing, sign=-1))
                break
            negated = is_negated(text, match) if slot != "age" else False
            found.append(Claim(Slot(slot), thing, left=left, sign=-1 if negated else 1, when=when))
            break
    for group, states in STATES.items():
        found += [Claim(Slot.STATE, state, of=group) for state, pattern in states.items() if _holds(pattern, text)][:1]
    return found


def _holds(pattern: re.Pattern[str], text: str) -> bool:
    match = pattern.search(text)
    if match is None:
        return False
    before = re.sub(r"\b(?:an?|the|am|is|are) ?$", "", text[: match.start()])
    return not denied_before(before, len(before))


_ROLE = re.compile(
    r"(?:teacher|engineer|developer|programmer|designer|nurse|doctor|lawyer|chef|cook|baker|driver|pilot|farmer|writer|author|journalist|"
    r"accountant|architect|plumber|electrician|carpenter|musician|photographer|scientist|researcher|professor|student|manager|consultant|"
    r"analyst|therapist|dentist|vet|veterinarian|pharmacist|barista|waiter|waitress|salesperson|secretary|librarian|translator|editor|"
    r"firefighter|policeman|soldier|paramedic|mechanic|builder|freelancer|director|administrator|economist|psychologist|biologist|"
    r"physicist|chemist|mathematician|historian|actor|actress|dancer|singer|painter|gardener|hairdresser|tailor|banker|broker|judge|"
    r"lehrer|lehrerin|arzt|arztin|ingenieur|ingenieurin|krankenpfleger|krankenschwester|anwalt|anwaltin|koch|kochin|entwickler|entwicklerin|"
    r"profesora?|medic[oa]|enfermer[oa]|ingenier[oa]|abogad[oa]|cociner[oa]|professeure?|medecin|infirmiere?|ingenieure?|avocate?|cuisiniere?)s?"
)


def _roles(text: str) -> list[Claim]:
    for pattern in ROLES:
        for match in pattern.finditer(text):
            thing = tidy(match["x"])[0]
            if thing and (
                " as " in match.group() or " als " in match.group() or _ROLE.fullmatch(thing.rpartition(" ")[2])
            ):
                negated = is_negated(text, match) or re.search(r"\b(?:not|no longer)\b", match.group()) is not None
                return [Claim(Slot.ROLE, thing, sign=-1 if negated else 1)]
    return []


def _stopped(text: str) -> list[Claim]:
    for pattern in STOPPED:
        match = pattern.search(text)
        if match is not None:
            thing = tidy(_BECAUSE.sub("", match["x"]))[0]
            return [Claim(Slot.STOPPED, thing, sign=-1)] if thing else []
    return []


_BECAUSE = re.compile(
    r" (?:because|due to|after|since|when|while|as|for|weil|wegen|seit|porque|desde|parce|depuis|a cause)\b.*$"
)


def _favourites(text: str) -> list[Claim]:
    for pattern in _FAVOURITE:
        match = pattern.search(text)
        if match is not None:
            thing, when = tidy(match["x"])
            return [Claim(Slot.FAVOURITE, thing, of=match["of"].strip(), when=when)] if thing else []
    return []


def _attributes(text: str) -> list[Claim]:
    for pattern in (_COLON, _ATTRIBUTE, *_ATTRIBUTE_CJK):
        match = pattern.search(text)
        if match is None or _DOING.match(match["x"]):
            continue
        if match["of"].endswith("s") if pattern is _COLON else "favo" in match["of"]:
            continue  # of many values; told by `_favourites`
        if match is not None:
            thing, when = tidy(match["x"])
            negated = re.match(r"\s*(?:not|nicht|no|pas|不)\b", match["x"]) is not None
            return (
                [Claim(Slot.ATTRIBUTE, thing, match["of"].strip(), sign=-1 if negated else 1, when=when)]
                if thing
                else []
            )
    return []


def _switches(text: str) -> list[Claim]:
    for pattern in SWITCHES:
        match = pattern.search(text)
        if match is not None:
            left = match["y"] if "y" in pattern.groupindex and match["y"] else ""
            if not left and match.group().startswith("mov") and not kinds_of(match["x"]):
                continue  # to another place
            return [Claim(Slot.SWITCHES, tidy(match["x"])[0], left=tidy(left)[0])]
    match = _INSTEAD.search(text)
    if match is not None:
        thing = tidy(match["x"].rsplit(" use ", 1)[-1])[0].rpartition(" ")[2]
        return [Claim(Slot.SWITCHES, thing, left=tidy(match["y"])[0])]
    return []


def _preferences(text: str) -> list[Claim]:
    for pattern in PREFERENCES:
        match = pattern.search(text)
        if match is None or is_negated(text, match):
            continue
        over = _OVER.search(match["x"])
        thing, when = tidy(match["x"][: over.start()] if over else match["x"])
        left = tidy(over["y"])[0] if over else ""
        return [Claim(Slot.PREFERS, thing, left=left, when=when)] if thing else []
    return []


def _feelings(text: str) -> list[Claim]:
    for pattern, sign in FEELINGS:
        match = pattern.search(text)
        if match is None:
            continue
        thing, when = tidy(match["x"])
        start = re.match(r"\s*(?:kein|keine|keinen|keinem|nicht|no|pas|not|不)\b", match["x"])
        denied = start is not None or is_negated(text, match)
        sign = -sign if denied else sign
        return [Claim(Slot.FEELS, thing, sign=sign, when=when, denied=denied)] if thing else []
    return []


def _uses(text: str) -> list[Claim]:
    for pattern in USES:
        for match in pattern.finditer(text):
            thing, when = tidy(match["x"])
            negated = is_negated(text, match) or re.match(r"\s*(?:no|kein|keine|keinen)\b", match["x"]) is not None
            if thing and not _WHERETO.match(match["x"]):
                return [Claim(Slot.USES, thing, sign=-1 if negated else 1, when=when)]
    return []
