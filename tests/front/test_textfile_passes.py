"""File and vault in step: real files, a real vault, and everything that a person or an editor does to a file."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from vademecum import Vault
from vademecum.errors import NotFound, StorageTrouble, UnreadableFile
from vademecum.importers import import_file
from vademecum.storage.tables import Table
from vademecum.textfile import Report, bring_into_step
from vademecum.textfile import passes as passes_module
from vademecum.textfile.bases import Base, forget_meeting
from vademecum.textfile.reading import end_line, read_vault_text

EATS = "prix/daily-eats@1.0.0"


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    with Vault.create(tmp_path / "home") as made:
        made.user.set("name", "Alice")
        made.user.set("address", {"city": "Lisbon", "floor": 3})
        made.user.set("health.allergies", ["peanuts"], private=True)
        made.agent(EATS).remember("diet", ["vegetarian"], because="I eat no meat", kind="preference")
        yield made


@pytest.fixture
def file(vault: Vault, tmp_path: Path) -> Path:
    """The vault's file, as it was first written."""
    folder = tmp_path / "text"
    folder.mkdir()
    made = folder / "vault.yaml"
    assert bring_into_step(vault, made).file == "created"
    return made


def change(file: Path, old: str, new: str, *, at: float = 0.0) -> None:
    """The person replaces *old* by *new*; *at* seconds from now."""
    text = file.read_bytes().decode()
    assert text.count(old) == 1, text
    file.write_bytes(text.replace(old, new).encode())
    if at:
        os.utime(file, (time.time() + at, time.time() + at))


def stamp_of(file: Path) -> str:
    return read_vault_text(file.read_text(), file).stamp or ""


def without_stamp(text: str) -> str:
    return text[: text.index("# The end, as of ")]


def beside(file: Path) -> list[str]:
    return sorted(one.name for one in file.parent.iterdir() if one != file)


def test_the_file_shows_tier_1_as_a_person_would_write_it(vault: Vault, file: Path) -> None:
    source = vault.user.leaf("diet").source()
    assert file.read_text() == (
        "# What your agents know about you. Change, add or remove what you like: what you write here is yours, and no "
        "agent\n# changes it afterwards. A value with a _source was written by the agent that stands there.\n\n"
        "public:\n  address:\n    city: Lisbon\n    floor: 3\n  diet:\n    _value: [vegetarian]\n"
        f"    _source: {{_agent: {EATS}, _created: {source['created']}, _updated: {source['updated']}}}\n"
        "  name: Alice\n"
        f"private:\n  health:\n    allergies: [peanuts]\n\n{end_line(stamp_of(file))}\n"
    )
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_file_can_be_imported_into_another_vault(vault: Vault, file: Path, tmp_path: Path) -> None:
    with Vault.create(tmp_path / "other") as other:
        import_file(other, file)
        mine, theirs = vault.user.tree(), other.user.tree()
        assert theirs["public"]["diet"] == mine["public"]["diet"]  # type: ignore[index]
        assert other.user.get("health.allergies", scope="user.private") == ["peanuts"]


def test_nothing_happens_where_nothing_has_changed(vault: Vault, file: Path) -> None:
    before, log = file.stat(), vault.log()
    assert bring_into_step(vault, file) == Report()
    assert file.stat() == before
    assert vault.log() == log


def test_what_the_person_changes_adds_and_removes_is_theirs_and_the_rest_is_not_touched(
    vault: Vault, file: Path
) -> None:
    change(file, "Alice", "Alice B.   # in full")
    change(file, "    floor: 3\n", "  hobbies:\n  - chess\n")
    log = len(vault.log())
    report = bring_into_step(vault, file)
    assert (set(report.written), report.deleted) == ({"public.name", "public.hobbies"}, ("public.address.floor",))
    assert vault.user.get("name") == "Alice B."
    assert vault.user.get("hobbies") == ["chess"]
    with pytest.raises(NotFound):
        vault.user.get("address.floor")
    assert len(vault.log()) == log + 3
    assert vault.user.leaf("diet").agent == EATS
    assert "name: Alice B.   # in full\n" in file.read_text()
    assert bring_into_step(vault, file) == Report()


def test_an_agents_value_that_the_person_changes_becomes_theirs_and_keeps_its_kind(vault: Vault, file: Path) -> None:
    change(file, "_value: [vegetarian]", "_value: [vegan]")
    assert bring_into_step(vault, file).written == ("public.diet",)
    leaf = vault.user.leaf("diet")
    assert (leaf.agent, leaf.value, leaf.kind) == ("user", ["vegan"], "preference")
    assert "_source:" not in file.read_text()
    assert "    _value: [vegan]\n" in file.read_text()


def test_a_leaf_written_from_the_file_has_the_time_of_the_file(vault: Vault, file: Path) -> None:
    change(file, "Alice", "Bob", at=-3600)
    bring_into_step(vault, file)
    assert abs(vault.user.leaf("name").updated.timestamp() - (time.time() - 3600)) < 60


def test_a_source_that_is_changed_by_hand_is_put_right(vault: Vault, file: Path) -> None:
    text = file.read_text()
    change(file, EATS, "evil/agent@6.6.6")
    assert bring_into_step(vault, file) == Report(file="updated")
    assert without_stamp(file.read_text()) == without_stamp(text)
    assert vault.user.leaf("diet").agent == EATS
    change(file, EATS, "nonsense")
    assert bring_into_step(vault, file) == Report(file="updated")
    assert without_stamp(file.read_text()) == without_stamp(text)


def test_what_changes_in_the_vault_comes_into_the_file_and_comments_stay(vault: Vault, file: Path) -> None:
    change(file, "public:\n", "# my notes\npublic:   # all of it\n")
    change(file, "  name: Alice\n", "  # me\n  name: Alice   # short\n")
    vault.user.set("name", "Alice B.")
    vault.forget("address.floor")
    vault.agent(EATS).remember("diet", ["vegan"], because="no eggs either")
    assert bring_into_step(vault, file) == Report(file="updated")
    text = file.read_text()
    assert "# my notes\npublic:   # all of it\n" in text
    assert "  # me\n  name: Alice B.   # short\n" in text
    assert "floor" not in text
    assert "    _value: [vegan]\n" in text


@pytest.mark.parametrize(("at", "wins"), [(60.0, "file"), (-60.0, "vault")])
def test_a_leaf_that_the_person_changed_on_both_sides_is_decided_by_its_time(
    vault: Vault, file: Path, at: float, wins: str
) -> None:
    vault.user.set("name", "from the phone")
    change(file, "Alice", "from the file", at=at)
    report = bring_into_step(vault, file)
    assert vault.user.get("name") == f"from the {'file' if wins == 'file' else 'phone'}"
    assert f"name: {vault.user.get('name')}\n" in file.read_text()
    if wins == "file":
        assert report.written == ("public.name",)
        assert "from the phone" in [change.value for change in vault.why("name").history]
    else:
        assert report.overruled == ("public.name",)
        assert [one.name for one in report.kept] == beside(file)
        assert "public:\n  name: from the file\nprivate: {}\n" in report.kept[0].read_text()
        assert stat.S_IMODE(report.kept[0].stat().st_mode) == 0o600


def test_an_agent_never_beats_what_the_person_typed(vault: Vault, file: Path) -> None:
    vault.agent(EATS).remember("diet", ["pescatarian"], because="fish is fine")
    change(file, "[vegetarian]", "[vegan]", at=-60)
    assert bring_into_step(vault, file).written == ("public.diet",)
    assert (vault.user.get("diet"), vault.user.leaf("diet").agent) == (["vegan"], "user")


def test_a_leaf_that_was_removed_from_the_file_and_changed_since_returns(vault: Vault, file: Path) -> None:
    change(file, "  name: Alice\n", "", at=-60)
    vault.user.set("name", "Alice B.")
    assert bring_into_step(vault, file) == Report(file="updated", returned=("public.name",))
    assert "name: Alice B." in file.read_text()


def test_a_value_that_the_file_deletes_unseen_is_kept_beside_it(vault: Vault, file: Path) -> None:
    vault.user.set("name", "Alice B.")
    change(file, "  name: Alice\n", "", at=60)
    report = bring_into_step(vault, file)
    assert (report.deleted, report.unseen) == (("public.name",), ("public.name",))
    assert "name: Alice B." in report.kept[0].read_text()


def test_what_was_forgotten_in_the_vault_does_not_come_back_from_the_file(vault: Vault, file: Path) -> None:
    opened = file.read_text()
    vault.user.forget("name")
    assert bring_into_step(vault, file) == Report(file="updated")
    for text in (file.read_text(), opened):
        file.write_text(text)
        bring_into_step(vault, file)
        assert "Alice" not in file.read_text()
        with pytest.raises(NotFound):
            vault.user.get("name")


def test_a_deleted_file_is_written_anew_and_deletes_nothing(vault: Vault, file: Path) -> None:
    text, log = file.read_text(), vault.log()
    file.unlink()
    assert bring_into_step(vault, file) == Report(file="restored")
    assert without_stamp(file.read_text()) == without_stamp(text)
    assert vault.log() == log


@pytest.mark.parametrize(
    "broken",
    [
        "",
        "# only a comment\n",
        "public:\nprivate:\n",
        "public:\n  name: Alice\n",
        "private: {health: {allergies: [peanuts]}}\n",
        "public:\n  name: Al\n  name: Bob\nprivate: {}\n",
        'public:\n  name: "half',
        "public:\n\tname: Bob\nprivate: {}\n",
        "public:\n  name: &a Bob\n  other: *a\nprivate: {}\n",
        "public: {name: 99999999999999999999}\nprivate: {}\n",
        "public: {name: .nan}\nprivate: {}\n",
        "public: {my name: Bob}\nprivate: {}\n",
        "public:\n  name: " + "x" * 40_000 + "\nprivate: {}\n",
        "\x00\x01",
    ],
)
def test_a_file_that_is_empty_broken_or_against_a_rule_changes_nothing_and_stays_as_it_is(
    vault: Vault, file: Path, broken: str
) -> None:
    leaves = vault.user.leaves()
    file.write_text(broken)
    vault.user.set("later", 1)
    with pytest.raises(UnreadableFile):
        bring_into_step(vault, file)
    assert file.read_text() == broken
    assert [leaf for leaf in vault.user.leaves() if leaf.path != "later"] == leaves
    file.unlink()
    assert bring_into_step(vault, file).file == "restored"


def test_a_file_cut_off_anywhere_deletes_nothing(vault: Vault, file: Path) -> None:
    """However much of its end is missing: it does not parse, it is refused, or it says the same."""
    whole, log = file.read_bytes(), vault.log()
    refused = 0
    for length in range(0, len(whole) - 130, 19):
        file.write_bytes(whole[:length])
        try:
            changed = bring_into_step(vault, file)
            assert changed.deleted == (), whole[:length]
        except UnreadableFile:
            refused += 1
        if vault.log() != log:  # a last value that was cut in its middle is a change like any other
            assert {one.what for one in vault.log()[: len(vault.log()) - len(log)]} == {"set"}
            log = vault.log()
    assert refused > 20


def test_not_utf_8_is_refused_with_its_line(vault: Vault, file: Path) -> None:
    file.write_bytes(b"public:\n  name: Ren\xe9\n")
    with pytest.raises(UnreadableFile, match=r"Line 2 .*UTF-8"):
        bring_into_step(vault, file)


def test_line_ends_and_a_byte_order_mark_stay(vault: Vault, file: Path) -> None:
    text = file.read_text().replace("Alice", "Bob").replace("\n", "\r\n")
    file.write_bytes(b"\xef\xbb\xbf" + text.encode())
    vault.user.set("zoo", "lines\nof text")
    assert bring_into_step(vault, file).written == ("public.name",)
    data = file.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf# What")
    assert data.count(b"\n") == data.count(b"\r\n")
    assert bring_into_step(vault, file) == Report()
    assert vault.user.get("zoo") == "lines\nof text"


def test_unusual_text_comes_through(vault: Vault, file: Path) -> None:
    odd = "e\u0301 \u202eabc 👩\u200d🚀 \x7f\x85\u2028\ufeff\t#: \\ ' \""
    vault.user.set("odd", odd)
    bring_into_step(vault, file)
    assert "\u202e" not in file.read_text()
    change(file, "name: Alice", "name: 'Ali\u0301ce 👩\u200d🚀'")
    bring_into_step(vault, file)
    assert vault.user.get("odd") == odd
    assert vault.user.get("name") == "Ali\u0301ce 👩\u200d🚀"


def test_a_path_may_be_a_value_and_a_subtree(vault: Vault, file: Path) -> None:
    change(file, "  name: Alice\n", "  name:\n    _value: Alice\n    last: Bell\n")
    assert bring_into_step(vault, file).written == ("public.name.last",)
    change(file, "  name:\n    _value: Alice\n    last: Bell\n", "  name: {last: Bell}\n")
    assert bring_into_step(vault, file).deleted == ("public.name",)
    assert vault.user.get("name.last") == "Bell"


def test_a_change_between_reading_and_writing_is_never_overwritten(
    vault: Vault, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The person saves again in the very moment in which the file is to be replaced, three times."""
    edits = iter(["second", "third", "fourth"])
    real = passes_module._look  # the last look happens right before the replacement

    def look(place: Path) -> object:
        found = real(place)
        if vault.user.leaves("zoo") and (edit := next(edits, None)):
            text = place.read_text()
            line = next(one for one in text.splitlines() if one.startswith("  name:"))
            place.write_text(text.replace(line, f"  name: {edit}"))
        return found

    monkeypatch.setattr(passes_module, "_look", look)
    vault.user.set("zoo", "new")
    report = bring_into_step(vault, file)
    assert vault.user.get("name") == "fourth"
    assert "name: fourth\n" in file.read_text()
    assert "zoo: new\n" in file.read_text()
    assert report.overruled == ()


def test_what_somebody_writes_into_the_old_file_while_it_is_replaced_is_kept(
    vault: Vault, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = passes_module.write_atomically

    def write(path: Path, data: bytes, **options: object) -> None:
        if path != file:
            real(path, data, **options)  # type: ignore[arg-type]
            return
        with path.open("r+b") as opened:  # an editor that writes in place
            real(path, data, **options)  # type: ignore[arg-type]
            opened.write(b"# typed at the last moment\n")

    monkeypatch.setattr(passes_module, "write_atomically", write)
    vault.user.set("zoo", "new")
    report = bring_into_step(vault, file)
    assert report.kept[0].read_bytes().startswith(b"# typed at the last moment\n")


def test_an_editor_that_saves_an_old_text_undoes_nothing_that_came_later(vault: Vault, file: Path) -> None:
    """The file stood open in an editor while sync and agents changed it; then the person saves what they have."""
    vault.user.set("before", 1)
    bring_into_step(vault, file)
    opened = file.read_text()
    vault.agent(EATS).remember("diet", ["vegan"], because="no eggs either")
    vault.agent(EATS).remember("tried", ["figs"], because="we had figs")
    vault.user.set("name", "Alice from the phone")
    vault.forget("address.city")
    bring_into_step(vault, file)
    vault.user.set("zoo", 1)
    bring_into_step(vault, file)
    file.write_text(opened.replace("floor: 3", "floor: 4").replace("  before: 1\n", ""))
    report = bring_into_step(vault, file)
    assert (report.written, report.deleted, report.kept) == (("public.address.floor",), ("public.before",), ())
    found = {leaf.path: (leaf.value, leaf.agent) for leaf in vault.user.leaves()}
    assert found == {
        "address.floor": (4, "user"),
        "diet": (["vegan"], EATS),
        "tried": (["figs"], EATS),
        "name": ("Alice from the phone", "user"),
        "zoo": (1, "user"),
        "health.allergies": (["peanuts"], "user"),
    }
    assert bring_into_step(vault, file) == Report()
    assert "name: Alice from the phone\n" in file.read_text()


def test_an_editor_that_saves_again_and_again_goes_on_from_what_it_saved(vault: Vault, file: Path) -> None:
    opened = file.read_text()
    for number in range(4):
        vault.user.set("zoo", number)
        bring_into_step(vault, file)
        file.write_text(opened.replace("floor: 3", f"floor: {10 + number}"))
        assert bring_into_step(vault, file).written == ("public.address.floor",)
        assert (vault.user.get("zoo"), vault.user.get("address.floor")) == (number, 10 + number)


def test_a_text_so_old_that_nothing_is_known_of_it_deletes_nothing(vault: Vault, file: Path) -> None:
    change(file, stamp_of(file), "2001-01-01T00:00:00.000Z")
    change(file, "  name: Alice\n", "  zoo: 1\n")
    assert bring_into_step(vault, file) == Report(file="updated", written=("public.zoo",))
    assert vault.user.get("name") == "Alice"


def test_a_value_that_quotes_the_last_line_is_a_value(vault: Vault, file: Path) -> None:
    vault.user.set("odd", "# The end, as of 2001-01-01T00:00:00.000Z. No.\nreally")
    stamp = stamp_of(file)
    assert bring_into_step(vault, file) == Report(file="updated")
    assert stamp_of(file) not in (stamp, "2001-01-01T00:00:00.000Z")


def test_a_leaf_that_came_into_the_file_and_is_removed_from_it_is_deleted(vault: Vault, file: Path) -> None:
    vault.agent(EATS).remember("tried", ["figs"], because="we had figs")
    bring_into_step(vault, file)
    text = file.read_text()
    start = text.index("  tried:")
    file.write_text(text[:start] + text[text.index("private:") :])
    assert bring_into_step(vault, file).deleted == ("public.tried",)


def test_lines_that_cannot_be_patched_are_written_anew_and_kept_beside(vault: Vault, file: Path) -> None:
    file.write_text('{"public": {"name": "Alice"}, "private": {"health.allergies": ["peanuts"]}}')
    vault.user.set("zoo", 1)
    report = bring_into_step(vault, file)
    assert report.file == "rewritten"
    assert report.kept[0].read_text().startswith('{"public"')
    assert "zoo: 1\n" in file.read_text()


def test_a_first_meeting_deletes_nothing_and_an_old_copy_beats_nothing(vault: Vault, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    bring_into_step(vault, other)
    vault.agent(EATS).remember("diet", ["vegan"], because="no eggs either")
    vault.user.set("zoo", 1)
    forget_meeting(vault.replica, other)
    report = bring_into_step(vault, other)
    assert (report.deleted, report.written) == ((), ())
    assert (vault.user.get("diet"), vault.user.leaf("diet").agent) == (["vegan"], EATS)
    assert "zoo: 1\n" in other.read_text()


def test_an_agents_leaf_that_the_person_copies_elsewhere_is_theirs_there(vault: Vault, file: Path) -> None:
    text = file.read_text()
    leaf = text[text.index("    _value: [veg") : text.index("  name:")]
    change(file, "  name: Alice\n", f"  food:\n{leaf}  name: Alice\n")
    assert bring_into_step(vault, file).written == ("public.food",)
    assert vault.user.leaf("food").agent == "user"


def test_no_value_lies_in_the_base(vault: Vault, file: Path) -> None:
    with vault.replica.read() as view:
        known = b"".join(row for _, row in view.reader.scan(Table.META, b"textfile/"))
        assert Base.load(view, file).leaves.keys() >= {("user.public", "name"), ("user.private", "health.allergies")}
    assert b"Alice" not in known
    assert b"peanuts" not in known


def test_a_folder_that_cannot_be_written_is_said_and_what_was_typed_is_in_the_vault(
    vault: Vault, tmp_path: Path
) -> None:
    with pytest.raises(StorageTrouble, match="cannot be kept in step"):
        bring_into_step(vault, tmp_path / "no such folder" / "vault.yaml")


def test_a_link_stays_a_link(vault: Vault, file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.yaml"
    link.symlink_to(file)
    vault.user.set("zoo", 1)
    assert bring_into_step(vault, link).file == "updated"
    assert link.is_symlink()
    assert "zoo: 1\n" in file.read_text()
