"""An index in this process: a store and a catalog that agree, in a folder."""
