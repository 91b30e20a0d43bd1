"""What addresses, domains and phone numbers say of who somebody is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.graph.contact_rules import (
    LIST_AFFIXES,
    is_free_mail,
    is_program_mailbox,
    is_shared_mailbox,
    normalize_phone,
    registrable_domain,
)


@pytest.mark.parametrize(
    "address",
    [
        "info@x.example",
        "INFO@X.example",
        "sales@x.example",
        "sales-emea@x.example",
        "emea.sales@x.example",
        "sales.de@x.example",
        "support+12@x.example",
        "no-reply@x.example",
        "noreply@x.example",
        "do_not_reply@x.example",
        "noreply-calendar@x.example",
        "accounts-noreply@x.example",
        "mailer-daemon@x.example",
        "bounces+a=b@x.example",
        "bounce-12-34@x.example",
        "owner-list@x.example",
        "list-request@x.example",
        "kontakt@x.example",
        "vertrieb@x.example",
        "contacto@x.example",
        "hr@x.example",
        "office2@x.example",
        "support-team@x.example",
        "assistant@x.example",
        "customer.service@x.example",
        "notifications@github.com",
        "reply+abc@reply.github.com",
        "abc@group.calendar.google.com",
        "email:info@x.example",
        "room@resource.calendar.google.com",
        "repo@noreply.github.com",
        "mention@noreply.github.com",
        "notification+abc@mail.x.example",
        "ann@mail.no-reply.x.example",
        "ann@bounces.x.example",
        "token@reply.x.example",
        "do.not.respond@x.example",
        "bounce12@x.example",
        "bounce_handler@x.example",
        "bounces+12-ann=y.example@x.example",
        "dev-bounces-12@x.example",
        "dev-bounces+ann=y.example@x.example",
        "dev-return-12-ann=y.example@x.example",
        "auto-reply@x.example",
        "cron@x.example",
    ],
)
def test_shared_mailboxes(address: str) -> None:
    """An office's or a program's mailbox is no person's key."""
    assert is_shared_mailbox(address)


@pytest.mark.parametrize(
    "address",
    [
        "dana@x.example",
        "dana.reyes@x.example",
        "maria.sales@x.example",
        "info.dana@x.example",
        "mark@x.example",
        "ann.press@x.example",
        "it.manager@x.example",
        "d@x.example",
        "j.o@x.example",
        "hrabal@x.example",
        "supporter@x.example",
        "replyson@x.example",
        "ownerson@x.example",
        "info",
        "nobody",
        "4711+dreyes@users.noreply.github.com",
        "dreyes@users.noreply.github.com",
        "4711-dreyes@users.noreply.gitlab.com",
        "ann@reply.example",
        "ann@reply.co.uk",
        "ann@noreply.example",
        "bouncer@x.example",
        "cronin@x.example",
        "ann.return@x.example",
    ],
)
def test_mailboxes_of_persons(address: str) -> None:
    """A name that holds an office's word beside others may be a person's, and stays one."""
    assert not is_shared_mailbox(address)


@pytest.mark.parametrize(
    "address",
    [
        *(f"dev-{affix}@x.example" for affix in sorted(LIST_AFFIXES)),
        "dev-confirm+4711@x.example",
        "owner-dev@x.example",
        "noreply@x.example",
        "notifications@x.example",
        "alert@x.example",
        "repo@noreply.github.com",
        "reply+abc@reply.github.com",
        "incoming+abc@reply.gitlab.com",
        "abc@bounces.google.com",
        "abc@x.bounces.google.com",
        "dev@lists.x.example",
        "dev@googlegroups.com",
        "email:dev-owner@x.example",
    ],
)
def test_mailboxes_of_programs(address: str) -> None:
    """Whatever writes by itself, or passes on what others write, is shared as well."""
    assert is_program_mailbox(address)
    assert is_shared_mailbox(address)


@pytest.mark.parametrize("address", ["info@x.example", "sales-emea@x.example", "dana@x.example"])
def test_offices_and_persons_are_no_programs(address: str) -> None:
    """An office may write something."""
    assert not is_program_mailbox(address)


@pytest.mark.parametrize(
    "domain, is_free",
    [
        ("gmail.com", True),
        ("GMail.com.", True),
        ("mail.gmail.com", True),
        ("googlemail.com", True),
        ("yahoo.co.uk", True),
        ("web.de", True),
        ("qq.com", True),
        ("proton.me", True),
        ("tuta.io", True),
        ("mailbox.org", True),
        ("privaterelay.appleid.com", True),
        ("facebook.com", False),
        ("google.com", False),
        ("northpeak.example", False),
        ("gmail.com.northpeak.example", False),
        ("notgmail.com.example", False),
        ("", False),
        ("localhost", False),
    ],
)
def test_free_mail(domain: str, is_free: bool) -> None:
    """Where anybody may have an address, the domain says nothing of a company."""
    assert is_free_mail(domain) is is_free


@pytest.mark.parametrize(
    "domain, registered",
    [
        ("mail.example.co.uk", "example.co.uk"),
        ("example.com", "example.com"),
        ("Mail.Example.COM.", "example.com"),
        ("www.example.com", "example.com"),
        ("team.github.io", "team.github.io"),
        ("github.io", ""),
        ("co.uk", ""),
        ("com", ""),
        ("a.b.northpeak.example", "northpeak.example"),
        ("www.münchen.de", "münchen.de"),
        ("mail.例子.公司.cn", "例子.公司.cn"),
        ("192.168.1.1", ""),
        ("localhost", ""),
        ("a..b", ""),
        ("-a.example", ""),
        ("", ""),
        ("\udcff.example", ""),
    ],
)
def test_registrable_domains(domain: str, registered: str) -> None:
    """A domain is its owner's from one label above the public suffix on."""
    assert registrable_domain(domain) == registered


@pytest.mark.parametrize(
    "text, number",
    [
        ("+49 6221 123-45", "+49622112345"),
        ("+49 (0)6221 12345", "+49622112345"),
        ("0049 6221 12345", "+49622112345"),
        ("tel:+1-201-555-0123", "+12015550123"),
        ("tel:+1-201-555-0123;phone-context=x", "+12015550123"),
        ("tel:+1-201-555-0123;ext=12", ""),
        ("+1 201 555 0123 x12", ""),
        ("06221 12345", ""),
        ("(201) 555-0123", ""),
        ("+0 123 456 789", ""),
        ("+1234", ""),
        ("+1234567890123456", ""),
        ("+1 800 FLOWERS", ""),
        ("+٤٩٦٢٢١١٢٣٤٥", ""),
        ("", ""),
    ],
)
def test_phone_numbers(text: str, number: str) -> None:
    """A number is normalized only if it says its country itself; none is guessed."""
    assert normalize_phone(text) == number


@given(st.text(max_size=60))
def test_any_text_is_judged(text: str) -> None:
    """Whatever the text, each rule answers."""
    is_shared_mailbox(text)
    is_free_mail(text)
    whole = registrable_domain(text)
    assert registrable_domain(whole) == whole
    assert normalize_phone(normalize_phone(text)) == normalize_phone(text)
