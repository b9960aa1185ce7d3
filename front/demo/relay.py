"""A relay in a process of its own: ``python -m vademecum.demo.relay FOLDER PORT``.

Prints its address when it answers, and stops when its input ends, so that it never outlives who started it.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from pathlib import Path

from vademecum.transport.relay.server import serve


async def main(folder: Path, port: int) -> None:
    loop = asyncio.get_running_loop()
    serving = asyncio.ensure_future(serve(folder, "127.0.0.1", port, ready=lambda url: print(url, flush=True)))

    def watch() -> None:
        sys.stdin.read()
        loop.call_soon_threadsafe(serving.cancel)

    threading.Thread(target=watch, daemon=True).start()
    try:
        await serving
    except asyncio.CancelledError:
        if not serving.cancelled():
            raise


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started this decides when it ends
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
