"""Many users of one deployment: who they are, what is theirs, and what each of them may see."""

from pincite.workspace.model import (
    Access,
    ApiKey,
    Document,
    DocumentStatus,
    Feed,
    Job,
    KeyScope,
    Membership,
    Readable,
    Role,
    Space,
    User,
)

__all__ = [
    "Access",
    "ApiKey",
    "Document",
    "DocumentStatus",
    "Feed",
    "Job",
    "KeyScope",
    "Membership",
    "Readable",
    "Role",
    "Space",
    "User",
]
