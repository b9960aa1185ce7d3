"""The words in which a language is written down: forms with gaps, frames around them, and what makes them silent.

A sentence is cut into *clauses*; a form has to fit a clause from its first word to its last, so what is not understood
whole is not understood at all. A form's gaps are groups named for what may stand there (see `slots`)::

    Form(r"I am allergic to (?P<things>.+)", "allergies.*")
    Form(r"I (?P<verb>love|hate) (?P<things>.+)", "preferences.*", verbs)

*Frames* turn other ways of saying a thing into the plain one: ``I'm no longer X`` is ``I am X``, ended.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ..candidates import Action, Strength
from .words import bare_letters

__all__ = ["Form", "Frame", "Language", "pattern"]


def pattern(text: str) -> re.Pattern[str]:
    """*text* as this package compiles all its patterns: letter case does not matter."""
    return re.compile(text, re.IGNORECASE)


@dataclass(frozen=True)
class Form:
    """One way of saying a thing.

    path: of the candidate; ``*`` stands for the segment of the gap's words. Of a form with several gaps, several paths
        with spaces between them, in the order of the gaps. ``{topic}`` and its like stand for the words of a group of
        that name, ``{same}`` for the path that the clause before spoke of.
    value: what it holds: a constant, a table from the words of the group ``verb`` to one, or None for the gap's words.
    imperative: a wish for all time, to which *if* and *when* may belong (*always ask if you are unsure*).
    noted: a memory that was asked for: its words are read as a clause of their own before they become a note.
    raw: fits the clause as it stands, before openers and closers are taken off.
    asking: a wish that is put as a question (*could you call me Liz?*); such forms are for questions only.
    unsure: a sign, which *would* or *maybe* does not weaken further.
    """

    text: str
    path: str
    value: str | Mapping[str, str] | None = None
    confidence: float = 0.9
    strength: Strength = Strength.EXPLICIT
    action: Action = Action.STATE
    imperative: bool = False
    noted: bool = False
    raw: bool = False
    unsure: bool = False
    asking: bool = False

    @cached_property
    def regex(self) -> re.Pattern[str]:
        return pattern(self.text)


@dataclass(frozen=True)
class Frame:
    """Another way of saying a plain clause: *text* matches its beginning (and, with the group ``rest``, the whole),
    and the clause then reads *plain* with what is left. ``action`` is what that makes of what it says.
    """

    text: str
    plain: str
    action: Action | None = None

    @cached_property
    def regex(self) -> re.Pattern[str]:
        return pattern(self.text)


_PATTERNS = tuple(
    name
    for line in (
        "cuts openers closers unreal reported asks things articles joints filler momentary pointing heads chosen",
        "own particular elliptic takes_back conditions corrects leaning bare",
    )
    for name in line.split()
)
"""The fields of `Language` that are patterns."""


@dataclass(frozen=True)
class Language:
    """All that is known of a language. Texts are patterns, matched without regard to letter case.

    hint: a message in which it is not found is not in this language.
    cuts: where a sentence falls apart into clauses.
    openers, closers: what may stand before and behind the words of a clause without changing what it says.
    unreal: makes a statement no statement (*if*, *would*, *maybe*), where it stands in the clause or before it.
    reported: makes what comes behind it somebody else's words (*he said*).
    asks: beginnings of a clause that asks.
    things: words that are no thing of their own (*it*, *you*, *when*), anywhere in a gap.
    articles: what is left away before a thing.
    joints: between the things of a list.
    filler: words that are left out of the name of a rule.
    momentary: words by which a wish is about what is at hand (*don't use tabs in this file*).
    heads: what the last thing of a list says of all (*jazz and folk music*).
    chosen: what is left away of something that was chosen (*the … one*).
    pointing: words by which a phrase is about what is at hand, or about the hearer.
    own: words for the person and what is theirs.
    particular: what makes a note one about something in particular.
    contractions: what stands for what, before forms are tried (*I'm*, *I am*).
    elliptic: beginnings of a clause that borrows its subject from the one before (*… and allergic to nuts*): it is read
        only if that one spoke of the person.
    takes_back: what behind a comma takes back, doubts or hands over what stands before it (*…, not*, *…, he said*).
    conditions: beginnings of a clause that belongs to the imperative behind it (*when booking flights, always …*).
    corrects: beginnings by which somebody corrects (*no*, *actually*, *I meant*).
    leaning: a correction that names no attribute, with the group ``new`` (*no, it's Berlin*).
    bare: one that says no more than the new value (*no, Berlin*).
    lexicon: words whose meaning is known, by gap: ``diet``, ``language``, ``country``, ``job``, ``kin``, ``animal`` …
    spaced: whether there are spaces between words.
    joins_words: whether the last part of a long word says what it is (*Softwareentwicklerin*).
    """

    code: str
    hint: str
    cuts: str
    openers: str
    closers: str
    unreal: str
    reported: str
    asks: str
    things: str
    articles: str
    joints: str
    filler: str
    forms: tuple[Form, ...]
    frames: tuple[Frame, ...] = ()
    momentary: str = r"(?!)"
    own: str = r"(?!)"
    particular: str = r""
    pointing: str = r""
    heads: str = r"(?!)"
    chosen: str = r"(?!)"
    contractions: tuple[tuple[str, str], ...] = ()
    elliptic: str = r"(?!)"
    takes_back: str = r""
    conditions: str = r"(?!)"
    corrects: str = r"(?!)"
    leaning: str = r"(?!)"
    bare: str = r"(?!)"
    lexicon: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    spaced: bool = True
    joins_words: bool = False

    @cached_property
    def regex(self) -> Mapping[str, re.Pattern[str]]:
        """The fields that are patterns, compiled."""
        return {name: pattern(getattr(self, name)) for name in _PATTERNS}

    @cached_property
    def found(self) -> re.Pattern[str]:
        """Its hint alone, so that a language that is not spoken is not compiled."""
        return pattern(self.hint)

    @cached_property
    def _meanings(self) -> Mapping[str, Mapping[str, str]]:
        return {
            kind: {bare_letters(word): meaning for word, meaning in table.items()}
            for kind, table in self.lexicon.items()
        }

    @cached_property
    def _spelled(self) -> tuple[tuple[re.Pattern[str], str], ...]:
        return tuple((pattern(short), full) for short, full in self.contractions)

    def meaning(self, kind: str, words: str) -> str | None:
        """What the lexicon of *kind* says about *words*, whatever their letter case and accents."""
        return self._meanings.get(kind, {}).get(bare_letters(words))

    def spelled(self, text: str) -> str:
        """*text* with its contractions written out."""
        for short, full in self._spelled:
            text = short.sub(full, text)
        return text
