"""Vademecum: the memory of a person's AI agents."""
