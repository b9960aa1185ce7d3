"""Whatever goes wrong: one sentence on stderr, and the exit code that says whose fault it was."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

from vademecum.errors import BudgetExceeded, VademecumError

from .output import print_json, tell

__all__ = ["INTERRUPTED", "MISUSE", "guarded", "room_told"]

MISUSE = 2
INTERRUPTED = 130

# what every error in a call derives from; typer has it under no public name in all of its versions
_WrongCall: type[typer.BadParameter] = typer.BadParameter.__mro__[2]  # its base's base


def guarded(work: Callable[[], object]) -> int:
    """The exit code of *work*: what it returns if that is a number, else 0; or that of what it raised.

    Errors of the program itself are not caught: their traceback is what must be reported.
    """
    try:
        result = work()
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except VademecumError as error:
        return _fail(error.message, error.exit_code)
    except _WrongCall as error:
        return _fail(_usage(error), error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        _leave_stdout()
        return 1
    except OSError as error:  # of a file that no layer has named; a rule of the memory never ends here
        return _fail(f"{error.filename or 'The system'}: {error.strerror or error}.", 1)


@contextmanager
def room_told(as_json: bool) -> Iterator[None]:
    """Shows what there is where a memory is refused for want of room: as the JSON document of the call, or in words."""
    try:
        yield
    except BudgetExceeded as error:
        if as_json:
            print_json({"error": error.as_json()})
        else:
            for line in error.details.splitlines():
                tell(line)
        raise


def _fail(sentence: str, code: int) -> int:
    tell(f"error: {sentence}")
    return code


def _usage(error: typer.BadParameter) -> str:
    message = error.format_message()
    context = getattr(error, "ctx", None)  # a base of what is declared has none
    return message if context is None else f"{message} (`{context.command_path} --help` says how.)"


def _leave_stdout() -> None:
    """Whoever read our output has gone; Python's own flush at exit must not complain about it."""
    try:
        descriptor = sys.stdout.fileno()
    except OSError:  # a stand-in without a file behind it
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
