"""The three-way merge, against a model that knows only the sentences of the documentation; and whole histories."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vademecum import Vault
from vademecum.errors import NotFound, Protected
from vademecum.textfile import bring_into_step
from vademecum.textfile.bases import Base
from vademecum.textfile.merging import Ours, Outcome, Theirs, merge
from vademecum.textfile.patching import patch
from vademecum.textfile.reading import Key, read_vault_text
from vademecum.textfile.rendering import Shown

VALUES = st.none() | st.sampled_from([b"1", b"2", b"3"])
OURS = st.none() | st.builds(Ours, VALUES, st.integers(1, 3), st.booleans())


def in_words(base: bytes | None, file: bytes | None, ours: Ours | None, saved: int) -> tuple[bytes | None, set[bytes]]:
    """What both sides say afterwards, and what is kept beside the file: the rule as the documentation says it."""
    vault = ours.digest if ours else None
    person_changed_the_file = file != base
    vault_changed = vault != base
    if not person_changed_the_file:
        return vault, set()
    if not vault_changed or file == vault:
        return file, set()
    the_vaults_is_the_persons = ours is not None and ours.by_person
    if the_vaults_is_the_persons and ours is not None and ours.updated_ms > saved:
        return vault, {file} if file is not None else set()
    if file is None and the_vaults_is_the_persons:
        return None, {vault} if vault is not None else set()
    return file, set()


@given(VALUES, VALUES, OURS, st.integers(1, 3))
@settings(max_examples=500)
def test_the_merge_does_what_the_documentation_says(
    base: bytes | None, file: bytes | None, ours: Ours | None, saved: int
) -> None:
    outcome = merge(
        {} if base is None else {"k": base},
        {} if file is None else {"k": Theirs(file)},
        {} if ours is None else {"k": ours},
        saved,
    ).get("k", Outcome.SAME)
    vault = ours.digest if ours else None
    says = {
        Outcome.SAME: vault,
        Outcome.VAULT: vault,
        Outcome.OVERRULED: vault,
        Outcome.RETURNED: vault,
        Outcome.WRITE: file,
        Outcome.DELETE: None,
        Outcome.DELETE_UNSEEN: None,
    }[outcome]
    kept = {Outcome.OVERRULED: {file}, Outcome.DELETE_UNSEEN: {vault}}.get(outcome, set())
    assert (says, kept) == in_words(base, file, ours, saved)


@pytest.mark.parametrize(
    ("theirs", "ours", "outcome"),
    [
        (Theirs(b"1", 5), Ours(b"2", 6, False), Outcome.OVERRULED),  # an old copy of what the agent has changed since
        (Theirs(b"1", 6), Ours(b"2", 6, False), Outcome.WRITE),  # the person changed the value and left the source
        (Theirs(b"1", 5), Ours(None, 4, True), Outcome.OVERRULED),  # deleted since: it does not come back by itself
        (Theirs(b"1", 5), None, Outcome.WRITE),  # the vault has never heard of it
    ],
)
def test_an_agents_leaf_in_a_file_that_was_never_met_is_an_old_copy(
    theirs: Theirs, ours: Ours | None, outcome: Outcome
) -> None:
    assert merge({}, {"k": theirs}, {} if ours is None else {"k": ours}, 9) == {"k": outcome}


MEETINGS = st.lists(
    st.tuples(
        st.none() | st.sampled_from(["t1", "t2", "t3", "t4"]),
        st.dictionaries(st.sampled_from([("user.public", "a"), ("user.public", "b")]), st.sampled_from([b"1", b"2"])),
    ),
    max_size=10,
)


@given(MEETINGS)
def test_what_former_texts_said_is_known_by_their_stamps(meetings: list[tuple[str | None, dict[Key, bytes]]]) -> None:
    base = Base(Path("vault.yaml"))
    model: dict[str, dict[Key, bytes]] = {}
    for stamp, leaves in meetings:
        base = base.met(stamp, leaves)
        if stamp is not None:
            model[stamp] = leaves
        for known, said in model.items():
            assert base.made_from(known).leaves == said
            assert base.made_from(known).made_from(base.stamp).leaves == leaves or base.stamp is None
        assert base.made_from(None).leaves == leaves
        assert base.made_from("unknown").leaves == {}


PATHS = ("a", "b", "c.d")
STEPS = st.lists(
    st.tuples(st.sampled_from(["type", "remove", "set", "forget", "learn", "pass"]), st.sampled_from(PATHS)),
    min_size=4,
    max_size=14,
)


@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS)
def test_whatever_happens_in_whatever_order_nothing_that_was_typed_is_lost(steps: list[tuple[str, str]]) -> None:
    """Each value is written once. At the end file and vault agree, and each value that the person typed stands there,
    or in the vault's history, or in a file beside; or the person has seen it and typed over it, or deleted that path.
    """
    with tempfile.TemporaryDirectory() as folder, Vault.create(Path(folder) / "home") as vault:
        file = Path(folder) / "vault.yaml"
        bring_into_step(vault, file)
        typed: set[str] = set()
        clock = 2_000_000_000.0
        for number, (what, path) in enumerate(steps):
            text = f"word{number}"
            lines = _lines(file)
            if what == "type":
                typed.discard(lines.get(path, ""))  # seen, and replaced in the file before any pass
                lines[path] = text
                typed.add(text)
            elif what == "remove":
                typed.discard(lines.pop(path, ""))
            if what in ("type", "remove"):
                clock += 1
                _write(file, lines)
                os.utime(file, (clock - 4e8 * (number % 2), clock - 4e8 * (number % 2)))
            elif what == "set":
                vault.user.set(path, text)
                typed.add(text)
            elif what == "forget":
                try:
                    typed -= {one.value for one in vault.why(path).history if isinstance(one.value, str)}
                    vault.forget(path)
                except NotFound:
                    pass
            elif what == "learn":
                with suppress(Protected):  # the person's own stands there
                    vault.agent("prix/eats@1.0.0").remember(path, text, because="so it is")
            else:
                bring_into_step(vault, file)
        bring_into_step(vault, file)
        assert _lines(file) == {leaf.path: leaf.value for leaf in vault.user.leaves()}
        found = {str(leaf.value) for leaf in vault.user.leaves()}
        found |= {str(change.value) for change in vault.log()}
        kept = "".join(one.read_text() for one in Path(folder).glob("vault.conflict-*"))
        deleted_by_the_person = _deleted(vault)
        lost = {text for text in typed if text not in found and text not in kept}
        assert all(_path_of(text, steps) in deleted_by_the_person for text in lost), (lost, steps)


def _path_of(text: str, steps: list[tuple[str, str]]) -> str:
    return steps[int(text.removeprefix("word"))][1]


def _deleted(vault: Vault) -> set[str]:
    return {change.path for change in vault.log() if change.what == "deleted" and change.agent == "user"}


def _lines(file: Path) -> dict[str, str]:
    return {path: str(leaf.value) for (_, path), leaf in read_vault_text(file.read_text(), file).leaves.items()}


def _write(file: Path, lines: dict[str, str]) -> None:
    """The person's editor: changes the lines of leaves, and nothing else."""
    found = read_vault_text(file.read_text(), file)
    shown = {}
    for path, value in lines.items():
        old = found.leaves.get(("user.public", path))
        source = old.source.plain().items() if old is not None and old.source is not None else ()
        shown["user.public", path] = Shown(value, tuple(source))
    text = patch(found, shown, file)
    assert text is not None
    file.write_text(text)
