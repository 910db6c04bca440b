"""Limits of time that say that something hangs or grows, and nothing of how fast it is."""

#: What takes longer hangs, however busy the machine is.
HANGS_S = 600.0
#: Processor time that no linear work of a test comes near, also with coverage on a busy machine.
GROWS_S = 60.0
