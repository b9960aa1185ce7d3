"""The story, chapter by chapter. Each shows what happens and checks what it promises."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from rich.markup import escape

from .cast import Cast
from .forming import form
from .scenes import SCENES, SEEDS, show
from .screen import Screen, Step, amount
from .search import bytes_of, find_texts, hex_lines, used_place
from .story import Story
from .telling import clip, explain, find_value, paths_of, place_of, tell_act

__all__ = ["CHAPTERS"]

SHOWN = 5
"""Questions to each device that the table shows."""
FIRST = 10
"""A question is answered if a memory that rests on the right words is among so many."""
SHARE = 0.5
"""Of the questions, how many must be answered: half of them over a whole vault is what search by words alone does."""


def meet(screen: Screen, cast: Cast, story: Story) -> None:
    laptop, phone = cast.both
    screen.chapter(
        "Noor has a laptop and a phone",
        "The laptop makes the vault. The phone joins it with a one-time code, through a relay that learns neither.",
    )
    answer = laptop.ask("create", home=str(laptop.home), name="Noor's laptop")
    screen.step(Step("make the vault", laptop.name, answer.seconds))
    words = answer.value["phrase"].split()
    screen.say(f"  recovery phrase, shown once: {' '.join(words[:3])} … ({len(words)} words)")
    laptop.ask("use_relay", url=cast.relay.url)
    for act in SEEDS:
        cast.act(laptop, act)
    cast.sync(laptop, "send the first memories")
    cast.pair(laptop, phone, "Noor's phone")
    cast.sync(phone, "fetch the first memories")
    screen.check(cast.same_trees(laptop, phone), "the phone holds what the laptop holds")


def part(screen: Screen, cast: Cast, story: Story) -> None:
    laptop, phone = cast.both
    cast.relay.kill()
    screen.chapter(
        "Then they are apart, with no network at all",
        f"The relay's process is killed. Each device takes in half of {story.name}, and life goes on.",
    )
    for device in cast.both:
        screen.check(cast.fails(device, "sync") == "relay-unreachable", f"the {device.name} reaches nobody")
    files = [cast.folder / "half-1.json", cast.folder / "half-2.json"]
    for file, half in zip(files, story.halves, strict=True):
        file.write_text(json.dumps(half), encoding="utf-8")
    rows = []
    reports = cast.ask_both("import_file", "imports", [{"file": str(file)} for file in files])
    for device, file, report in zip(cast.both, files, reports, strict=True):
        screen.step(Step(f"import half of {story.name}", device.name, report.seconds))
        messages, leaves = report.value["messages"], report.value["leaves"]
        rows.append(
            [
                device.name,
                f"{messages:,}",
                f"{leaves:,}",
                amount(file.stat().st_size),
                f"{report.seconds * 1000:,.0f}",
                f"{(messages + leaves) / report.seconds:,.0f}",
            ]
        )
    screen.table(["imported", "messages", "facts", "file", "ms", "per second"], rows, right=(1, 2, 3, 4, 5))
    again = laptop.ask("import_file", file=str(files[0])).value
    screen.check(
        again["leaves"] == again["messages"] == 0,
        f"the same file once more changes nothing ({again['unchanged']:,} entries are there already)",
    )
    for device, acts in ((laptop, [one.laptop for one in SCENES]), (phone, [one.phone for one in SCENES])):
        for act in acts:
            if act is not None:
                cast.act(device, act)
    laptop.ask("set", path="passport.number", value="EJ 114 207", private=True)
    holdings = [device.ask("holdings").value for device in cast.both]
    waiting = [device.ask("status").value["pending"] for device in cast.both]
    screen.table(
        ["now holds", "leaves", "messages", "on disk", "changes that wait"],
        [
            [device.name, f"{one['leaves']:,}", f"{one['messages']:,}", amount(one["bytes"]), f"{count:,}"]
            for device, one, count in zip(cast.both, holdings, waiting, strict=True)
        ],
        right=(1, 2, 3, 4),
    )
    screen.check(not cast.same_trees(laptop, phone), "the two hold different memories")
    screen.check(min(waiting) > 0, "both know that they have something to send")
    cast.restart_relay()


def merge(screen: Screen, cast: Cast, story: Story) -> None:
    laptop, phone = cast.both
    screen.chapter(
        "They meet again",
        "The relay is back. The laptop sends, the phone sends and fetches, the laptop fetches.",
    )
    cast.sync(laptop, "send what it learned")
    cast.sync(phone, "send, and fetch the other half")
    cast.sync(laptop, "fetch the other half")
    trees = [device.ask("tree").value for device in cast.both]
    screen.table(
        ["leaf", "on the laptop", "on the phone", "now, on both", "why"],
        [
            [
                f"[bold]{scene.path}[/]",
                tell_act(scene.laptop),
                tell_act(scene.phone),
                f"[green]{escape(show(find_value(trees[0], scene.path)))}[/]",
                f"[dim]{escape(scene.rule)}[/]",
            ]
            for scene in SCENES
        ],
    )
    wrong = [scene.path for scene in SCENES for tree in trees if find_value(tree, scene.path) != scene.outcome]
    screen.check(not wrong, "every leaf is what the law says" + (f"; not so: {', '.join(wrong)}" if wrong else ""))
    one, other = (device.ask("holdings").value for device in cast.both)
    screen.check(
        trees[0] == trees[1] and one["messages"] == other["messages"],
        f"both devices hold the same {one['leaves']:,} leaves and {one['messages']:,} messages",
    )
    told = len({(conversation, turn["id"]) for conversation, turn in story.turns()})
    screen.check(one["messages"] == told, f"no message is lost or doubled: {told:,} turns were told")
    screen.check(
        all(
            status["state"] == "synced" and not status["pending"] and not status["problems"]
            for status in (device.ask("status").value for device in cast.both)
        ),
        "both say that they are synced, with nothing pending and no problems",
    )
    rail = "rail/conductor@2.1.0"
    code = cast.fails(laptop, "remember", agent=rail, path="home.city", value="Antwerp", because="Antwerp, no?")
    screen.check(code == "protected", "an agent that tries to change what the person corrected is refused")
    words = "I told you: no airline. Trains only."
    laptop.ask("remember", agent=rail, path="contact.airline", value="none, trains only", because=words)
    cast.sync(laptop, "send one changed leaf")
    cast.sync(phone, "fetch one changed leaf")
    screen.check(
        find_value(phone.ask("tree").value, "contact.airline") == "none, trains only",
        "an agent that has seen a deletion may learn the matter anew",
    )


def recall(screen: Screen, cast: Cast, story: Story) -> None:
    if not any(story.questions):
        return
    screen.chapter(
        "Each answers from what only the other was told",
        "Both compute their vectors, each on its own processor; then each is asked about the other's half.",
    )
    indexed = cast.ask_both("index", "reads")
    for device, answer in zip(cast.both, indexed, strict=True):
        screen.step(Step(f"compute {answer.value:,} vectors", device.name, answer.seconds))
    rows: list[list[str]] = []
    times: list[float] = []
    methods: set[str] = set()
    answered = 0
    for device, questions in zip(cast.both, story.questions, strict=True):
        shown = {place * len(questions) // SHOWN for place in range(SHOWN)}
        for number, question in enumerate(questions):
            answer = device.ask("recall", question=question.text, k=FIRST)
            times.append(answer.seconds)
            methods.add(answer.value["method"])
            place = place_of(question, answer.value["results"])
            answered += place is not None
            if number in shown:
                best = escape(clip(answer.value["results"][(place or 1) - 1]["text"]))
                style = "green" if place else "dim"
                rows.append([device.name, escape(question.text), f"[{style}]{best}[/]", str(place or "-")])
    screen.table(["asked", "question", "the memory that answers it, or (-) the best one", "place"], rows, right=(3,))
    times.sort()
    screen.step(Step(f"recall, median of {len(times)}", "both", times[len(times) // 2]))
    screen.check(methods == {"hybrid"}, "found by meaning and by words together, with no network")
    holdings = cast.laptop.ask("holdings").value
    screen.check(
        answered >= SHARE * len(times),
        f"{answered} of {len(times)} questions find words that answer them, among the first {FIRST} of "
        f"{holdings['messages'] + holdings['leaves']:,}",
    )
    asked = "What is my passport number?"
    mine, theirs = (
        [one["path"] for one in cast.laptop.ask("recall", question=asked, k=3, agent=agent).value["results"]]
        for agent in (None, "prix/daily-eats@1.0.0")
    )
    screen.check(
        "passport.number" in mine and "passport.number" not in theirs,
        "the person finds the private passport number, and an agent does not",
    )


def why(screen: Screen, cast: Cast, story: Story) -> None:
    phone = cast.phone
    screen.chapter("Why does it say so?", "Any device answers who wrote a memory, when, and because of which words.")
    names = {one["id"]: one["name"] for one in phone.ask("status").value["devices"]}
    hotel = phone.ask("why", path="trip.hotel").value
    screen.panel("vademecum why trip.hotel", explain(hotel, names))
    screen.check(
        [one["value"] for one in hotel["history"]] == ["Pensão Luar", "Casa do Limoeiro"]
        and len({one["device"] for one in hotel["history"]}) == 2,
        "the history has both devices' versions, though only one could win",
    )
    told = story.facts_of_one_half(0)
    path = next((path for path, value in paths_of(phone.ask("tree").value["public"]) if str(value) in told), None)
    if path is None:
        return
    found = phone.ask("why", path=path).value
    screen.panel(f"vademecum why {path}", explain(found, names))
    words = {turn["text"] for _, turn in story.turns()}
    screen.check(
        bool(found["receipts"]) and all(one["text"] in words for one in found["receipts"]),
        "the phone quotes, word for word, what only the laptop was told",
    )


def inspect_relay(screen: Screen, cast: Cast, story: Story) -> None:
    screen.chapter(
        "What the relay knows",
        "Everything went through it. Its files are searched, byte by byte, for everything that the laptop knows.",
    )
    texts = cast.laptop.ask("texts").value
    stores = {"the laptop's": bytes_of(cast.laptop.home / "store"), "the relay's": bytes_of(cast.relay_folder)}
    rows = []
    found = {}
    for whose, files in stores.items():
        started = time.perf_counter()
        found[whose] = find_texts(files.values(), texts)
        took = time.perf_counter() - started
        size = sum(len(content) for content in files.values())
        screen.step(Step(f"search {whose} store", "-", took))
        rows.append([whose, str(len(files)), amount(size), f"{len(texts):,}", f"{len(found[whose]):,}"])
    screen.table(["store", "files", "size", "texts looked for", "found"], rows, right=(1, 2, 3, 4))
    name, content = max(stores["the relay's"].items(), key=lambda pair: len(pair[1]))
    screen.panel(f"the relay's {name}", [escape(line) for line in hex_lines(content, used_place(content), 4)])
    here, there = found.values()
    screen.check(len(here) > len(texts) // 2, "the search works: it finds the laptop's memories on the laptop")
    screen.check(not there, "and none of them at the relay: it holds ciphertext only")


def join(screen: Screen, cast: Cast, story: Story) -> None:
    screen.chapter("A tablet joins", "It is let in by the phone, a member since today, and fetches everything.")
    tablet = cast.device("tablet")
    cast.pair(cast.phone, tablet, "Noor's tablet")
    cast.sync(tablet, "fetch the whole vault")
    screen.check(cast.same_trees(cast.laptop, tablet), "the tablet holds the same tree as the laptop")
    names = [one["name"] for one in tablet.ask("status").value["devices"]]
    screen.check(len(names) == 4, f"it knows all members: {', '.join(names)}")
    answer = tablet.ask("recall", question="Which hotel did we choose?", k=5)
    screen.step(Step("recall at once, vectors still to come", tablet.name, answer.seconds))
    screen.check(
        any(one["path"] == "trip.hotel" for one in answer.value["results"]),
        "asked at once which hotel it was, it knows",
    )


CHAPTERS: tuple[Callable[[Screen, Cast, Story], None], ...] = (
    meet,
    part,
    merge,
    recall,
    why,
    form,
    inspect_relay,
    join,
)
