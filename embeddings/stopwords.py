"""The words of English that a question has and an answer need not: left out of a query, never out of a text."""

from __future__ import annotations

__all__ = ["STOP_WORDS"]

_ENGLISH = """
a about after again all also am an and any are arent as at be because been before being between both but by
can cant could couldnt d did didnt do does doesnt doing dont during each ever few for from further get gets got
had hadnt has hasnt have havent having he her here hers herself him himself his how i if in into is isnt it its
itself just ll m me might more most must my myself no nor not of off on once only or other ought our ours
ourselves out over own please re s same shall she should shouldnt so some such t tell than that the their theirs
them themselves then there these they this those through to too under until up upon us ve very was wasnt we were
werent what when where whether which while who whom whose why will with wont would wouldnt you your yours yourself
yourselves
"""

STOP_WORDS = frozenset(_ENGLISH.split())
"""About 150 words, folded as `vademecum.embeddings.words` folds them."""
