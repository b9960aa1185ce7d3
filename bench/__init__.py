"""Every number that the documentation quotes, measured beside its floor in the same run.

    python -m bench [GROUP…] [--json] [--data FILE]

Each group is a module with ``rows()``; `bench.measure` has what they share, `bench.__main__` the list of them.
"""
