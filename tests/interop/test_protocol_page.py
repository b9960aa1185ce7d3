from __future__ import annotations

import re
from pathlib import Path

from tests.transport.family import device
from vademecum.transport import contexts
from vademecum.transport.pairing import Inviter, Joiner

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")


def test_the_page_names_every_domain_separator_and_no_other() -> None:
    named = set()
    for name in re.findall(r'"(vademecum/[a-z<>-]+/v\d)"', PAGE):
        named |= {name.replace("<side>", side) for side in ("joiner", "inviter")}
    assert named == {value.decode() for name, value in vars(contexts).items() if name.isupper()}


def test_the_page_links_to_its_own_sections() -> None:
    headings = {
        re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
    }
    assert set(re.findall(r"\(#([^)]+)\)", PAGE)) == headings


def test_the_page_has_the_state_table_of_pairing() -> None:
    machines = {
        "joiner": Joiner("K7QM-3F9X-2P", device(1).public, "phone"),
        "inviter": Inviter("K7QM-3F9X-2P", lambda public, name: NotImplemented),
    }
    built = {
        (side, state.value, step.name.lower())
        for side, machine in machines.items()
        for state, step in machine._handlers()
    }
    rows = re.findall(r"^\| (joiner|inviter) \| (\w+) \| (\w+) \|", PAGE, re.MULTILINE)
    assert set(rows) == built
