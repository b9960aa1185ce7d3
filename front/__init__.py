"""Vademecum: the memory of a person's AI agents, carried on every device of that person.

    from vademecum import Vault

    vault = Vault.create("~/.vademecum", device_name="laptop")
    vault.user.set("name", "Alice")
    food = vault.agent("prix/daily-eats@1.0.0")
    food.remember("dietary_preference", ["vegetarian"], because="I'm vegetarian, by the way")
    food.recall("where could we eat tonight?", k=5)

The layers, each of which knows only those below it:

==========  ===================================================================================
front       this package: the API, the command line, importers, the demo
transport   keys, roster, commits, sync, the relay
engine      leaves, the merge law, the replica, journal, recall
storage     LMDB          embeddings   the model and the indexes
==========  ===================================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vademecum.devices import Device
    from vademecum.engine.agents import AgentId
    from vademecum.engine.audit import Change, Why
    from vademecum.engine.formation.budget import Budget
    from vademecum.engine.formation.suggestions import Suggestion
    from vademecum.engine.handle import AgentHandle
    from vademecum.engine.leaf import Leaf
    from vademecum.engine.receipts import Receipt
    from vademecum.engine.recollection import Recollection, Recollections
    from vademecum.engine.retention import Retention
    from vademecum.errors import VademecumError
    from vademecum.forgetting import Forgetting
    from vademecum.status import Status
    from vademecum.vault import Vault

__version__ = "0.1.0"

__all__ = [
    "AgentHandle",
    "AgentId",
    "Budget",
    "Change",
    "Device",
    "Forgetting",
    "Leaf",
    "Receipt",
    "Recollection",
    "Recollections",
    "Retention",
    "Status",
    "Suggestion",
    "VademecumError",
    "Vault",
    "Why",
]

# Names are loaded when first used, so that `import vademecum` and every command start quickly.
_HOMES = {
    "AgentHandle": "vademecum.engine.handle",
    "AgentId": "vademecum.engine.agents",
    "Budget": "vademecum.engine.formation.budget",
    "Change": "vademecum.engine.audit",
    "Device": "vademecum.devices",
    "Forgetting": "vademecum.forgetting",
    "Leaf": "vademecum.engine.leaf",
    "Receipt": "vademecum.engine.receipts",
    "Recollection": "vademecum.engine.recollection",
    "Recollections": "vademecum.engine.recollection",
    "Retention": "vademecum.engine.retention",
    "Status": "vademecum.status",
    "Suggestion": "vademecum.engine.formation.suggestions",
    "VademecumError": "vademecum.errors",
    "Vault": "vademecum.vault",
    "Why": "vademecum.engine.audit",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module 'vademecum' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
