"""Rules over the loaded files → diagnostics, one small function a rule. Never writes, never raises on a bad file.

Imports what is loaded, resolved and stored; knows nothing of who asks, nor how a finding is shown.
"""

from kb.checks.run import check_knowledge_base

__all__ = ["check_knowledge_base"]
