"""What a sentence says apart from its claims: its words, whether it denies, whether it tells of an end or of the past,
and of whom it speaks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from .lexicon import EMPTY, FUNCTION, FUNCTION_STEMS, NEGATIONS, canonical, covers
from .patterns import ENDED, PAST, UNREAL
from .words import CJK, fold, plain, same_word, stem, tokens

__all__ = ["READ", "Reading", "coverage", "read", "same_person", "unmatched"]

READ = 1000
"""Characters of a statement that are looked at: what is a sentence is shorter, and patterns take their time."""
_NEGATION = re.compile(
    r"\b(?:not|no|never|nobody|none|nothing|neither|without|hardly|nicht|kein(?:e|en|em|er|es)?|nie|niemals|niemand|nichts|ohne|nunca|jamas|"
    r"nadie|ningun[oa]?|tampoco|sin|ne|jamais|aucune?|sans|refuse|refuses)\b|不|没|沒|(?<!特)别(?!的|人)|ません|ない(?!と)|なく(?!な)|じゃな|ではな"
)
_NO_NEGATION = re.compile(
    r"\bnot only\b|\bno (?:doubt|problem|matter|wonder)\b|\bwhy not\b|不但|不仅|不错|かもしれない|なければ"
)
_RELATIONS = (
    "brother sister husband wife partner boyfriend girlfriend mother father mom mum dad son daughter friend colleague "
    "coworker boss manager neighbour neighbor roommate flatmate uncle aunt cousin grandmother grandfather grandma "
    "grandpa kids children parents team dog cat fiance fiancee teacher doctor bruder schwester mann frau mutter vater "
    "sohn tochter freund freundin kollege kollegin chef hund katze hermano hermana marido esposa mujer madre padre hijo hija amigo "
    "amiga jefe perro gato frere soeur mari femme mere pere fils fille ami amie collegue chien chat baby child"
)
_OTHER = re.compile(
    rf"^(?:(?:and|but|yes|no|ok|today|yesterday|last week|remember|that|und|aber|y|et),? )*(?:(?:my|his|her|our|their|mein|meine|mi|mis|mon|ma|mes|the user s) )"
    rf"(?:(?:little|big|older|younger|elder|best|old|new|ex|late|kleine|kleiner|grosse|mejor|meilleure?|petite?|grande?) )*(?P<who>{'|'.join(_RELATIONS.split())})(?: s)?\b(?! (?:in law )?is my)"
)
_OTHER_CJK = re.compile(
    rf"^(?:私の|我的?|うちの)?(?P<who>妹妹|姐姐|哥哥|弟弟|妈妈|爸爸|妻子|老公|老婆|丈夫|朋友|同事|儿子|女儿|妹|姉|兄|弟|母|父|妻|夫|友達|同僚|息子|娘|彼女|彼氏)[はがもの]?(?=[{CJK}])"
)
_NAMED = re.compile(
    r"^(?P<who>[A-Z][a-zà-ÿ]+)(?:'s)? (?:[a-z]+ly |also |now |still |really )?(?:(?P<sure>is|was|has|hates|lives|likes|prefers|loves|eats|works|uses|moved|"
    r"vive|wohnt|habite|est|es|ist|hat|mag|isst|come|mange|trabaja|arbeitet)|[a-z]+(?<!s)s)\b"
)
_STARTERS = frozenset(
    "I My We Our User The A An He She They It This That There Always Never Please Today Yes No Not Mi Ich Wir Je Nous Yo "
    "Mein Meine Mon Ma Actually Now Prefers Likes Loves Hates Uses Lives Works Speaks Drinks Eats Nobody Everybody "
    "Has Had Does Did Is Was Are Were Somebody Someone Everyone Two Three Four Some Many Most All Running Coffee Tea What Who".split()
)
_INDEFINITE = re.compile(
    r"^(?:there (?:is|are) )?(?:no |not )?(?:an?|some|several|many|one|two|three|four|five|six|few|a few|few|people|someone|somebody|nobody|the (?:man|men|woman|women|boys?|girls?|person|people|lady|ladies|kids?|child|children|dogs?|cats?|group|band|player|crowd))\b"
)
_PERSONAL = re.compile(
    r"\b(?:i|my|me|we|our|user|prefers?|likes?|loves?|hates?|mich|ich|mein|wir|yo|mi|je|mon|ma)\b|[我私]"
)
_TIME = re.compile(
    r"\b(?:(?:two|three|\d+|a|few|many|several|couple of) )*(?:years?|months?|weeks?|days?|hours?|jahren?|monaten?|tagen?|anos|meses|ans|mois) ago\b|"
    r"\b(?:since|for) (?:\d+ )?(?:years?|months?|weeks?|ages)\b|\bvor \w+ (?:jahren|monaten|wochen)\b|\bhace \w+ (?:anos|meses)\b"
)


_ASIDE = re.compile(
    r"\b(?:it (?:turned|turns) out(?: that)?|i (?:found out|realised|realized|learned|think|guess|believe|know|must say|mean)(?: that)|remember that|"
    r"by the way|from now on|as you know|to be honest|in fact|for now|these days|every day|the other day|one day)\b"
)


@dataclass(frozen=True, slots=True)
class Reading:
    """``content`` are the canonical words that carry meaning, in order; ``spoken`` is how each was said; ``numbers`` the digits among them; ``who`` is
    the person it speaks of, empty for the owner of the memory (or nobody in particular); ``indefinite``: of some man or
    some dogs, so that another sentence may well speak of others.
    """

    text: str
    content: tuple[str, ...]
    spoken: dict[str, str]
    numbers: tuple[str, ...]
    negated: bool
    ended: bool
    past: bool
    unreal: bool
    who: str
    indefinite: bool


_PARTICLE = re.compile(
    r"\b(?P<verb>(?:turn|switch|put|tak|take|took|pick|get|gett|got|go|goe|going|climb|sign|log|opt)(?:s|ed|ing|es)?) (?P<particle>on|off|up|down|in|out)\b(?! (?:the|a|an) (?!light|music|heat|tv|radio|notification))"
)


def read(words: str) -> Reading:
    """Reads a sentence, of a long text its beginning."""
    return _read(words[:READ])


@lru_cache(maxsize=2048)
def _read(words: str) -> Reading:
    text = plain(words)
    bare = _ASIDE.sub(" ", _TIME.sub(" ", text))
    bare = _PARTICLE.sub(lambda match: f"{stem(match['verb'])}·{match['particle']}", bare)
    content = []
    spoken: dict[str, str] = {}
    for word in tokens(bare):
        if word in FUNCTION or word in NEGATIONS or not any(letter.isalnum() for letter in word):
            continue
        base = canonical(stem(word))
        if base not in EMPTY and base not in FUNCTION_STEMS and base not in _GRAMMAR:
            content.append(base)
            spoken.setdefault(base, word)
    denials = _NEGATION.findall(_NO_NEGATION.sub(" ", text))
    ended = ENDED.search(text) is not None
    return Reading(
        text,
        tuple(dict.fromkeys(content)),
        spoken,
        tuple(word for word in content if word[0].isdigit()),
        bool(denials),
        ended,
        PAST.search(text) is not None and not ended,
        UNREAL.search(text) is not None,
        _subject(words, text),
        _INDEFINITE.match(text) is not None and _PERSONAL.search(text) is None,
    )


_GRAMMAR = frozenset("うせんのはがをにでともかられるてますしいだっなたけどよね了的地得着过也都很还就在是有会要")
"""Characters of Chinese and Japanese that carry grammar rather than meaning."""


def _subject(words: str, text: str) -> str:
    other = _OTHER.match(text) or _OTHER_CJK.match(text)
    if other is not None:
        name = re.search(rf"(?i:{other['who']}),? ([A-Z][a-zà-ÿ]+)", words)
        return other["who"] if name is None else f"{other['who']} {fold(name[1])}"
    named = _NAMED.match(words.strip())
    if named is None or named["who"] in _STARTERS or (named["who"].endswith("s") and not named["sure"]):
        return ""  # who is left out: *Wears glasses*
    return fold(named["who"])


def same_person(one: str, other: str) -> bool:
    """Whether two may be one: *my brother* and *my brother Tom*, but not *my brother Max*."""
    return one == other or (bool(one and other) and (one.startswith(f"{other} ") or other.startswith(f"{one} ")))


def unmatched(special: Iterable[str], general: Iterable[str]) -> list[str]:
    """The words of *special* that no word of *general* says: the same, or a narrower one."""
    there = list(general)
    return [word for word in special if not any(same_word(word, other) or covers(word, other) for other in there)]


def coverage(special: Reading, general: Reading) -> float:
    """The share of *special*'s words that *general* says too, 0–1; 0 if it has none."""
    if not special.content:
        return 0.0
    return 1.0 - len(unmatched(special.content, general.content)) / len(special.content)
