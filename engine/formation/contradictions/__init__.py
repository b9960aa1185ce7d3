"""Whether a new statement contradicts an old one, in layers from certain to uncertain.

============  ==============================================================================================
statements    `Statement`, `Verdict` and the relations between two statements
judge         `Judge`: the layers in their order
structure     layer 1: the same path with another value
signals       layer 2: claims, ends, denials, opposites, numbers
comparing     …          whether two claims can both hold
claims        …          what a sentence claims: home, diet, likings, what took another's place
claim         …          `Claim`
meals         …          diets, allergies and what is eaten
tidying       …          the bare thing in what is said of it
patterns      …          how people say so, in six languages
reading       …          the other things a sentence tells: its words, whether it denies, of whom it speaks
kinds         …          things of a kind of which a person has one
lexicon       …          words that mean the same, and opposites
values        values in a form in which equal means the same
words         words in a form in which they can be compared
============  ==============================================================================================

Layers 3 and 4, a model of natural language inference and a language model, are given to the judge where a person has
one. Cosine alone cannot tell a contradiction: contradicting sentences are as near to one another as paraphrases are.
"""

from __future__ import annotations

from .judge import NEAREST, Asked, Entailment, Judge, Probabilities, judge
from .statements import Layer, Relation, Statement, Verdict
from .values import normalised

__all__ = [
    "NEAREST",
    "Asked",
    "Entailment",
    "Judge",
    "Layer",
    "Probabilities",
    "Relation",
    "Statement",
    "Verdict",
    "judge",
    "normalised",
]
