"""Tools for agents of the Agent Development Kit; needs `pip install 'pincite[adk]'`.

>>> agent = LlmAgent(name="dev", model=..., tools=[EvidenceToolset(".pincite")])
"""

from pincite.surfaces.adk.toolset import ADK, TOOLS, Detail, EvidenceToolset

__all__ = ["ADK", "TOOLS", "Detail", "EvidenceToolset"]
