"""Give a collection another dense model, from the texts that are stored in it."""

from pincite.maintenance.reembed.options import Reembedded, Reembedding, ReembedOptions
from pincite.maintenance.reembed.run import reembed

__all__ = ["ReembedOptions", "Reembedded", "Reembedding", "reembed"]
