"""Values in a form in which equal means the same: case, accents, number words, units, dates, the order of lists."""

from __future__ import annotations

import re
from collections.abc import Hashable

from ...values import Value
from .lexicon import canonical
from .words import fold, stem, tokens

__all__ = ["feeling_of", "normalised", "texts_of"]

_LIKES = (
    "like likes love loves enjoy enjoys adore adores prefer prefers favourite favorite mag liebt bevorzugt gusta encanta "
    "prefiere aime adore prefere 喜欢 爱 好き want wants positive yes true"
)
_DISLIKES = (
    "dislike dislikes hate hates avoid avoids detest detests loathe loathes reject rejects refuse refuses never hasst meidet odia "
    "detesta evita deteste evite 讨厌 不喜欢 嫌い negative no false"
)
_FEELINGS = dict.fromkeys(_LIKES.split(), 1) | dict.fromkeys(_DISLIKES.split(), -1)

_UNITS: dict[str, tuple[str, float]] = {
    word: (base, factor)
    for base, factor, words in (
        ("m", 1000.0, "km kilometre kilometres kilometer kilometers"),
        ("m", 1.0, "m metre metres meter meters"),
        ("m", 0.01, "cm centimetre centimetres centimeter centimeters"),
        ("m", 1609.344, "mile miles mi"),
        ("m", 0.3048, "ft foot feet"),
        ("m", 0.0254, "inch inches"),
        ("g", 1000.0, "kg kilo kilos kilogram kilograms kilogramme"),
        ("g", 1.0, "g gram grams gramm gramme"),
        ("g", 453.592, "lb lbs pound pounds"),
        ("s", 1.0, "s sec second seconds"),
        ("s", 60.0, "min mins minute minutes minuten minutos"),
        ("s", 3600.0, "h hr hrs hour hours stunde stunden hora horas heure heures"),
        ("d", 1.0, "d day days tag tage dia dias jour jours"),
        ("d", 7.0, "week weeks woche wochen semana semanas semaine semaines"),
        ("month", 1.0, "month months monat monate mes meses mois"),
        ("month", 12.0, "y yr yrs year years jahr jahre ano anos an ans"),
        ("b", 1e6, "mb"),
        ("b", 1e9, "gb"),
        ("b", 1e12, "tb"),
        ("l", 1.0, "l litre litres liter liters"),
        ("l", 0.001, "ml"),
        ("%", 1.0, "% percent prozent"),
    )
    for word in words.split()
}
_QUANTITY = re.compile(r"^(\d+(?:[.,]\d+)?) ?([a-z%]+)$")
_MONTHS = {
    month: number
    for number, months in enumerate(
        (
            "january jan januar enero janvier", "february feb februar febrero fevrier", "march mar marz marzo mars",
            "april apr abril avril", "may mai mayo", "june jun juni junio juin", "july jul juli julio juillet",
            "august aug agosto aout", "september sep sept septiembre septembre", "october oct oktober octubre octobre",
            "november nov noviembre novembre", "december dec dezember diciembre decembre",
        ),
        1,
    )
    for month in months.split()
}  # fmt: skip
_ISO = re.compile(r"^(\d{4})-(\d\d?)-(\d\d?)$")
_DOTTED = re.compile(r"^(\d\d?)\.(\d\d?)\.(\d{4})$")
_EAST_ASIAN = re.compile(r"^(?:(\d{4})年)?(\d\d?)月(\d\d?)[日号]$")
_CLOCK = re.compile(r"^(\d\d?)(?:[:.h](\d\d))? ?(am|pm|a\.m\.|p\.m\.|uhr|h|o'clock)?$")


def normalised(value: Value) -> Hashable:
    """Equal for two values that mean the same. O(size)."""
    if isinstance(value, bool) or value is None:
        return ("yes" if value else "no") if isinstance(value, bool) else None
    if isinstance(value, int | float):
        return ("number", float(value))
    if isinstance(value, list):
        items = frozenset(normalised(item) for item in value)
        return next(iter(items)) if len(items) == 1 else items
    if isinstance(value, dict):
        return frozenset((fold(key), normalised(item)) for key, item in value.items())
    return _text(value)


def _text(value: str) -> Hashable:
    text = " ".join(fold(value).split()).strip(" .!\"'")
    if text in ("yes", "true", "ja", "si", "oui", "是", "はい"):
        return "yes"
    if text in ("no", "false", "nein", "non", "否", "いいえ"):
        return "no"
    found = _date(text) or _time(text)
    if found is not None:
        return found
    words = tokens(text)
    spelled = " ".join(words)
    if re.fullmatch(r"\d+(?:\.\d+)?", spelled):
        return ("number", float(spelled))
    quantity = _QUANTITY.match(spelled)
    if quantity is not None and quantity[2] in _UNITS:
        base, factor = _UNITS[quantity[2]]
        return ("quantity", base, round(float(quantity[1].replace(",", ".")) * factor, 6))
    if "," in words and len(words) < 32:  # a list written as text
        parts = re.split(r"\s*(?:,|;| and | und | y | et )\s*", text)
        return frozenset(_text(part) for part in parts if part)
    feeling = _FEELINGS.get(text)
    if feeling is not None:
        return ("feeling", feeling)
    return " ".join(canonical(stem(word)) for word in words if word not in ("the", "a", "an", ".", "!"))


def _date(text: str) -> tuple[str, int | None, int, int] | None:
    """(date, year, month, day); the year is None where none is given."""
    for pattern, order in ((_ISO, (1, 2, 3)), (_DOTTED, (3, 2, 1)), (_EAST_ASIAN, (1, 2, 3))):
        match = pattern.match(text)
        if match is not None:
            year, month, day = (match[place] for place in order)
            return ("date", None if year is None else int(year), int(month), int(day))
    words = re.findall(r"[a-z]+|\d+", re.sub(r"\b(\d+)(?:st|nd|rd|th)\b", r"\1", text))
    months = [_MONTHS[word] for word in words if word in _MONTHS]
    numbers = [int(word) for word in words if word.isdigit()]
    rest = [
        word for word in words if not word.isdigit() and word not in _MONTHS and word not in ("of", "the", "de", "le")
    ]
    if len(months) != 1 or rest or not 1 <= len(numbers) <= 2:
        return None
    days = [number for number in numbers if number <= 31]
    years = [number for number in numbers if number > 31]
    return ("date", years[0] if years else None, months[0], days[0]) if len(days) == 1 else None


def _time(text: str) -> tuple[str, int] | None:
    """Minutes since midnight, where the text is plainly a time of day."""
    match = _CLOCK.match(text)
    if match is None or not (match[2] or match[3]):
        return None
    hour, minute = int(match[1]), int(match[2] or 0)
    half = (match[3] or "").replace(".", "")
    if hour > 24 or minute > 59:
        return None
    if half == "pm" and hour < 12:
        hour += 12
    if half == "am" and hour == 12:
        hour = 0
    return ("time", hour * 60 + minute)


def feeling_of(value: Value) -> int | None:
    """+1 for a word of liking, −1 for one of disliking, else None."""
    if isinstance(value, bool):
        return 1 if value else -1
    return _FEELINGS.get(fold(value).strip()) if isinstance(value, str) else None


def texts_of(value: Value) -> list[str]:
    """The texts in *value*, folded."""
    if isinstance(value, str):
        return [fold(part).strip() for part in re.split(r"[,;]", value) if part.strip()]
    if isinstance(value, list):
        return [text for item in value for text in texts_of(item)]
    return [] if value is None or isinstance(value, bool | dict) else [str(value)]
