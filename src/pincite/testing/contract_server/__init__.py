"""Servers of models as their documentation says they are, on loopback, for tests and demos.

`http://127.0.0.1:PORT/VENDOR/...` answers like VENDOR: its shapes, limits and errors, with vectors
and scores that follow from the text alone. Faults are switched on by `ContractServer.fail`, or from
a shell by a POST to `/_faults`. One file per vendor adds its endpoints to one table.
"""

from pincite.testing.contract_server.chat_faults import CHAT_FAULTS
from pincite.testing.contract_server.faults import FAULTS, Fault
from pincite.testing.contract_server.server import ContractServer

__all__ = ["CHAT_FAULTS", "FAULTS", "ContractServer", "Fault"]
