"""An index in this process: a store and a catalogue that agree, in a folder."""
