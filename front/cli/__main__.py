"""``python -m vademecum.cli``: the program, where its script is not on the path."""

from __future__ import annotations

import sys

from .program import main

sys.exit(main())
