from __future__ import annotations

from itertools import permutations

from vademecum.transport import contexts


def test_no_domain_separator_is_a_prefix_of_another() -> None:
    separators = [value for name, value in vars(contexts).items() if name.isupper()]
    assert len(separators) > 20
    for one, other in permutations(separators, 2):
        assert not other.startswith(one), (one, other)
