"""Run the server for demos and to try clients: `python -m pincite.testing.contract_server --port
8765`.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress

from pincite.testing.contract_server.chat_faults import CHAT_FAULTS
from pincite.testing.contract_server.faults import FAULTS
from pincite.testing.contract_server.server import ContractServer
from pincite.testing.contract_server.vendors import VENDORS


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m pincite.testing.contract_server")
    parser.add_argument("--port", type=int, default=8765)
    parser.add_argument("--key", default="", help="the only key that is accepted; default: any")
    given = parser.parse_args()
    server = ContractServer(port=given.port, key=given.key, keep_bodies=False)
    faults = ", ".join((*FAULTS, *CHAT_FAULTS))
    lines = [f"# listening; for pincite.toml ({faults} by POST /_faults):"]
    for vendor in VENDORS:
        lines += [f"[providers.{vendor}]", f'url = "{server.url(vendor)}"']
    sys.stdout.write("\n".join((*lines, "# end")) + "\n")
    sys.stdout.flush()
    with suppress(KeyboardInterrupt):
        server.serve_forever()


if __name__ == "__main__":
    main()
