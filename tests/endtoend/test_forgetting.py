"""Forgetting an agent reaches every device, whatever that agent has written elsewhere in the meantime."""

from __future__ import annotations

from pathlib import Path

from tests.endtoend.device import join, tree_of
from vademecum import Vault
from vademecum.transport.relay.server import running

OLD, NEW = "prix/daily-eats@1.0.0", "prix/daily-eats@2.0.0"
OTHER = "lumen/notes@0.3"


async def in_step(*vaults: Vault) -> None:
    for vault in (*vaults, *vaults):
        assert (await vault.sync_once()).state == "synced"


def words_of(vault: Vault) -> str:
    """Everything that the vault tells anyone, as text."""
    found = [vault.user.tree(), vault.log(), vault.recall("terrapin", 50)]
    found += [vault.why(change.path, scope=change.scope) for change in vault.log() if "/" not in change.path]
    return repr(found)


async def test_a_forgotten_agents_leaves_are_gone_everywhere_and_the_persons_stay(tmp_path: Path) -> None:
    async with running(tmp_path / "relay") as relay:
        with Vault.create(tmp_path / "a") as a:
            a.use_relay(relay.url)
            for name in ("b", "c"):
                await join(a, tmp_path / name, relay.url)
            with Vault.open(tmp_path / "b") as b, Vault.open(tmp_path / "c") as c:
                a.user.set("name", "Alice")
                a.user.set("allergies", "walnuts", private=True)
                a.agent(OLD).remember("diet", "terrapin-free", because="no terrapin for me")
                b.agent(NEW).remember("tried", {"one": "terrapin soup"}, because="terrapin soup", scope="agent")
                b.agent(OTHER).remember("music", "fado", because="I love fado")
                await in_step(a, b, c)
                assert tree_of(a) == tree_of(c) and len(a.user.leaves()) == 5

                # c is offline: the agent rewrites, adds, and writes where the person has written since
                c.agent(OLD).remember("diet", "terrapin only", because="terrapin!")
                c.agent(NEW).remember("late", "terrapin pie", because="terrapin pie")
                c.agent(NEW).remember("tried.two", "terrapin stew", because="terrapin stew", scope="agent")
                c.agent(OTHER).remember("books", "Pessoa", because="I read Pessoa")
                c.user.set("home", "Lisbon")
                b.user.set("diet", "vegan")
                assert a.forget(agent="prix/daily-eats") == 2
                await in_step(a, b)
                kept = {"name": "Alice", "music": "fado", "diet": "vegan"}
                assert tree_of(a) == tree_of(b) == {"user.public": kept, "user.private": {"allergies": "walnuts"}}

                await in_step(c, a, b)
                kept |= {"books": "Pessoa", "home": "Lisbon"}
                for vault in (a, b, c):
                    assert tree_of(vault) == {"user.public": kept, "user.private": {"allergies": "walnuts"}}
                    assert "terrapin" not in words_of(vault)

                # it may be told anew, by someone who knows that it was forgotten
                c.agent(NEW).remember("late", "pheasant", because="pheasant, please")
                await in_step(c, a, b)
                assert a.user.get("late") == b.user.get("late") == "pheasant"
