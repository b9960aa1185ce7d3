"""The record of a message: what every version has written of it is read, and what a later one adds is passed over."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.engine.box import boxes
from vademecum.engine.messages import is_spoken, message_parts, message_text, message_tool
from vademecum.engine.records import Record
from vademecum.engine.values import Value


@pytest.mark.parametrize(
    ("value", "parts", "tool"),
    [
        (["Bo", "hello"], ("Bo", "hello"), None),
        (["tool", "3 tables", "search"], ("tool", "3 tables"), "search"),
        (["tool", "3 tables", "search", {"more": 1}], ("tool", "3 tables"), "search"),
        (["tool", "3 tables", None], ("tool", "3 tables"), None),
        ("only words", ("", "only words"), None),
    ],
)
def test_a_message_of_any_version_is_read(value: Value, parts: tuple[str, str], tool: str | None) -> None:
    record = Record(1, value=value)
    assert message_parts(record) == parts and message_tool(record) == tool
    assert message_text(record) == (f"{parts[0]}: {parts[1]}" if parts[0] else parts[1])
    assert is_spoken(record) is (parts[0] != "tool")


@pytest.mark.parametrize(
    "at", [datetime(1, 1, 2, tzinfo=UTC), datetime(1960, 1, 1, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)]
)
@pytest.mark.parametrize("text", ["a\0b", "a\u202e\ufeff", "x" * 32_768, "👩‍👩‍👧", "\r\n\t."])
def test_any_text_and_time_comes_back_as_it_was_given(tmp_path: Path, at: datetime, text: str) -> None:
    with boxes(tmp_path, 1) as (box,):
        talk = box.agent().session("cafe\u0301")
        talk.log("user", text, at=at)
        (found,) = box.agent().session("caf\u00e9").messages()
        assert (found.text, found.at) == (text, at)
        assert talk.context(100_000)[0]["content"] == text
