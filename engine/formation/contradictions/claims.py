"""What a sentence claims of somebody, in slots that hold one value at a time.

``home = berlin`` · ``feels: cilantro −`` · ``prefers: tea (hot-drink)`` · ``left: pytest, now: unittest``
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from ..attributes import attribute_of
from .kinds import FORBIDDEN, feeds, kinds_of
from .patterns import FEELINGS, ONE_VALUE, PREFERENCES, ROLES, STATES, STOPPED, SWITCHES, USES
from .statements import Statement
from .values import feeling_of, texts_of
from .words import CJK, fold, plain, tokens

__all__ = ["Claim", "Slot", "claims_of"]


class Slot(StrEnum):
    HOME = "home"
    EMPLOYER = "employer"
    NAME = "name"
    ADDRESS = "address-as"
    AGE = "age"
    WHEREABOUTS = "whereabouts"
    STATE = "state"
    ROLE = "role"
    STOPPED = "stopped"
    FAVOURITE = "favourite"
    ATTRIBUTE = "attribute"
    DIET = "diet"
    EATS = "eats"
    SHUNS = "shuns"
    FEELS = "feels"
    PREFERS = "prefers"
    USES = "uses"
    SWITCHES = "switches"


@dataclass(frozen=True, slots=True)
class Claim:
    """``thing`` is folded words; ``of`` is what it belongs to (*colour* of a favourite colour, the slot's name in a
    path); ``left`` is what it takes the place of; ``sign`` is −1 where it is disliked or denied; ``when`` are words
    that limit it (*in the morning*).
    """

    slot: Slot
    thing: str
    of: str = ""
    left: str = ""
    sign: int = 1
    when: frozenset[str] = frozenset()
    proper: bool = False
    """Whether *thing* is written like a name."""


_LEADING = re.compile(
    r"^(?:(?:[a-z]+ (?:thinks?|finds?|believes?|feels?)(?: that)?|a|an|the|my|our|his|her|their|some|any|all|to|de|der|die|das|den|dem|ein|eine|einen|einem|kein|keine|keinen|"
    r"el|la|los|las|lo|un|una|unos|unas|le|les|une|des|du|me|it|being|using|drinking|eating|having|taking|really|very|"
    r"eat|drink|drinking|wear|play|playing|only|always|just|now|more|much|sehr|mucho|mucha|beaucoup|me a|is|"
    r"jetzt|ahora|maintenant|nur|immer|about|almost|called|new|either|both|every|each) )+"
)
_TRAILING = re.compile(
    r"(?: (?:now|today|currently|again|instead|anymore|any more|any longer|these days|nowadays|already|a lot|so much|very much|most|"
    r"at all|too|as well|anyway|more|the most|best|better|recently|lately|for now|please|only|ago|altogether|completely|"
    r"last (?:week|month|year|spring|summer|autumn|fall|winter)|this (?:week|month|year|spring|summer|autumn|winter)|"
    r"seats?|jetzt|inzwischen|wieder|sehr|nicht|mehr|gerne?|um|ahora|mucho|maintenant|desormais|beaucoup|pas|plus|vor))+$"
)
_CUT = re.compile(
    r" (?:and|but|because|since|so|though|although|if|that|which|who|where|over|instead of|rather than|than|compared|"
    r"und|aber|weil|als|statt|seit|y|pero|porque|desde|que|en vez de|et|mais|parce|depuis|plutot que|"
    r"more than|together with|to be|as of|from) "
)
_WHEN = re.compile(
    r" (?:in|on|at|for|when|while|during|before|after|with|as|if|by|whenever|im|am|bei|beim|zum|fur|wenn|mit|en|por|para|"
    r"cuando|con|au|pour|quand|avec|le matin|le soir|les|abends|morgens) .*$"
)
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
_FAVOURITE = (
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
    r"\b(?:my|his|her|our|their|the|mein|meine|mi|mon|ma|default|preferred) (?P<of>[a-z][a-z -]{1,40}?) "
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
_NEGATED_BEFORE = re.compile(
    r"(?:\bnot|\bnever|\bno longer|\bnot really|\bne|\bno me|\bno le|\bno|\bno longer really|不太?|没有?|\bnot particularly|\bnot a|\bnot much of a|\bnot a big)(?: even| really| longer| much| particularly| to)? ?$"
)
_NEGATED_AFTER = re.compile(
    r"^[ぁ-ん]{0,2}(?:ません|ない(?!と)|なくな)|^(?:nicht\b|keine?[nmrs]?\b|pas\b|plus\b|だ?ではな|だ?じゃな|くな|ではありませ|じゃありませ|ではなく)|\b(?:uberhaupt |gar )?nicht(?: mehr)?$"
)


def claims_of(statement: Statement) -> tuple[Claim, ...]:
    """Everything that path, value and words of *statement* claim, in a fixed order."""
    return tuple(dict.fromkeys([*_from_path(statement), *_from_words(statement.words)]))


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
            return [Claim(Slot.DIET, word) for thing in things for word in _diets(thing)]
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
        *_diet(text),
        *_favourites(text),
        *_attributes(text),
    ]
    found += [*_switches(text), *_preferences(text), *_feelings(text), *_uses(text)]
    names = {fold(name) for name in re.findall(r"(?<=[a-z,] )[A-ZÀ-Þ]\w+", words)}
    return tuple(replace(claim, proper=bool(names.intersection(claim.thing.split()))) for claim in found)


def _one_value(text: str, digits: str) -> list[Claim]:
    found = []
    for slot, patterns in ONE_VALUE.items():
        for pattern in patterns:
            match = pattern.search(digits if slot == "age" else text)
            if match is None:
                continue
            thing, when = _tidy(match["x"])
            if slot in ("home", "employer", "left-employer") and (
                not thing or match["x"].split()[0] in _NO_PLACE or thing.isdigit()
            ):
                continue
            left = _tidy(match["y"])[0] if "y" in pattern.groupindex and match["y"] else ""
            if slot == "left-employer":
                found.append(Claim(Slot.EMPLOYER, thing, sign=-1))
                break
            negated = _is_negated(text, match) if slot != "age" else False
            found.append(Claim(Slot(slot), thing, left=left, sign=-1 if negated else 1, when=when))
            break
    for group, states in STATES.items():
        found += [Claim(Slot.STATE, state, of=group) for state, pattern in states.items() if _holds(pattern, text)][:1]
    return found


def _holds(pattern: re.Pattern[str], text: str) -> bool:
    match = pattern.search(text)
    return match is not None and not _NEGATED_BEFORE.search(
        re.sub(r"\b(?:an?|the|am|is|are) ?$", "", text[: match.start()])
    )


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
            thing = _tidy(match["x"])[0]
            if thing and (
                " as " in match.group() or " als " in match.group() or _ROLE.fullmatch(thing.rpartition(" ")[2])
            ):
                negated = _is_negated(text, match) or re.search(r"\b(?:not|no longer)\b", match.group()) is not None
                return [Claim(Slot.ROLE, thing, sign=-1 if negated else 1)]
    return []


def _stopped(text: str) -> list[Claim]:
    for pattern in STOPPED:
        match = pattern.search(text)
        if match is not None:
            thing = _tidy(_BECAUSE.sub("", match["x"]))[0]
            return [Claim(Slot.STOPPED, thing, sign=-1)] if thing else []
    return []


_BECAUSE = re.compile(
    r" (?:because|due to|after|since|when|while|as|for|weil|wegen|seit|porque|desde|parce|depuis|a cause)\b.*$"
)


def _diets(text: str) -> list[str]:
    text = _TWO_WORDS.sub(r"\1-\2", text)
    words = set(re.findall(r"[a-z]+(?:-[a-z]+)*", text))
    return [word for word in FORBIDDEN if word in words or (not word.isascii() and word in text)]


_TWO_WORDS = re.compile(r"\b(gluten|dairy|sugar|lactose|plant) (free|intolerant|based)\b")
_SUBSTITUTE = re.compile(
    r"\b(?:[a-z]+[ -]free|vegan|vegetarian|veggie|soy|oat|almond|coconut|plant[ -]based|non[ -]alcoholic|decaf(?:feinated)?|alkoholfrei(?:es)?|glutenfrei(?:es)?)\b"
)
_CANNOT_EAT = re.compile(
    r"\b(?:allergic to|intolerant to|allergy to|allergisch gegen|alergic[oa] a(?:l| los| las| la)?|allergique (?:a|aux?)) (?P<x>[^.,;!?]+)|(?:\b|^)(?P<y>[a-z]+) (?:allergy|intolerance)\b|对(?P<z>[一-鿿]+?)过敏"
)
_EATING = re.compile(
    rf"\b(?:eat|eats|eating|ate|had|have|having|cook|cooked|order|ordered|drink|drinks|love|loves|like|likes|enjoy|want|crave|"
    rf"esse|isst|trinke|como|come|comer|bebo|bebe|mange|bois|aime|adore) (?P<x>[^.,;!?]+)|(?:吃|喝)了?(?P<y>[{CJK}]+)|(?P<z>[{CJK}]+?)[をも](?:食べ|飲)"
)


def _diet(text: str) -> list[Claim]:
    found = []
    for word in _diets(text):
        place = text.find(word)
        negated = _NEGATED_BEFORE.search(
            re.sub(r"\b(?:a|an|strictly|really|fully|longer|ein|eine|etre|vegan or) ?$", "", text[:place])
        )
        found.append(Claim(Slot.DIET, word, sign=-1 if negated else 1))
    if found and not _SUBSTITUTE.search(text):
        return found
    found = [
        claim
        for claim in found
        if not re.search(rf"\b{claim.thing.replace('-', '[ -]')} (?!and\b|but\b|now\b|since\b|for\b)[a-z]", text)
    ]
    for match in _CANNOT_EAT.finditer(text):
        thing = next(part for part in match.groups() if part is not None)
        if not _NEGATED_BEFORE.search(text[: match.start()]):
            found.append(Claim(Slot.SHUNS, _tidy(thing)[0]))
    for match in _EATING.finditer(text):
        thing = next(part for part in match.groups() if part is not None)
        if not feeds(thing) or _SUBSTITUTE.search(thing) or re.search(r"\b(?:allerg|intoleran)", thing):
            continue
        without = re.match(r"(?:no|kein|keine|keinen|pas de|plus de|nichts)\b", thing) is not None
        thing, when = _tidy(thing)
        found.append(Claim(Slot.SHUNS if without or _is_negated(text, match) else Slot.EATS, thing, when=when))
    return found


def _favourites(text: str) -> list[Claim]:
    for pattern in _FAVOURITE:
        match = pattern.search(text)
        if match is not None:
            thing, when = _tidy(match["x"])
            return [Claim(Slot.FAVOURITE, thing, of=match["of"].strip(), when=when)] if thing else []
    return []


def _attributes(text: str) -> list[Claim]:
    for pattern in (_ATTRIBUTE, *_ATTRIBUTE_CJK):
        match = pattern.search(text)
        if match is not None and "favo" not in match["of"] and not _DOING.match(match["x"]):
            thing, when = _tidy(match["x"])
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
            return [Claim(Slot.SWITCHES, _tidy(match["x"])[0], left=_tidy(left)[0])]
    match = _INSTEAD.search(text)
    if match is not None:
        thing = _tidy(match["x"].rsplit(" use ", 1)[-1])[0].rpartition(" ")[2]
        return [Claim(Slot.SWITCHES, thing, left=_tidy(match["y"])[0])]
    return []


def _preferences(text: str) -> list[Claim]:
    for pattern in PREFERENCES:
        match = pattern.search(text)
        if match is None or _is_negated(text, match):
            continue
        over = _OVER.search(match["x"])
        thing, when = _tidy(match["x"][: over.start()] if over else match["x"])
        left = _tidy(over["y"])[0] if over else ""
        return [Claim(Slot.PREFERS, thing, left=left, when=when)] if thing else []
    return []


def _feelings(text: str) -> list[Claim]:
    for pattern, sign in FEELINGS:
        match = pattern.search(text)
        if match is None:
            continue
        thing, when = _tidy(match["x"])
        start = re.match(r"\s*(?:kein|keine|keinen|keinem|nicht|no|pas|not|不)\b", match["x"])
        if start is not None or _is_negated(text, match):
            sign = -sign
        return [Claim(Slot.FEELS, thing, sign=sign, when=when)] if thing else []
    return []


def _uses(text: str) -> list[Claim]:
    for pattern in USES:
        for match in pattern.finditer(text):
            thing, when = _tidy(match["x"])
            negated = _is_negated(text, match) or re.match(r"\s*(?:no|kein|keine|keinen)\b", match["x"]) is not None
            if thing and not _WHERETO.match(match["x"]):
                return [Claim(Slot.USES, thing, sign=-1 if negated else 1, when=when)]
    return []


def _is_negated(text: str, match: re.Match[str]) -> bool:
    """Whether a negation stands just before the match or ends it."""
    if _NEGATED_BEFORE.search(text[: match.start()]) or _NEGATED_AFTER.search(text[match.end() :]):
        return True
    return re.search(r"\b(?:nicht|pas)(?: mehr)?$", match.group()) is not None


def _tidy(thing: str) -> tuple[str, frozenset[str]]:
    """The bare thing, and the words that limit it."""
    thing = f"{thing.strip()} "
    cut = _CUT.search(thing)
    if cut is not None:
        thing = thing[: cut.start()]
    thing = thing.strip()
    when: frozenset[str] = frozenset()
    limit = _WHEN.search(f" {thing}")
    if limit is not None and limit.start() > 0:
        when = frozenset(tokens(limit.group()))
        thing = thing[: limit.start()].strip() if limit.start() else thing
    previous = None
    while previous != thing:
        previous = thing
        thing = _TRAILING.sub("", _LEADING.sub("", thing)).strip()
    return thing, when
