"""What a child process may know of the environment."""

from __future__ import annotations

from pincite.support.processes.environment import without_secrets


def test_keys_and_addresses_with_passwords_stay_with_the_parent() -> None:
    given = {
        "PATH": "/bin",
        "PINCITE_THREADS": "2",
        "VOYAGE_API_KEY": "x",
        "PINCITE_DATABASE_URL": "postgresql://app:secret@db/x",
        "PINCITE_DATABASE_OPERATOR_URL": "postgresql://works:secret@db/x",
        "PGPASSFILE": "/run/secrets/pgpass",
        "SENTRY_DSN": "https://secret@example",
    }
    assert without_secrets(given) == {"PATH": "/bin", "PINCITE_THREADS": "2"}
