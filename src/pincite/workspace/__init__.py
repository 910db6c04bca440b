"""Workspaces: the users of one deployment, their documents, and the access of each user."""

from pincite.workspace.model import (
    Access,
    ApiKey,
    Conversation,
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
    "Conversation",
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
