"""The demo: one person, a laptop and a phone that remember things apart, a relay that cannot read them, a tablet.

Everything is real: each device and the relay is a process of its own, with its own folder and its own keys.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from .processes import DeviceProcess, Failed, RelayProcess
from .scenes import GONE, SCENES, SEEDS, Act, show
from .screen import Screen, Step, amount
from .search import bytes_of, find_texts, hex_lines, squeezed
from .story import Question, Story, load_story

__all__ = ["run"]

WIDTH = 100
SHOWN = 6
"""Questions of each device that the table shows."""
FIRST = 10
"""A question counts as answered if a memory that rests on the right words is among so many."""


def run(data: Path | None = None, *, console: Console | None = None) -> int:
    """Tells the story with the transcript *data*, or one of the project's own; 0 if all expectations held, else 1.

    Raises `UnreadableFile` for *data* that is no transcript. The processes and the folder are gone afterwards.
    """
    started = time.monotonic()
    story = load_story(data)
    screen = Screen(console if console is not None else _console())
    try:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vademecum-demo-")))
            _Demo(screen, story, folder, stack).tell()
    except Failed as error:
        screen.check(False, f"the demo could go on ({error.code}: {error.message})")
    screen.table(
        ["step", "device", "ms", "sent", "received"],
        [
            [escape(one.what), one.who, f"{one.seconds * 1000:,.0f}", amount(one.sent), amount(one.received)]
            for one in screen.steps
        ],
        right=(2, 3, 4),
        title="\n[bold]What each step took[/]",
    )
    if screen.failed:
        screen.console.print(f"[bold red]{len(screen.failed)} of {screen.checks} expectations did not hold.[/]")
        return 1
    screen.console.print(
        f"[bold green]All {screen.checks} expectations held[/], in {time.monotonic() - started:.0f} seconds."
    )
    return 0


def _console() -> Console:
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # an old code page shows '?' where it lacks a character
    plain = Console(highlight=False)
    return plain if plain.is_terminal else Console(highlight=False, width=WIDTH)


class _Demo:
    """The story, chapter by chapter."""

    def __init__(self, screen: Screen, story: Story, folder: Path, stack: ExitStack) -> None:
        self.screen = screen
        self.story = story
        self.folder = folder
        self.stack = stack
        self.relay_folder = folder / "relay"
        self.relay = stack.enter_context(RelayProcess(self.relay_folder))
        self.laptop = self._device("laptop")
        self.phone = self._device("phone")

    def tell(self) -> None:
        self._meet()
        self._part()
        self._sync()
        self._recall()
        self._why()
        self._relay_store()
        self._third_device()

    # --- the chapters -----------------------------------------------------------------------------------------------

    def _meet(self) -> None:
        screen, laptop, phone = self.screen, self.laptop, self.phone
        screen.chapter(
            "Noor has a laptop and a phone",
            "The laptop makes the vault. The phone joins it with a one-time code, through a relay that learns neither.",
        )
        answer = laptop.ask("create", home=str(laptop.home), name="Noor's laptop")
        screen.step(Step("make the vault", laptop.name, answer.seconds))
        words = answer.value["phrase"].split()
        screen.say(f"  recovery phrase, shown once: {' '.join(words[:3])} … ({len(words)} words)")
        laptop.ask("use_relay", url=self.relay.url)
        for act in SEEDS:
            self._act(laptop, act)
        self._sync_one(laptop, "push the first memories")
        codes = self._pair(laptop, phone, "Noor's phone")
        screen.check(codes[1] == codes[2], f"code {codes[0]}; both screens show the fingerprint {codes[1]}")
        self._sync_one(phone, "fetch the first memories")
        screen.check(self._same_trees(laptop, phone), "the phone holds what the laptop holds")

    def _part(self) -> None:
        screen, laptop, phone = self.screen, self.laptop, self.phone
        port = self.relay.port
        self.relay.kill()
        screen.chapter(
            "Then they are apart: no network at all",
            f"The relay's process is killed. Each device takes in half of {self.story.name}, and life goes on.",
        )
        for device in (laptop, phone):
            screen.check(self._fails(device, "sync") == "relay-unreachable", f"the {device.name} reaches nobody")
        files = [self._write_half(place) for place in (0, 1)]
        with screen.progress() as bar, ThreadPoolExecutor(2) as pool:
            reports = list(
                pool.map(
                    lambda pair: pair[0].ask(
                        "import_file", file=str(pair[1]), on_progress=bar(f"{pair[0].name} imports")
                    ),
                    zip((laptop, phone), files, strict=True),
                )
            )
        rows = []
        for device, file, report in zip((laptop, phone), files, reports, strict=True):
            screen.step(Step(f"import half of {self.story.name}", device.name, report.seconds))
            value = report.value
            rows.append(
                [
                    device.name,
                    f"{value['messages']:,}",
                    f"{value['leaves']:,}",
                    amount(file.stat().st_size),
                    f"{report.seconds * 1000:,.0f}",
                    f"{(value['messages'] + value['leaves']) / report.seconds:,.0f}",
                ]
            )
        screen.table(["imported", "messages", "facts", "file", "ms", "per second"], rows, right=(1, 2, 3, 4, 5))
        again = laptop.ask("import_file", file=str(files[0]))
        screen.check(
            again.value["leaves"] == again.value["messages"] == 0,
            f"the same file once more changes nothing ({again.value['unchanged']:,} entries are there already)",
        )
        for scene in SCENES:
            if scene.laptop is not None:
                self._act(laptop, scene.laptop)
        for scene in SCENES:
            if scene.phone is not None:
                self._act(phone, scene.phone)
        laptop.ask("set", path="passport.number", value="EJ 114 207", private=True)
        both = [device.ask("holdings").value for device in (laptop, phone)]
        pending = [device.ask("status").value["pending"] for device in (laptop, phone)]
        screen.table(
            ["now holds", "leaves", "messages", "on disk", "changes that wait"],
            [
                [device.name, f"{one['leaves']:,}", f"{one['messages']:,}", amount(one["bytes"]), f"{waiting:,}"]
                for device, one, waiting in zip((laptop, phone), both, pending, strict=True)
            ],
            right=(1, 2, 3, 4),
        )
        screen.check(not self._same_trees(laptop, phone), "the two hold different memories")
        screen.check(min(pending) > 0, "both know that they have something to send")
        self.relay = self.stack.enter_context(RelayProcess(self.relay_folder, port))

    def _sync(self) -> None:
        screen, laptop, phone = self.screen, self.laptop, self.phone
        screen.chapter(
            "They meet again",
            "The relay is back. The laptop sends, the phone sends and fetches, the laptop fetches.",
        )
        self._sync_one(laptop, "send what it learned")
        self._sync_one(phone, "send, and fetch the other half")
        self._sync_one(laptop, "fetch the other half")
        rows = []
        tree = laptop.ask("tree").value
        for scene in SCENES:
            found = _value(tree, scene.path)
            rows.append(
                [
                    f"[bold]{scene.path}[/]",
                    _told(scene.laptop),
                    _told(scene.phone),
                    f"[green]{escape(show(found))}[/]",
                    f"[dim]{escape(scene.rule)}[/]",
                ]
            )
        screen.table(["leaf", "on the laptop", "on the phone", "now, on both", "why"], rows)
        for scene in SCENES:
            held = all(_value(device.ask("tree").value, scene.path) == scene.outcome for device in (laptop, phone))
            if not held:
                screen.check(False, f"{scene.path} is {show(scene.outcome)} on both")
        screen.check(
            all(_value(tree, scene.path) == scene.outcome for scene in SCENES), "every leaf is what the law says"
        )
        one, other = (device.ask("holdings").value for device in (laptop, phone))
        count = f"{one['leaves']:,} leaves and {one['messages']:,} messages"
        same = self._same_trees(laptop, phone) and one["messages"] == other["messages"]
        screen.check(same, f"both devices hold the same {count}")
        whole = sum(len({turn["id"] for turn in turns}) for turns in self._turns().values())
        screen.check(one["messages"] == whole, f"no message is lost or doubled: {whole:,} turns were told")
        states = [device.ask("status").value for device in (laptop, phone)]
        screen.check(
            all(one["state"] == "synced" and not one["pending"] and not one["problems"] for one in states),
            "both say that they are synced, with nothing pending and no problems",
        )
        code = self._fails(
            laptop, "remember", agent="rail/conductor@2.1.0", path="home.city", value="Antwerp", because="?"
        )
        screen.check(code == "protected", "an agent that tries to change what the person corrected is refused")
        laptop.ask(
            "remember",
            agent="rail/conductor@2.1.0",
            path="contact.airline",
            value="none, trains only",
            because="I told you: no airline. Trains only.",
        )
        self._sync_one(laptop, "send one changed leaf")
        self._sync_one(phone, "fetch one changed leaf")
        screen.check(
            _value(phone.ask("tree").value, "contact.airline") == "none, trains only",
            "an agent that has seen a deletion may learn the matter anew",
        )

    def _recall(self) -> None:
        screen = self.screen
        if not any(self.story.questions):
            return
        screen.chapter(
            "Each answers from what only the other was told",
            "Both devices compute their vectors, on their own processors; then each is asked about the other's half.",
        )
        devices = (self.laptop, self.phone)
        with screen.progress() as bar, ThreadPoolExecutor(2) as pool:
            indexed = list(pool.map(lambda one: one.ask("index", on_progress=bar(f"{one.name} reads")), devices))
        for device, answer in zip(devices, indexed, strict=True):
            screen.step(Step(f"compute {answer.value:,} vectors", device.name, answer.seconds))
        rows, found, asked, times, methods = [], 0, 0, [], set()
        for device, questions in zip(devices, self.story.questions, strict=True):
            for place, question in enumerate(questions):
                answer = device.ask("recall", question=question.text, k=FIRST)
                times.append(answer.seconds)
                methods.add(answer.value["method"])
                rank = _rank(answer.value["results"], question)
                found += rank is not None
                asked += 1
                if place < SHOWN:
                    best = answer.value["results"][(rank or 1) - 1]
                    rows.append(
                        [
                            device.name,
                            escape(question.text),
                            f"[green]{escape(_clip(best['text']))}[/]"
                            if rank
                            else f"[dim]{escape(_clip(best['text']))}[/]",
                            str(rank) if rank else "[dim]-[/]",
                        ]
                    )
        screen.table(
            ["asked", "question", "memory that answers it (dim: the best, which does not)", "place"], rows, right=(3,)
        )
        times.sort()
        screen.step(Step(f"recall, median of {asked}", "both", times[len(times) // 2]))
        screen.check(methods == {"hybrid"}, "found by meaning and by words together, with no network")
        screen.check(
            found * 2 >= asked,
            f"{found} of {asked} questions find words that answer them among the first {FIRST} "
            f"of {self.laptop.ask('holdings').value['messages']:,} messages and all facts",
        )
        secret = self.laptop.ask("recall", question="passport number", k=3, agent="prix/daily-eats@1.0.0").value
        mine = self.laptop.ask("recall", question="passport number", k=3).value
        paths = [[one["path"] for one in answer["results"]] for answer in (mine, secret)]
        screen.check(
            "passport.number" in paths[0] and "passport.number" not in paths[1],
            "the person finds the private passport number, and an agent does not",
        )

    def _why(self) -> None:
        screen = self.screen
        screen.chapter(
            "Why does it say so?", "Any device answers who wrote a memory, when, and because of which words."
        )
        names = {one["id"]: one["name"] for one in self.phone.ask("status").value["devices"]}
        hotel = self.phone.ask("why", path="trip.hotel").value
        screen.panel("vademecum why trip.hotel", _explained(hotel, names))
        screen.check(
            [one["value"] for one in hotel["history"]] == ["Pensão Luar", "Casa do Limoeiro"]
            and len({one["device"] for one in hotel["history"]}) == 2,
            "the history has both devices' versions, though only one could win",
        )
        fact = next((one for one in self._facts(0)), None)
        if fact is None:
            return
        found = self.phone.ask("why", path=fact).value
        screen.panel(f"vademecum why {fact}", _explained(found, names))
        words = {turn["text"] for turns in self._turns().values() for turn in turns}
        screen.check(
            bool(found["receipts"]) and all(one["text"] in words for one in found["receipts"]),
            "the phone quotes, word for word, what only the laptop was told",
        )

    def _relay_store(self) -> None:
        screen = self.screen
        screen.chapter(
            "What the relay knows",
            "Everything went through it. Its files are searched, byte by byte, for everything that the laptop knows.",
        )
        texts = self.laptop.ask("texts").value
        started = time.perf_counter()
        stored, known = bytes_of(self.relay_folder), bytes_of(self.laptop.home / "store")
        there, here = find_texts(stored.values(), texts), find_texts(known.values(), texts)
        screen.step(Step("search both stores", "-", time.perf_counter() - started))
        biggest = max(stored, key=lambda name: len(stored[name]))
        content = stored[biggest]
        screen.table(
            ["store", "bytes", "compresses to", "texts looked for", "found"],
            [
                [
                    whose,
                    amount(sum(len(one) for one in files.values())),
                    f"{squeezed(max(files.values(), key=len)):.0%}",
                    f"{len(texts):,}",
                    f"{len(hits):,}",
                ]
                for whose, files, hits in (("the laptop's", known, here), ("the relay's", stored, there))
            ],
            right=(1, 2, 3, 4),
        )
        screen.panel(f"the relay's {biggest}", [escape(line) for line in hex_lines(content, _densest(content), 4)])
        screen.check(len(here) > len(texts) // 2, "the search works: it finds the laptop's memories on the laptop")
        screen.check(not there, "and none of them at the relay: it holds ciphertext only")

    def _third_device(self) -> None:
        screen, phone = self.screen, self.phone
        screen.chapter("A tablet joins", "It is let in by the phone, a member since today, and fetches everything.")
        tablet = self._device("tablet")
        codes = self._pair(phone, tablet, "Noor's tablet")
        screen.check(codes[1] == codes[2], f"code {codes[0]}; both screens show the fingerprint {codes[1]}")
        self._sync_one(tablet, "fetch the whole vault")
        screen.check(self._same_trees(self.laptop, tablet), "the tablet holds the same tree as the laptop")
        devices = tablet.ask("status").value["devices"]
        screen.check(len(devices) == 4, f"it knows all members: {', '.join(one['name'] for one in devices)}")
        answer = tablet.ask("recall", question="Which hotel did we choose?", k=5)
        screen.step(Step("recall at once, vectors still to come", tablet.name, answer.seconds))
        screen.check(
            any(one["path"] == "trip.hotel" for one in answer.value["results"]),
            "asked at once which hotel it was, it knows",
        )

    # --- what the chapters are made of ------------------------------------------------------------------------------

    def _device(self, name: str) -> DeviceProcess:
        return self.stack.enter_context(DeviceProcess(name, self.folder / name))

    def _act(self, device: DeviceProcess, act: Act) -> None:
        device.ask(act.do, **act.arguments)

    def _fails(self, device: DeviceProcess, command: str, **arguments: Any) -> str | None:
        """The code of the error that *command* ends with."""
        try:
            device.ask(command, **arguments)
        except Failed as error:
            return error.code
        return None

    def _pair(self, member: DeviceProcess, new: DeviceProcess, name: str) -> tuple[str, str, str]:
        """(code, what the member's screen shows, what the new device's shows)."""
        codes: list[str] = []
        joined: list[Any] = []
        with ThreadPoolExecutor(1) as pool:

            def enter(code: str) -> None:
                codes.append(code)
                joined.append(
                    pool.submit(new.ask, "join", home=str(new.home), name=name, code=code, relay=self.relay.url)
                )

            answer = member.ask("pair", on_code=enter)
            there = joined[0].result()
        self.screen.step(Step("pair", new.name, there.seconds))
        return codes[0], answer.value["fingerprint"], there.value["fingerprint"]

    def _sync_one(self, device: DeviceProcess, what: str) -> None:
        answer = device.ask("sync")
        report = answer.value
        self.screen.step(Step(what, device.name, answer.seconds, report["bytes_out"], report["bytes_in"]))
        if report["state"] != "synced":
            self.screen.check(False, f"{what}: the {device.name} is {report['state']}: {report['problems']}")

    def _same_trees(self, one: DeviceProcess, other: DeviceProcess) -> bool:
        return bool(one.ask("tree").value == other.ask("tree").value)

    def _write_half(self, place: int) -> Path:
        file = self.folder / f"half-{place + 1}.json"
        file.write_text(json.dumps(self.story.halves[place]), encoding="utf-8")
        return file

    def _turns(self) -> dict[str, list[dict[str, Any]]]:
        turns: dict[str, list[dict[str, Any]]] = {}
        for half in self.story.halves:
            for conversation in half:
                turns.setdefault(conversation["conversation"], []).extend(conversation["turns"])
        return turns

    def _facts(self, place: int) -> list[str]:
        """Paths, on the phone, of the facts that half *place* told."""
        told = {fact["text"] for conversation in self.story.halves[place] for fact in conversation["facts"]}
        tree = self.phone.ask("tree").value["public"].get("people", {})
        return [path for path, value in _flat(tree, "people") if value in told]


def _flat(tree: dict[str, Any], path: str) -> list[tuple[str, Any]]:
    found = [(path, tree["_value"])] if "_value" in tree else []
    for key, child in tree.items():
        if not key.startswith("_"):
            found += _flat(child, f"{path}.{key}")
    return found


def _value(tree: dict[str, Any], path: str) -> Any:
    node: Any = tree["public"]
    for segment in path.split("."):
        node = node.get(segment, {})
    return node.get("_value", GONE)


def _told(act: Act | None) -> str:
    return "[dim]-[/]" if act is None else f"{escape(act.told)}\n[dim]{act.who}[/]"


def _rank(results: list[dict[str, Any]], question: Question) -> int | None:
    """The place, from 1, of the first result that rests on words that answer *question*."""
    for place, one in enumerate(results, 1):
        if any((session, message) in question.evidence for session, message in one["evidence"]):
            return place
    return None


def _clip(text: str, length: int = 90) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"


def _explained(found: dict[str, Any], names: dict[str, str]) -> list[str]:
    current = found["current"]
    source = current["source"]
    lines = [
        f"[bold green]{escape(show(current['value']))}[/]",
        f"[dim]written by[/] {source['agent']}"
        f"[dim], first {_day(source['created'])}, last {_day(source['updated'])}[/]",
    ]
    for one in found["receipts"]:
        where = f", in {one['session']} {one['message']}" if one["message"] else ""
        lines.append(f"[dim]because[/] “{escape(one['text'])}”")
        lines.append(f"        [dim]{escape(one['speaker'])}, {_day(one['at'])}{escape(where)}[/]")
    lines.append("[dim]history[/]")
    for one in found["history"]:
        device = escape(names.get(one["device"], "another device"))
        value = escape(show(one["value"]))
        lines.append(f"  {_day(one['at'])}  {one['what']} {value} [dim]by {one['agent']} on {device}[/]")
    return lines


def _day(moment: str) -> str:
    return moment[:16].replace("T", " ")


def _densest(content: bytes) -> int:
    """The start of a page, past the middle, in which every row of bytes is in use."""
    for at in range(len(content) // 2 // 4096 * 4096 + 1024, len(content) - 64, 4096):
        if len(set(content[at : at + 64])) > 40:
            return at
    return 0
