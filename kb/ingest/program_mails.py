"""Mails that a program writes, be it in somebody's name: its address says who wrote no more than a mailing list's does.

Trackers and signing services write for many from one address, under the name of whoever acted: ``Karl <gitlab@x.example>``.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from kb.ingest.addresses import Mailbox, read_addresses

#: RFC 3834. What is ``auto-replied`` comes from somebody's own address.
_AUTOMATIC = re.compile(r"\s*auto-(?:generated|notified)\b", re.I)
#: Headers that only such programs add to a mail.
_SYSTEM = re.compile(
    r"x-(?:atlassian|bugzilla|confluence|discourse|docusign|freshdesk|gerrit|github|gitlab|jenkins|jira|launchpad|mantis"
    r"|otrs|phabricator|redmine|sentry|trac|travis|zendesk)-"
)
#: ``Al Bar via DocuSign``, as mailing lists write it too.
VIA = re.compile(r"\A(.*?) (?:via|über|par|por|через) ")


def find_program_mailboxes(
    heads: Mapping[str, Sequence[str]], is_lists: Callable[[Mailbox], bool]
) -> frozenset[str]:
    """Give the addresses that a program wrote a mail from, by its headers (all values by names in lower case).

    That of its Sender where it has one: then From names the author, as in the invitations of some calendars. A mailing
    list's is none: it passes on what the program wrote.
    """
    authors, senders = (
        [box for text in heads.get(name, ()) for box in read_addresses(text, name, [])]
        for name in ("from", "sender")
    )
    known = {box.address for box in authors}
    writing = [box for box in senders if box.address not in known and not is_lists(box)] or authors
    is_automatic = any(map(_AUTOMATIC.match, heads.get("auto-submitted", ())))
    if not is_automatic and not any(map(_SYSTEM.match, heads)):
        writing = [box for box in authors if VIA.match(box.name)]
    return frozenset(box.address for box in writing if box.address)
