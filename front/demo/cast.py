"""Who takes part in the demo: a relay and devices, each a process, and what is asked of them again and again."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from .processes import Answer, DeviceProcess, Failed, RelayProcess
from .scenes import Act
from .screen import Screen, Step

__all__ = ["Cast"]


class Cast:
    """The relay, the laptop and the phone; the processes end with *stack*, and their homes are in *folder*."""

    def __init__(self, screen: Screen, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self.relay_folder = folder / "relay"
        self._screen = screen
        self._stack = stack
        self.relay = stack.enter_context(RelayProcess(self.relay_folder))
        self.laptop = self.device("laptop")
        self.phone = self.device("phone")

    @property
    def both(self) -> tuple[DeviceProcess, DeviceProcess]:
        return self.laptop, self.phone

    def device(self, name: str) -> DeviceProcess:
        return self._stack.enter_context(DeviceProcess(name, self.folder / name))

    def restart_relay(self) -> None:
        """After a kill: the same data, at the same address."""
        self.relay = self._stack.enter_context(RelayProcess(self.relay_folder, self.relay.port))

    def act(self, device: DeviceProcess, act: Act) -> None:
        device.ask(act.do, **act.arguments)

    def fails(self, device: DeviceProcess, command: str, **arguments: Any) -> str | None:
        """The code of the error that *command* ends with; None if it succeeds."""
        try:
            device.ask(command, **arguments)
        except Failed as error:
            return error.code
        return None

    def ask_both(self, command: str, label: str, arguments: Sequence[dict[str, Any]] = ({}, {})) -> list[Answer]:
        """Has both devices do *command* at the same time, with a bar for each."""
        with self._screen.progress() as bar, ThreadPoolExecutor(2) as pool:
            running = [
                pool.submit(device.ask, command, on_progress=bar(f"{device.name} {label}"), **given)
                for device, given in zip(self.both, arguments, strict=True)
            ]
            try:
                return [one.result() for one in running]
            except BaseException:  # also Ctrl-C: what the devices are at would otherwise be waited for
                for device in self.both:
                    device.kill()
                raise

    def pair(self, member: DeviceProcess, new: DeviceProcess, name: str) -> None:
        """*member* admits *new*, which is to be called *name*."""
        codes: list[str] = []
        joining: list[Future[Answer]] = []
        with ThreadPoolExecutor(1) as pool:

            def enter(code: str) -> None:
                codes.append(code)
                home, relay = str(new.home), self.relay.url
                joining.append(pool.submit(lambda: new.ask("join", home=home, name=name, code=code, relay=relay)))

            here = member.ask("pair", on_code=enter).value["fingerprint"]
            answer = joining[0].result()
        there = answer.value["fingerprint"]
        self._screen.step(Step("pair", new.name, answer.seconds))
        self._screen.check(here == there, f"one-time code {codes[0]}; both screens then show {here}")

    def sync(self, device: DeviceProcess, what: str) -> None:
        answer = device.ask("sync")
        report = answer.value
        self._screen.step(Step(what, device.name, answer.seconds, report["bytes_out"], report["bytes_in"]))
        if report["state"] != "synced":
            self._screen.check(False, f"{what}: the {device.name} is {report['state']}: {report['problems']}")

    def same_trees(self, one: DeviceProcess, other: DeviceProcess) -> bool:
        return bool(one.ask("tree").value == other.ask("tree").value)
