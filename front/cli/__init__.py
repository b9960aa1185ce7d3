"""The program ``vademecum``, for short ``vade``: one person's memory from the command line.

===========  ===========================================================================
program      the table of commands, and ``main``
failures     errors → one sentence and an exit code
options      what several commands take: ``--home``, ``--json``, values
output       what a program reads on stdout: plain text and JSON
tables       what a person reads: trees, tables, cards (rich)
progress     bars and spinners on stderr, on a terminal only
founding     ``init``
memory       ``set``, ``get``, ``remember``
forgetting   ``forget``
looking      ``tree``, ``recall``, ``why``, ``log``
importing    ``import``, ``demo``
texting      ``edit``, ``mirror``, ``export``
sealing      ``seal``, ``unseal``, and asking for a passphrase
relaying     ``relay serve``, ``relay use``
syncing      ``sync``, ``status``
maintaining  ``compact``, ``retention``, ``doctor``
joining      ``pair``, ``join``
reference    ``docs/cli.md``, written from the help
===========  ===========================================================================

A command's module is loaded when the command is called, so that ``vademecum get`` starts in a tenth of a second.
"""

from __future__ import annotations

from .program import main

__all__ = ["main"]
