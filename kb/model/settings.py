"""What ``kb.yaml`` says besides its words."""

from typing import NamedTuple

from kb.model.statement import LinkForm


class Settings(NamedTuple):
    """The settings of a knowledge base."""

    name: str = ""
    links: LinkForm = LinkForm.MARKDOWN
    strict: bool = False
    freshness: int = 0  #: seconds for which an answer may rest on the last full sweep of the files
    commit: bool = False  #: each edit is one commit
