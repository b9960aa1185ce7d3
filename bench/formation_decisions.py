"""Whether the right thing is written: conversations that the project made up, and what must come of each.

Each case of ``bench/decisions/*.json`` runs in a vault of its own, as an agent's program would do it: what was there
before is written by the person or an agent, messages are logged in sessions, `Vault.sweep_once` forms memories by the
built-in rules. No model, no network. A case says

=================  ====================================================================================
before             leaves that stand there: ``by`` the person, or learned (with the words that justified it)
talk               messages, [role, text] or [role, text, session], swept after each session; a step
                   ``{"recall": query}`` recalls, and ``{recalled}`` in a text stands for what it showed
holds              what must be in the person's memory afterwards, each by at least one leaf
lacks              what must not be there
allows             what may be there, besides
flagged_instead    what must not be there may also stand there, flagged as contradicted
unflagged          paths that must not be flagged
nowhere            texts that no leaf, hypothesis or suggestion may hold
decision           what the report must say: one of these outcomes
=================  ====================================================================================

A leaf matches by ``under`` (its path, or one above it), ``scope``, ``value`` (one of these) and ``mentions`` (one of
these texts is in its path, value or words). Any other leaf that was learned is wrong too. The person's leaves may
never change.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from vademecum import Vault
from vademecum.engine.formation.hypotheses import hypotheses
from vademecum.engine.formation.report import Outcome, What
from vademecum.engine.leaf import Leaf
from vademecum.engine.records import USER

from .measure import Row, at_least, at_most

__all__ = ["DECISIONS", "Case", "Result", "cases", "in_memory", "matches", "rows", "run"]

DECISIONS = Path(__file__).parent / "decisions"
AGENT = "prix/daily-eats@1.0.0"
RIGHT = 0.9
TIER_1 = ("user.public", "user.private")

verbose = False
"""Whether `rows` names on stderr what failed."""


@dataclass(frozen=True)
class Case:
    category: str
    name: str
    given: dict[str, Any]

    @property
    def id(self) -> str:
        return f"{self.category}/{self.name}"


@dataclass
class Result:
    """``wrong`` says what is not as it must be. ``overwritten`` counts leaves of the person that changed, ``junk``
    leaves that nothing allows.
    """

    case: Case
    wrong: list[str] = field(default_factory=list)
    overwritten: int = 0
    junk: int = 0


def cases() -> Iterator[Case]:
    """Every case, by category."""
    for file in sorted(DECISIONS.glob("*.json")):
        group = json.loads(file.read_text())
        for given in group["cases"]:
            yield Case(group["category"], given["name"], given)


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory(dir=in_memory()) as folder:
        results = [run(case, Path(folder) / str(number)) for number, case in enumerate(cases())]
    if verbose:
        for result in results:
            for wrong in result.wrong:
                print(f"{result.case.id}: {wrong}", file=sys.stderr)
    injected = [one for one in results if one.case.category == "injected"]
    made = [
        at_most("formation/decisions/overwritten", sum(one.overwritten for one in results), "leaves", target=0),
        at_most("formation/decisions/injected", sum(bool(one.wrong) for one in injected), "cases", target=0),
        at_least("formation/decisions/right", _share(results), "share", target=RIGHT),
    ]
    for category in dict.fromkeys(one.case.category for one in results):
        share = _share([one for one in results if one.case.category == category])
        made.append(at_least(f"formation/decisions/right/{category}", share, "share", target=None))
    return made


def in_memory() -> Path | None:
    """A folder in memory, where there is one: two hundred vaults are made, and a disk is not what is measured."""
    folder = Path("/dev/shm")
    return folder if folder.is_dir() and os.access(folder, os.W_OK) else None


def run(case: Case, home: Path) -> Result:
    """Plays *case* in a new vault at *home*, and compares what came of it."""
    with Vault.create(home) as vault:
        began = datetime.now(UTC) - timedelta(days=10)
        for leaf in case.given.get("before", ()):
            if leaf["by"] == "person":
                vault.user.set(leaf["path"], leaf["value"])
            else:
                agent = vault.agent(AGENT)
                agent.remember(leaf["path"], leaf["value"], because=leaf["because"], sentence=leaf["because"], at=began)
        before = _tier_1(vault)
        outcomes = _play(case, vault, began)
        return _compared(case, vault, before, outcomes)


def _play(case: Case, vault: Vault, began: datetime) -> list[Outcome]:
    agent = vault.agent(AGENT)
    outcomes: list[Outcome] = []
    recalled = ""
    current = None
    at = began + timedelta(days=1)
    for step in case.given["talk"]:
        if isinstance(step, dict):
            recalled = " ".join(one.text for one in agent.recall(step["recall"]))
            continue
        role, text, *rest = step
        session = rest[0] if rest else "talk"
        if current not in (None, session):
            outcomes += _swept(vault)
            at += timedelta(days=1)
        current = session
        at += timedelta(minutes=1)
        agent.session(session).log(role, text.replace("{recalled}", recalled), at=at)
    return outcomes + _swept(vault)


def _swept(vault: Vault) -> list[Outcome]:
    outcomes: list[Outcome] = []
    for _ in range(5):
        report = vault.sweep_once()
        outcomes += report.outcomes
        if not report.waiting:
            return outcomes
    raise RuntimeError("after five sweeps there are still signals that wait")


def _compared(case: Case, vault: Vault, before: list[Leaf], outcomes: list[Outcome]) -> Result:
    result = Result(case)
    given = case.given
    after = _tier_1(vault)
    flagged = {str(one.other) for one in outcomes if one.what is What.CONTRADICTION}
    for leaf in before:
        if leaf.agent == USER and not any(_same(leaf, one) for one in after):
            result.overwritten += 1
            result.wrong.append(f"the person's {leaf.path} was changed")
    for wanted in given.get("holds", ()):
        if not any(matches(wanted, leaf) for leaf in after):
            result.wrong.append(f"there is no {_shown(wanted)}")
    for unwanted in given.get("lacks", ()):
        for leaf in after:
            if matches(unwanted, leaf) and not (given.get("flagged_instead") and leaf.id in flagged):
                result.wrong.append(f"there is {leaf.path} = {leaf.value!r}")
    stood = {(leaf.id, str(leaf.value)) for leaf in before}
    expected = [*given.get("holds", ()), *given.get("allows", ())]
    for leaf in after:
        if (leaf.id, str(leaf.value)) not in stood and not any(matches(one, leaf) for one in expected):
            result.junk += 1
            result.wrong.append(f"{leaf.path} = {leaf.value!r} was learned")
    for path in given.get("unflagged", ()):
        if f"user.public:{path}" in flagged:
            result.wrong.append(f"{path} was flagged")
    told = _told(vault, after)
    for text in given.get("nowhere", ()):
        if text.casefold() in told:
            result.wrong.append(f"{text!r} was kept")
    decision = given.get("decision")
    if decision is not None and not _decided(decision, outcomes):
        made = Counter(str(one.what) for one in outcomes)
        result.wrong.append(f"the decision was {dict(made)}, not {' or '.join(decision)}")
    return result


def matches(wanted: dict[str, Any], leaf: Leaf) -> bool:
    """Whether *leaf* is what a case means by *wanted*."""
    above = [wanted["under"]] if isinstance(wanted["under"], str) else wanted["under"]
    if not any(leaf.path == path or leaf.path.startswith(f"{path}.") for path in above):
        return False
    if leaf.scope != wanted.get("scope", leaf.scope):
        return False
    if "value" in wanted and _plain(leaf.value) not in {_plain(value) for value in wanted["value"]}:
        return False
    words = f"{leaf.path} {leaf.value} {leaf.text}".casefold()
    return "mentions" not in wanted or any(text.casefold() in words for text in wanted["mentions"])


def _decided(decision: list[str], outcomes: list[Outcome]) -> bool:
    made = {str(one.what) for one in outcomes}
    if decision == ["nothing"]:
        return made <= {"nothing", "refused"}
    return bool(made & set(decision))


def _tier_1(vault: Vault) -> list[Leaf]:
    return [leaf for leaf in vault.user.leaves() if leaf.scope in TIER_1]


def _told(vault: Vault, leaves: list[Leaf]) -> str:
    """Everything that is kept for the memory, as one text."""
    kept: list[Any] = [leaf.as_json() for leaf in leaves]
    with vault.replica.read() as view:
        kept += [one.as_json() for one in hypotheses(view)]
    kept += [one.as_json() for one in vault.suggestions()]
    return json.dumps(kept, ensure_ascii=False).casefold()


def _same(one: Leaf, other: Leaf) -> bool:
    return (one.id, one.value, one.agent) == (other.id, other.value, other.agent)


def _plain(value: Any) -> str:
    return str(value).casefold().strip(" .!。！")


def _shown(wanted: dict[str, Any]) -> str:
    told = " or ".join(map(str, wanted.get("value", ()))) or f"mention of {' or '.join(wanted.get('mentions', ()))}"
    return f"{wanted['under']}: {told}"


def _share(results: list[Result]) -> float:
    return sum(not one.wrong for one in results) / len(results)
