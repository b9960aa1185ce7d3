"""The relay: stores sealed commits, forwards them to the vault's other devices, and learns nothing of their content."""
