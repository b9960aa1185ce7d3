"""The distiller that needs no model: what was said outright, in the forms people use for it, and silence otherwise.

===============  ========================================================================
distiller        `RuleDistiller`: messages in, candidates out
reading          a message as sentences and clauses; what is quoted, pasted or code is hidden
silence          what keeps a message, or what follows, from being read: jokes, role play, injections, secrets
grammar          the words a language module is written in: `Language`, `Form`, `Frame`
parsing          what a clause says: the form that fits it, its gaps filled
slots            what may stand in a gap of a form (`names`, `things`, `gaps`), and the path segment it gives
leaning          corrections that name no attribute (*no, it's Berlin*) and lean on what is known
english …        one module a language: patterns as data; `words` and ``…_words`` hold the lexicons
===============  ========================================================================
"""

from __future__ import annotations

from .distiller import RuleDistiller

__all__ = ["RuleDistiller"]
