"""Text to words that can be compared: folded, contractions spelled out, numbers as digits, English endings taken off.

No grammar is known of any language. Words are compared by their stem and by a table of words that mean the same, in
scripts without spaces by single characters.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

__all__ = ["CJK", "fold", "is_latin", "plain", "same_word", "stem", "tokens"]

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af々〇"
_TOKEN = re.compile(rf"\d+(?:[.:/-]\d+)*|[{CJK}]|[^\W\d_{CJK}]+(?:·[a-z]+)?(?:[+#]+)?|[.,;!?。，；！？、]")
_CONTRACTIONS = (
    (re.compile(r"\bcan't\b|\bcannot\b|\bcant\b"), "can not"),
    (re.compile(r"\bwon't\b|\bwont\b"), "will not"),
    (re.compile(r"\bain't\b"), "is not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"\b(do|does|did|is|are|was|would|should|could)nt\b"), r"\1 not"),
    (re.compile(r"\bi'm\b|\bim\b"), "i am"),
    (re.compile(r"'re\b"), " are"),
    (re.compile(r"'ve\b"), " have"),
    (re.compile(r"'ll\b"), " will"),
    (re.compile(r"\bi'd\b"), "i would"),
    (re.compile(r"\b(he|she|it|that|there|what|where|who|name)'s\b"), r"\1 is"),
    (re.compile(r"'s\b"), " s"),
    (re.compile(r"\b(j|n|l|d|s|m|t|c|qu|jusqu|lorsqu)'"), r"\1e "),
)
_ABBREVIATED = re.compile(r"\b(dr|mr|mrs|ms|st|prof|no|nr|vs|etc|e\.g|i\.e|a\.m|p\.m)\.(?= |$)")
_TENS = dict(zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True))
_ENGLISH = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_NUMBERS = {word: number for number, word in enumerate(_ENGLISH.split())} | _TENS
_NUMBERS |= {"dozen": 12, "hundred": 100, "thousand": 1000, "once": 1, "twice": 2}
for _row in (
    "null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf",
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "zero une deux trois quatre cinq six sept huit neuf dix onze douze",
):
    for _number, _word in enumerate(_row.split()):
        _NUMBERS.setdefault(_word, _number)
_NUMBERS |= {
    word: number for number, word in enumerate("third fourth fifth sixth seventh eighth ninth tenth".split(), 3)
}
_AMBIGUOUS = {"one", "once", "uno", "une", "null", "six", "elf", "sept"} - {"six"}
"""Number words that mostly mean something else; left as they are."""
_CJK_NUMBERS = {"一": "1", "二": "2", "两": "2", "兩": "2", "三": "3", "四": "4", "五": "5", "六": "6", "七": "7", "八": "8", "九": "9", "十": "10"}  # fmt: skip
_VOWELS = "aeiouy"
_IRREGULAR = {
    word: base
    for base, words in {
        "be": "am is are was were been being", "have": "has had having", "do": "does did doing done",
        "go": "goes went gone going", "get": "gets got gotten getting", "eat": "ate eaten eats eating",
        "drink": "drank drunk", "run": "ran running", "swim": "swam swimming swum", "write": "wrote written",
        "drive": "drove driven", "ride": "rode ridden riding", "speak": "spoke spoken", "buy": "bought",
        "sell": "sold", "wear": "wore worn", "sit": "sat sitting", "stand": "stood", "lie": "lying lay lain",
        "leave": "left leaving", "lose": "lost losing", "win": "won", "begin": "began begun", "give": "gave given",
        "take": "took taken", "sleep": "slept", "wake": "woke woken", "keep": "kept", "think": "thought",
        "know": "knew known", "grow": "grew grown", "fly": "flew flown", "feed": "fed", "hold": "held",
        "tell": "told", "make": "made making", "become": "became", "meet": "met", "quit": "quitting",
        "child": "children", "man": "men", "woman": "women", "person": "people persons", "wife": "wives",
        "dead": "died dying dies dead", "foot": "feet", "tooth": "teeth", "mouse": "mice", "knife": "knives", "leaf": "leaves", "life": "life",
        "good": "better best", "bad": "worse worst", "put": "putting", "cut": "cutting", "tie": "tying",
        "climb": "climbing", "nothing": "nothing", "something": "something", "thing": "things",
        "everything": "everything", "morning": "mornings morning", "evening": "evenings evening",
        "during": "during", "king": "king kings", "spring": "spring", "string": "string", "bring": "brought",
        "wedding": "wedding", "news": "news", "bus": "bus buses", "gas": "gas", "always": "always", "yes": "yes",
    }.items()
    for word in (base, *words.split())
}  # fmt: skip
_ENDINGS = frozenset("er en e o a ar ir as es ons ez amos imos ando iendo ado ido".split())
"""Of verbs in German, Spanish and French, after a stem that has lost its own."""


def fold(text: str) -> str:
    """NFKC, without case and accents, with straight apostrophes."""
    text = unicodedata.normalize("NFKC", text).replace("’", "'").replace("‘", "'").casefold()
    decomposed = unicodedata.normalize("NFD", text)
    # kana keep their voicing marks: they are other letters without
    return unicodedata.normalize("NFC", "".join(c for c in decomposed if not "\u0300" <= c <= "\u036f"))


def is_latin(text: str) -> bool:
    """Whether all letters of *text* are Latin."""
    return all(ord(letter) < 0x250 or 0x1E00 <= ord(letter) < 0x1F00 for letter in text if letter.isalpha())


def plain(text: str) -> str:
    """Folded, with contractions spelled out and white space made single, for patterns to match."""
    text = fold(text)
    for pattern, spelled in _CONTRACTIONS:
        text = pattern.sub(spelled, text)
    text = _ABBREVIATED.sub(r"\1", text)
    return " ".join(text.split())


def tokens(text: str) -> tuple[str, ...]:
    """The words of *text*, numbers as digits, marks that end a clause by themselves."""
    found = _TOKEN.findall(plain(text))
    made: list[str] = []
    for word in found:
        number = None if word in _AMBIGUOUS else _NUMBERS.get(word)
        if word == "second" and made and made[-1] in ("the", "my", "a", "every"):
            number = 2
        if number is not None:
            if made and made[-1].isdigit() and number < 10 and int(made[-1]) in _TENS.values():
                made[-1] = str(int(made[-1]) + number)
                continue
            word = str(number)
        made.append(_CJK_NUMBERS.get(word, word))
    return tuple(made)


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """*word* without the endings of English; other words only lose what looks the same there."""
    base = _IRREGULAR.get(word, word)
    return base if base.endswith(("ing", "s")) and word in _IRREGULAR else _regular(base)


def _regular(word: str) -> str:
    if "·" in word:
        verb, _, particle = word.partition("·")
        return f"{stem(verb)}·{particle}"
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    for ending in ("ing", "ed"):
        rest = word[: -len(ending)]
        if word.endswith(ending) and len(rest) >= 3 and any(letter in _VOWELS for letter in rest):
            if rest[-1] == rest[-2] and (rest[-1] not in "lsz" or (rest[-1] == "l" and len(rest) > 5)):
                rest = rest[:-1]
            return rest.rstrip("e")
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def same_word(one: str, other: str) -> bool:
    """Whether two stems are one word: equal, or one with a longer ending (for languages whose endings are unknown)."""
    if one == other:
        return True
    if ("·" in one) != ("·" in other):  # a verb with and without its particle: *climb up*, *climb*
        return one.partition("·")[0] == other.partition("·")[0]
    short, long = sorted((one, other), key=len)
    if len(short) > 2 and long.startswith(short) and long[len(short) :] in _ENDINGS:
        return True
    shorter = len(short)
    if shorter < 5 or one[:4] != other[:4] or not (one.isalpha() and other.isalpha()):
        return False
    common = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        common += 1
    return common >= 5 and max(len(one), len(other)) - common <= 3 and shorter - common <= 1
