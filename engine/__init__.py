"""The engine: what a memory is, how two replicas of it agree, and how one replica keeps it.

Pure rules (no I/O; clock, randomness and bytes are passed in)

===========  ==========================================================================
paths        dotted paths
values       what a leaf may hold
trees        objects ↔ subtrees of leaves
agents       ``developer/slug@version``
scopes       the parts of a vault, their tiers, who may see them
clock        the hybrid logical clock
records      one leaf with its provenance, and its bytes
slots        the keys under which devices keep their records, and the row of a name
law          which record wins
changes      what one device changed in one scope, and its bytes
snapshots    all that still counts in one scope, and its bytes
retention    how much of the past is kept
sentences    how a leaf reads in words
ranking      how recall orders what it found
weights      what each sign of a good answer counts for
question     whom a question names, and what of it the sentence model is asked
time_words   the time that a question names
conversation what the turns around a turn say for it
weighing     what a question says beside its words, put together
tokens       how many tokens a text takes, about
window       what of a conversation is sent to a model, within a budget
extracts     a summary that only quotes
===========  ==========================================================================

What keeps a replica

===========  ==========================================================================
document     the CRDT document of a scope (the only module that knows pycrdt)
replica      the write path: one transaction for document, rows, journal and queues
session      what one transaction reads and writes in one scope
merging      applying another device's changes
gathering    collecting this device's changes for a commit
generations  beginning a scope's document anew
trimming     letting go of the past that is not kept, where no new generation does it
restarting   beginning a document again that nobody else has seen
forgetting   what the person has had removed, and which agents are forgotten
removing     forgetting paths, sessions and spans of time
settings     what this installation keeps for itself: the retention
renewing     what a device that was copied has written, said again by the one the copy becomes
locality     which sessions stay on this device
sessions     an agent's conversations: logging, pins, handing over
expiring     letting go of sessions whose time is over
dropping     taking messages out of a session, without a trace where nobody else has seen it
following    what is forgotten elsewhere goes out of sessions that stay here
evidence     the reason for a memory: recorded messages, checked and quoted
learned      how many memories agents have added about the person
audit        why, log and history
checking     whether what is kept agrees with itself, and making anew what is derived
restoring    putting what was read of a damaged replica into a new one
handle       what an agent gets
indexing     draining the queues into the recall indexes
found        what an index has named, as it stands now, and what stands next to it
recall       searching them
===========  ==========================================================================

Knows nothing of networks or of keys.
"""
