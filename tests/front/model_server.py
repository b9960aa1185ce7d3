"""A small HTTP server on the loopback that plays a model service: what it answers is a list of scripted turns."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Turn = Callable[[web.Request, dict[str, Any]], Awaitable[web.StreamResponse]]


@dataclass
class Asked:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class ModelServer:
    """``turns`` are used one after another, the last again and again; ``asked`` is what came in."""

    turns: list[Turn]
    asked: list[Asked] = field(default_factory=list)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def answer(self, request: web.Request) -> web.StreamResponse:
        body = json.loads(await request.read())
        self.asked.append(Asked(request.path, dict(request.headers), body))
        turn = self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]
        return await turn(request, body)


@contextmanager
def serving(*turns: Turn) -> Iterator[ModelServer]:
    """Serves *turns* from a thread of its own."""
    server = ModelServer(list(turns))
    loop = asyncio.new_event_loop()
    ready = threading.Event()
    stop = asyncio.Event()

    async def run() -> None:
        app = web.Application(client_max_size=1 << 26)
        app.router.add_route("*", "/{tail:.*}", server.answer)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        server.port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]
        ready.set()
        await stop.wait()
        await runner.cleanup()

    thread = threading.Thread(target=lambda: loop.run_until_complete(run()))
    thread.start()
    assert ready.wait(10)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
        loop.close()


def shown(body: dict[str, Any]) -> dict[str, Any]:
    """The document that a request laid before the model, of either protocol."""
    document = json.loads(body["messages"][-1]["content"])
    assert isinstance(document, dict)
    return document


def says(text: str | Callable[[dict[str, Any]], str], **more: Any) -> Turn:
    """A turn in which the model says *text*, in the form of the protocol that it is asked in."""

    async def turn(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        words = text if isinstance(text, str) else text(shown(body))
        if request.path.endswith("/chat/completions"):
            choice = {
                "index": 0,
                "finish_reason": more.get("ended", "stop"),
                "message": {"role": "assistant", "content": words, "refusal": more.get("refused")},
            }
            usage = {"prompt_tokens": 900, "completion_tokens": 70, "total_tokens": 970}
            reply = {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
            return web.json_response(reply | {"usage": more.get("usage", usage)})
        if "tools" in body:
            content = [{"type": "tool_use", "id": "t1", "name": "memories", "input": json.loads(words)}]
        else:
            content = [{"type": "text", "text": words}]
        reply = {"id": "a1", "type": "message", "role": "assistant", "model": "m", "content": content}
        usage = {"input_tokens": 900, "output_tokens": 70}
        return web.json_response(
            reply | {"stop_reason": more.get("ended", "end_turn"), "usage": more.get("usage", usage)}
        )

    return turn


def fails(status: int, **headers: str) -> Turn:
    """A turn that ends with an error whose text repeats what must never be shown."""

    async def turn(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        echo = request.headers.get("Authorization", "") + request.headers.get("x-api-key", "")
        reply = {"error": {"message": f"wrong key: {echo}", "type": "some_error"}}
        return web.json_response(reply, status=status, headers={k.replace("_", "-"): v for k, v in headers.items()})

    return turn


def refuses(unknown: Callable[[dict[str, Any]], bool], otherwise: Turn) -> Turn:
    """A turn of a server that answers 400 to a request in which it does not know something."""

    async def turn(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        if unknown(body):
            return web.json_response({"error": {"message": "unknown parameter"}}, status=400)
        return await otherwise(request, body)

    return turn


def sends(body: bytes, **headers: str) -> Turn:
    async def turn(request: web.Request, _: dict[str, Any]) -> web.StreamResponse:
        given = {"Content-Type": "application/json"} | {k.replace("_", "-"): v for k, v in headers.items()}
        return web.Response(body=body, headers=given)

    return turn


def drips(chunk: bytes, every: float, times: int) -> Turn:
    """A turn that sends *chunk* again and again."""

    async def turn(request: web.Request, _: dict[str, Any]) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        for _ in range(times):
            await response.write(chunk)
            if every:
                await asyncio.sleep(every)
        return response

    return turn


def hangs(seconds: float) -> Turn:
    async def turn(request: web.Request, _: dict[str, Any]) -> web.StreamResponse:
        await asyncio.sleep(seconds)
        return web.Response(status=500)

    return turn
