"""The text file of a vault, both ways: what a person can read and edit with any text editor.

==========  ==========================================================================
rendering   leaves → YAML, as a person would write it
reading     YAML → leaves with their lines; what the file looks like
patching    a text brought up to date, touching only the lines of leaves that changed
merging     the three-way merge at the leaf: a pure rule
bases       what file and vault said when they last met, as digests
applying    the vault's side of a merge, in one transaction
passes      one pass: read, merge, keep the losers, patch, put in place
beside      places for what cannot stay in a file and must not be lost
copies      agents and sessions, for reading only
mirror      file and copies kept in step
purging     what was forgotten, taken out of them
editing     a copy in an editor
==========  ==========================================================================

docs/textfile.md is the page for people.
"""

from __future__ import annotations

from .bases import known_files
from .editing import edit
from .mirror import Mirror, Mirrored
from .passes import Report, bring_into_step
from .purging import files_left, purge_exports

__all__ = ["Mirror", "Mirrored", "Report", "bring_into_step", "edit", "files_left", "known_files", "purge_exports"]
