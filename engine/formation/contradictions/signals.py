"""The second layer: words that commonly mark a contradiction, between statements that are near enough to bear on one
another.

Certain, and a verdict by themselves:

- claims of one slot with another value (*lives in Berlin*, *moved to Porto*), of a liking turned round, of a thing that
  took another's place (`comparing`); words alone decide these, however far apart the sentences lie;
- an end (*no longer*, *stopped*, *used to*) or a one-sided denial, where the other says all that is ended or denied;
- opposites and other numbers, where all the rest is aligned and both speak of the same.

All else is a hint (`Relation.UNSURE`): a reason to be less sure and to ask.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .claim import Claim, Slot
from .claims import claims_of
from .comparing import Finding, compared
from .kinds import kinds_of
from .lexicon import are_opposite
from .reading import Reading, coverage, read, same_person, unmatched
from .statements import Layer, Relation, Statement, Verdict
from .structure import side_by_side
from .words import same_word

__all__ = ["by_claims", "by_signals", "near_in_words"]

_NOW = re.compile(
    r"\b(?:now|nowadays|these days|again|instead|lately|currently|anymore|since|jetzt|inzwischen|wieder|mittlerweile|ahora|actualmente|otra vez|"
    r"maintenant|desormais|de nouveau|started|became|become|only|went back|back to)\b|现在|如今|又|今は|最近|また"
)
_ALSO = re.compile(
    r"\b(?:also|too|as well|another|besides|in addition|auch|ausserdem|tambien|ademas|aussi|egalement)\b|也|还|も"
)
_ONCE = re.compile(
    r"\b(?:went|visited|bought|saw|met|flew|attended|watched|yesterday|once|last night|tried|in (?:19|20)\d\d)\b"
)
_ALWAYS_ONE = frozenset({"frequency", "level", "party", "units", "spelling"})
_CLAUSE = re.compile(r"[.;,]| (?:and|but|und|aber|y|pero|et|mais)(?: (?:says|said))? ")
_ENDING = frozenset(
    "stop end quit give finish done longer leave anymore up over use swear cancel get rid aufgehort mehr aufgegeben deje dejado dejo arrete cess plus fruher autrefois antes 戒 再 停 止 以 前 了 放 弃 已 经 昔 辞 や め".split()
)
_CHANGING = frozenset("mov postpon reschedul shift upgrad downgrad switch chang becom turn renew".split())
_MORE = 4
"""Words that a statement may have beyond those that are over, and still be the one that is meant."""
_STRONG = 0.75
_ALIGNED = 0.7
_HALF = 0.5


def by_claims(old: Statement, new: Statement) -> Verdict | None:
    """What the claims of the two say of one another; None if nothing. O(claims²), a handful each."""
    before, after = read(old.words), read(new.words)
    if not same_person(before.who, after.who) or before.past or before.indefinite or after.indefinite:
        return None
    if before.unreal is not after.unreal:  # a wish takes nothing back
        return None
    over = _stopped(old, new, before)
    if over is not None:
        return over
    now = _NOW.search(after.text) is not None
    neighbours = side_by_side(old, new)
    findings = [
        finding
        for one in claims_of(old)
        for other in claims_of(new)
        if not (neighbours and other.slot is not Slot.SWITCHES)
        and (finding := _in_time(one, other, before, after, compared(one, other, now=now))) is not None
    ]
    return _strongest(findings)


def _stopped(old: Statement, new: Statement, before: Reading) -> Verdict | None:
    """Whether the new one says that just what the old one tells of is over, in few words."""
    if before.negated or before.ended:
        return None
    for claim in claims_of(new):
        words = read(claim.thing).content if claim.slot is Slot.STOPPED else ()
        if words and len(before.content) <= len(words) + _MORE and not unmatched(words, before.content):
            reason = f"it says that it is over with {claim.thing}"
            return Verdict(Relation.CONTRADICTS, 0.9, Layer.SIGNALS, (reason,))
    return None


def _in_time(old: Claim, new: Claim, before: Reading, after: Reading, finding: Finding | None) -> Finding | None:
    """The finding once it is known what is over: *no longer* turns a repetition into a contradiction."""
    if finding is None or new.slot is Slot.SWITCHES:
        return finding
    if Slot.EATS in (old.slot, new.slot) and _ONCE.search(after.text) and not _NOW.search(after.text):
        return Finding(Relation.UNSURE, 0.4, f"{finding.reason}; but it may have been for once")
    over = (after.ended or after.past) and not new.is_denied
    begun = before.ended and not old.is_denied
    if over is begun:
        return finding
    if finding.relation is Relation.DUPLICATE:
        return Finding(Relation.CONTRADICTS, 0.92, f"{finding.reason}, but one of them says that it is over")
    return None


def by_signals(old: Statement, new: Statement) -> Verdict | None:
    """What single words say; for statements whose similarity lies inside the band. O(words²)."""
    before, after = read(old.words), read(new.words)
    if not same_person(before.who, after.who):
        reason = f"one speaks of {before.who or 'the person'}, the other of {after.who or 'the person'}"
        return Verdict(Relation.NEUTRAL, 0.8, Layer.SIGNALS, (reason,))
    if before.past and not after.past:
        return Verdict(Relation.NEUTRAL, 0.7, Layer.SIGNALS, ("the older one tells of the past",))
    findings = [*_ended(before, after), *_denied(before, after), *_denied_in_part(before, after)]
    if not findings and before.negated == after.negated and not _both_liked(old, new):
        findings = [*_opposite(before, after), *_numbers(before, after), *_replaced(before, after)]
    if before.unreal is not after.unreal:
        findings = [
            Finding(Relation.UNSURE, 0.4, f"{one.reason}; but one is a wish, a guess or a question") for one in findings
        ]
    return _strongest(findings)


def _both_liked(old: Statement, new: Statement) -> bool:
    """Whether both tell of what is liked, or both of what is not: one may like summers in Rome and winters in Oslo."""
    signs = {claim.sign for claim in claims_of(old) if claim.slot is Slot.FEELS}
    return bool(signs & {claim.sign for claim in claims_of(new) if claim.slot is Slot.FEELS})


def near_in_words(old: Statement, new: Statement) -> bool:
    """Whether one denies or ends all that the other says, word by word: then they bear on one another whatever a
    sentence model makes of them, which may not know their language.
    """
    before, after = read(old.words), read(new.words)
    if before.negated == after.negated and before.ended == after.ended:
        return False
    special, general = (before, after) if before.negated or before.ended else (after, before)
    words = [word for word in special.content if word not in _ENDING]
    if not words or unmatched(words, general.content):
        return False
    return len(words) > 1 or same_word(words[0], general.content[0])


def _ended(before: Reading, after: Reading) -> list[Finding]:
    over = after.ended or after.past
    if over is before.ended or (over and before.negated and not after.negated):
        return []
    ending, other = (after, before) if over else (before, after)
    if other.negated:
        return []
    words = [word for word in ending.content if word not in _ENDING]
    if not words:
        return []
    share = 1 - len(unmatched(words, other.content)) / len(words)
    if share >= _STRONG:
        return [Finding(Relation.CONTRADICTS, 0.9, "one says that it is over, the other that it is so")]
    return [Finding(Relation.UNSURE, 0.4, "one says that something like it is over")] if share >= _HALF else []


def _denied(before: Reading, after: Reading) -> list[Finding]:
    if before.negated is after.negated or before.ended or after.ended:
        return []
    denial, other = (before, after) if before.negated else (after, before)
    share = coverage(denial, other)
    if share >= _STRONG:
        return [Finding(Relation.CONTRADICTS, 0.6 + 0.3 * share, "one denies what the other says")]
    return [Finding(Relation.UNSURE, 0.4, "one denies something like what the other says")] if share >= _HALF else []


def _denied_in_part(before: Reading, after: Reading) -> list[Finding]:
    """A clause of one sentence may deny what the other says: *he had shrimp and says he is not allergic*."""
    if before.ended or after.ended:
        return []
    for whole, parted in ((before, after), (after, before)):
        clauses = (
            [read(clause) for clause in _CLAUSE.split(parted.text)] if not whole.negated and parted.negated else []
        )
        for clause in clauses if len(clauses) > 1 else ():
            if clause.negated and len(clause.content) > 1 and not unmatched(clause.content, whole.content):
                return [Finding(Relation.CONTRADICTS, 0.75, "a part of one denies what the other says")]
    return []


def _opposite(before: Reading, after: Reading) -> list[Finding]:
    left, right = unmatched(before.content, after.content), unmatched(after.content, before.content)
    pair = next(((a, b) for a in left for b in right if are_opposite(a, b)), None)
    if pair is None:
        return []
    reason = f"{before.spoken[pair[0]]} and {after.spoken[pair[1]]} exclude one another"
    aligned = _aligned(before, left) and _aligned(after, right)
    if aligned and not (before.indefinite and _is_attribute(pair, before, after)):
        return [Finding(Relation.CONTRADICTS, 0.7, f"{reason}, and the rest is the same")]
    return [Finding(Relation.UNSURE, 0.4, reason)]


def _numbers(before: Reading, after: Reading) -> list[Finding]:
    left, right = unmatched(before.content, after.content), unmatched(after.content, before.content)
    right = [word for word in right if word not in _CHANGING]
    if not (left and right and left[0][0].isdigit() and right[0][0].isdigit()):
        return []
    if _bound(before.text, left[0]) != _bound(after.text, right[0]):
        return []  # *before 9* and *after 22* are two bounds
    reason = f"it was {left[0]} and is {right[0]}"
    if len(left) == len(right) == 1 and not before.indefinite and not _ONCE.search(after.text):
        return [Finding(Relation.CONTRADICTS, 0.8, f"{reason}, and the rest is the same")]
    return [Finding(Relation.UNSURE, 0.4, reason)] if len(left) == len(right) == 1 else []


def _bound(text: str, number: str) -> str:
    match = re.search(
        rf"\b(before|after|until|till|from|over|under|above|below|least|most|than|vor|nach|bis|ab) {re.escape(number)}\b",
        text,
    )
    return "" if match is None else match[1]


def _replaced(before: Reading, after: Reading) -> list[Finding]:
    left, right = unmatched(before.content, after.content), unmatched(after.content, before.content)
    if len(left) != 1 or len(right) != 1 or before.indefinite or after.indefinite or _ONCE.search(after.text):
        return []
    kinds = kinds_of(left[0]) & kinds_of(right[0])
    reason = f"it was {before.spoken[left[0]]} and is {after.spoken[right[0]]}, and the rest is the same"
    if kinds & _ALWAYS_ONE:
        return [Finding(Relation.CONTRADICTS, 0.75, reason)]
    if _ALSO.search(after.text) or not _NOW.search(after.text):
        return []
    alike = len(before.content) - 1
    if (kinds and alike) or alike > 1:
        return [Finding(Relation.CONTRADICTS, 0.75 if kinds else 0.65, f"{reason}, now")]
    return [Finding(Relation.UNSURE, 0.4, f"{reason}, now")] if alike else []


def _aligned(reading: Reading, unlike: Sequence[str]) -> bool:
    """Whether all words but one have their like in the other sentence, or nearly all."""
    changing = len(_CHANGING.intersection(unlike))
    rest = len(reading.content) - 1 - changing
    return rest > 0 and 1 - (len(unlike) - 1 - changing) / rest >= _ALIGNED


def _is_attribute(pair: tuple[str, str], before: Reading, after: Reading) -> bool:
    """Whether the opposites merely describe some things that need not be the same: *a small dog*, *a big dog*."""
    return before.content[:1] == pair[:1] and after.content[:1] == pair[1:]


def _strongest(findings: Sequence[Finding]) -> Verdict | None:
    """The weightiest: a contradiction before a repetition before a hint."""
    order = (Relation.CONTRADICTS, Relation.DUPLICATE, Relation.ENTAILS, Relation.UNSURE, Relation.NEUTRAL)
    for relation in order:
        found = [finding for finding in findings if finding.relation is relation]
        if found:
            best = max(found, key=lambda finding: finding.confidence)
            return Verdict(relation, best.confidence, Layer.SIGNALS, tuple(dict.fromkeys(one.reason for one in found)))
    return None
