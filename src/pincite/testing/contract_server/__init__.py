"""Model servers that behave as documented by their vendors, on loopback, for tests and demos.

`http://127.0.0.1:PORT/VENDOR/...` answers like VENDOR, with its formats, limits and errors. Vectors
and scores depend on the text alone. Faults are switched on by `ContractServer.fail`, or from a
shell by a POST to `/_faults`. Each file adds endpoints of vendors to one table.
"""

from pincite.testing.contract_server.chat_faults import CHAT_FAULTS
from pincite.testing.contract_server.faults import FAULTS, Fault
from pincite.testing.contract_server.server import ContractServer

__all__ = ["CHAT_FAULTS", "FAULTS", "ContractServer", "Fault"]
