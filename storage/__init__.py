"""Storage: one LMDB environment per vault, its tables, and the files that must live beside it.

============  =======================================================================
module        role
============  =======================================================================
tables        the named tables and what each holds
environment   transactions, map growth, replacing the file, processes, forks
database      one numbered folder, open
folders       the numbered folders, and which of them is in use
copying       filling a new database from an old one
gate          the readers of this process
transaction   what can be read and written, each value with a checksum
sealer        what a sealed vault's files hold instead: the formats and keys
sealed_…      … transaction: the same reading and writing, encrypted in the file
resealing     filling a new database where it or the old one is sealed
salvage       what can still be read of a damaged file
formats       the number of a database's format, and which programs read it
migrations    bringing an older format to the newest one
damage        telling a sound file from a damaged one, before it is mapped
occupancy     which processes have the file open, and whether the last stop was clean
files         atomic writes of small files
boot_time     a clock that no jump of the wall clock touches, the same for all processes of a machine
identity      who this installation is, kept outside the database
installation  whether the folder is still the one in which its vault was made
============  =======================================================================

Knows nothing of memories: keys and values are bytes.
"""
