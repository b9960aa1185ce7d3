"""The part of `Vault` that concerns how memories form: what waits for the person's decision, and what they decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vademecum.engine.formation.suggestions import Suggestion
    from vademecum.engine.leaf import Leaf
    from vademecum.engine.replica import Replica

__all__ = ["Forming"]


class Forming:
    """Mixed into `Vault`."""

    _replica: Replica

    def suggestions(self) -> list[Suggestion]:
        """What agents and the curator suggest, and nobody has decided about, oldest first."""
        from vademecum.engine.formation.suggestions import open_suggestions

        with self._replica.read() as view:
            return open_suggestions(view)

    def accept(self, suggestion: str, **edited: object) -> list[Leaf]:
        """Writes what the suggestion of that id says as the person, with its receipts; returns the leaves written.

        value: what to write in its place (``accept(id, value=…)``); the receipts and who suggested it are kept.
        Raises `NotFound` if no such suggestion waits, `InvalidValue`, `InvalidPath`; nothing has changed then.
        """
        from vademecum.engine.formation.suggestions import AS_SUGGESTED, accept

        if edited.keys() - {"value"}:
            raise TypeError(f"accept() takes a suggestion's id and value=…; not {', '.join(edited)}")
        value = edited.get("value", AS_SUGGESTED)
        return self._replica.write(lambda transaction: accept(transaction, suggestion, value))

    def reject(self, suggestion: str) -> None:
        """Takes the suggestion of that id away; the same is not suggested again. Raises `NotFound`."""
        from vademecum.engine.formation.suggestions import reject

        self._replica.write(lambda transaction: reject(transaction, suggestion))
