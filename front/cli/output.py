"""What a program reads on stdout: plain text, and one JSON document. Everything else goes to stderr."""

from __future__ import annotations

import json
import sys

from vademecum.engine.values import Value

__all__ = ["counted", "in_words", "print_json", "print_json_lines", "print_line", "print_value", "printable", "tell"]

# control characters, which could move a terminal's cursor or change its title, become their pictures
_PICTURES = {code: 0x2400 + code for code in range(32) if code not in (9, 10)} | {127: 0x2421}
# and what has no picture a mark: controls again, and marks that would turn round what the line says behind them
_UNSEEN = (*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_PICTURES |= dict.fromkeys(_UNSEEN, 0xFFFD)
_ESCAPES = {code: f"\\u{code:04x}" for code in (127, *_UNSEEN)}
"""What JSON may hold as it is, and a terminal should not. It stands inside strings only."""


def print_json(document: object) -> None:
    """Prints *document* as the one JSON document of this call, in UTF-8 or, where stdout cannot, in ASCII."""
    is_unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    print_line(json.dumps(document, ensure_ascii=not is_unicode, indent=2).translate(_ESCAPES))


def print_json_lines(lines: str) -> None:
    """Prints documents of one line each, which JSON has made, without power over a terminal."""
    for line in lines.removesuffix("\n").split("\n"):  # not splitlines: a text may hold other ends of lines
        print_line(line.translate(_ESCAPES))


def print_line(text: str) -> None:
    """Prints *text* as it is, at once."""
    try:
        sys.stdout.write(f"{text}\n")
    except UnicodeEncodeError:
        encoding = sys.stdout.encoding or "ascii"
        sys.stdout.write(f"{text}\n".encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()


def print_value(value: Value) -> None:
    """Prints *value* in words: as it is, but on a terminal without power over it."""
    text = in_words(value)
    print_line(printable(text) if sys.stdout.isatty() else text)


def tell(text: str) -> None:
    """Prints one line on stderr, whatever *text* holds."""
    sys.stderr.write(printable(" ".join(text.split())) + "\n")
    sys.stderr.flush()


def in_words(value: Value) -> str:
    """Text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def counted(number: int, one: str, more: str) -> str:
    """*number* of something, in the singular where it is one."""
    return f"{number:,} {one if number == 1 else more}"


def printable(text: str) -> str:
    """*text* without power over a terminal."""
    return text.translate(_PICTURES)
