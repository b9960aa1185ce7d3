"""How memories form: signals, distilling, curating, and the rules by which a memory is made, confirmed or refused.

===============  ========================================================================
candidates       what a distiller is given, and what it may propose
attributes       which paths hold one value, which many, and which are private
signals          the queue of messages that nobody has thought about yet
claims           one curator at a time for a vault
attempts         signals whose curation failed: when they are tried again
turns            one turn of one vault: claim, consider, write, release
reading          the messages around some signals, and what is known already
guards           what the engine checks of every candidate, whoever proposed it
injections       text that looks like an instruction
secrets          passwords, keys and numbers, which are never learned
echoes           what the memory itself put into a transcript
shown            which lines of the memory were shown of late
likeness         how alike texts are by their words
wording          when two texts or values say the same, letter by letter
assertions       what is asserted, and which words say so
standing         what stands at its path already
deciding         what becomes of one candidate: duplicate, update, new, or a sighting
inquiry          what is asked before anything is written
comparing        the nearest memories of the same scope, and the judge's word on them
beside           what a new memory does to those: it is linked to them, or flags one
suggestions      what agents would change of the person's own, and what the person decides
budget           how many memories agents may add, and what to do at the limit
alike            which memories are most alike, for the budget's error
consolidating    making one memory of several
learning         writing a memory, its confirmation, its end, and their receipts
hypotheses       sightings, which merge over devices, graduate and fade
reconciling      what was said last counts, also where devices curated apart
links            links between memories, and flags on those that are contradicted
curator          all of it in order: consider, then apply in one transaction
counters         how often what came of it
report           the outcomes, each with its reason
===============  ========================================================================
"""
