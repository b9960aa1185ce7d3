"""How memories form: signals, distilling, curating, and the rules by which a memory is made, confirmed or refused.

===============  ========================================================================
candidates       what a distiller is given, and what it may propose
attributes       which paths hold one value, which many, and which are private
signals          the queue of messages that nobody has thought about yet
===============  ========================================================================
"""
