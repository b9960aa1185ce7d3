"""One device in a process of its own: ``python -m vademecum.demo.device``, told what to do by lines of JSON.

Each line in is ``{"do": command, …arguments}``. Each command is answered by ``{"done": result, "seconds": …}`` or
``{"failed": code, "message": …}``, before which ``{"progress": [done, all]}`` and ``{"code": pairing code}`` may come.
The process ends when its input does.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

from vademecum import VademecumError, Vault
from vademecum.engine.messages import message_parts
from vademecum.engine.slots import SlotMap
from vademecum.errors import BudgetExceeded
from vademecum.importers import import_file

__all__ = ["Device"]


class Device:
    """The commands. Every public method is one."""

    def __init__(self, say: Callable[[dict[str, Any]], None]) -> None:
        self._say = say
        self._vault: Vault | None = None

    def create(self, home: str, name: str) -> dict[str, Any]:
        self._vault = Vault.create(home, device_name=name)
        return {"phrase": self._vault.recovery_phrase}

    def join(self, home: str, name: str, code: str, relay: str) -> dict[str, Any]:
        self._vault, fingerprint = asyncio.run(Vault.join(home, code, relay=relay, device_name=name))
        return {"fingerprint": fingerprint}

    def pair(self) -> dict[str, Any]:
        joined = asyncio.run(self._open().pair(lambda code: self._say({"code": code}), timeout=30))
        return {"fingerprint": joined.fingerprint, "name": joined.name}

    def use_relay(self, url: str) -> None:
        self._open().use_relay(url)

    def sync(self) -> dict[str, Any]:
        report = asyncio.run(self._open().sync_once())
        return {
            "state": report.state,
            "pulled": report.pulled,
            "pushed": report.pushed,
            "bytes_in": report.bytes_in,
            "bytes_out": report.bytes_out,
            "problems": [one.message for one in report.problems],
        }

    def import_file(self, file: str) -> dict[str, int]:
        return import_file(self._open(), file, format="transcript", progress=self._progress).as_json()

    def set(self, path: str, value: Any, private: bool = False) -> None:
        self._open().user.set(path, value, private=private)

    def remember(self, agent: str, path: str, value: Any, because: str) -> None:
        self._open().agent(agent).remember(path, value, because=because)

    def talk(self, agent: str, session: str, text: str) -> str:
        """The person says *text* to *agent*; nobody thinks about it yet."""
        return self._open().agent(agent).session(session).log("user", text)

    def sweep(self) -> dict[str, Any]:
        return self._open().sweep_once().as_json()

    def hypotheses(self) -> list[dict[str, Any]]:
        return [one.as_json() for one in self._open().hypotheses()]

    def leaf(self, path: str) -> dict[str, Any]:
        return self._open().user.leaf(path).as_json()

    def close_budget(self) -> dict[str, Any]:
        """Lets agents add nothing more about the person."""
        vault = self._open()
        return vault.set_budget(max(1, vault.budget.used)).as_json()

    def refused(self, agent: str, path: str, value: Any, because: str) -> dict[str, Any]:
        """What an agent is told that finds no room; nothing if it finds some."""
        try:
            self._open().agent(agent).remember(path, value, because=because)
        except BudgetExceeded as error:
            return error.as_json()
        return {}

    def consolidate(self, agent: str, ids: list[str], path: str, value: Any, because: str) -> None:
        self._open().agent(agent).consolidate(ids, into=(path, value), because=because)

    def forget(self, path: str) -> int:
        return self._open().forget(path)

    def forget_agent(self, agent: str) -> int:
        return self._open().forget(agent=agent)

    def tree(self) -> dict[str, Any]:
        return self._open().user.tree()

    def index(self) -> int:
        return self._open().index(self._progress)

    def recall(self, question: str, k: int, agent: str | None = None) -> dict[str, Any]:
        vault = self._open()
        found = vault.recall(question, k) if agent is None else vault.agent(agent).recall(question, k)
        results = [one.as_json() for one in found]
        for one in results:
            if one["scope"].startswith("session/"):
                one["evidence"] = [[one["scope"].removeprefix("session/"), one["path"]]]
            else:
                receipts = vault.why(one["path"], scope=one["scope"]).receipts
                one["evidence"] = [[receipt.session, receipt.message] for receipt in receipts]
        return {"method": found.method, "note": found.note, "results": results}

    def why(self, path: str) -> dict[str, Any]:
        return self._open().why(path).as_json()

    def status(self) -> dict[str, Any]:
        return self._open().status().as_json()

    def holdings(self) -> dict[str, Any]:
        """How much is here: leaves and messages, and the bytes of the vault's folder."""
        vault = self._open()
        with vault.replica.read() as view:
            messages = sum(1 for scope in view.scopes("session/") for _ in view.rows(scope, SlotMap.MESSAGES))
        size = sum(file.stat().st_size for file in vault.home.rglob("*") if file.is_file())
        return {"leaves": len(vault.user.leaves()), "messages": messages, "bytes": size}

    def texts(self) -> list[str]:
        """Everything that is said here: values, messages, paths, agents, and who spoke."""
        vault = self._open()
        found: set[str] = set()
        for leaf in vault.user.leaves():
            found.update((leaf.path, leaf.agent, *_strings(leaf.value)))
        with vault.replica.read() as view:
            for scope in view.scopes("session/"):
                for _, row in view.rows(scope, SlotMap.MESSAGES):
                    if row.live:
                        found.update(message_parts(row.slots[0].record))
        return sorted(found)

    def close(self) -> None:
        if self._vault is not None:
            self._vault.close()
            self._vault = None

    def _open(self) -> Vault:
        if self._vault is None:
            raise RuntimeError("this device has no vault yet")
        return self._vault

    def _progress(self, done: int, total: int) -> None:
        self._say({"progress": [done, total]})


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list | dict):
        items = value if isinstance(value, list) else value.values()
        return [text for item in items for text in _strings(item)]
    return []


def main() -> None:
    def say(answer: dict[str, Any]) -> None:
        print(json.dumps(answer), flush=True)

    device = Device(say)
    try:
        for line in sys.stdin:
            request = json.loads(line)
            command = getattr(device, request.pop("do"))
            started = time.perf_counter()
            try:
                result = command(**request)
            except VademecumError as error:
                say({"failed": error.code, "message": error.message})
            else:
                say({"done": result, "seconds": time.perf_counter() - started})
    finally:
        device.close()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started this decides when it ends
    main()
