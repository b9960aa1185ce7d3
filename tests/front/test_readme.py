"""What the README shows is what happens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_the_code_for_one_agent_runs_as_it_stands_and_says_what_it_claims(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (code,) = blocks("python")
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    said = capsys.readouterr().out
    vault = names["vault"]
    assert "dietary preference: vegetarian" in said
    assert said.endswith("I'm vegetarian, by the way\n")
    assert vault.user.get("name") == "Alice"  # type: ignore[attr-defined]  # whatever the README made
    vault.close()  # type: ignore[attr-defined]


def test_each_of_the_two_commands_is_one_line_to_paste() -> None:
    commands = re.findall(r"<!-- (?:demo|tests) -->\n```sh\n(.*?)```", README, re.DOTALL)
    assert [command.count("\n") for command in commands] == [1, 1]
    assert all(command.startswith("python3 -m venv ") for command in commands)


def test_every_page_that_the_readme_names_is_there() -> None:
    root = Path(__file__).parents[2]
    assert all((root / page).exists() for page in re.findall(r"\]\(([^)#]+)\)", README))
