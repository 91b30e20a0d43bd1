"""Where a link leads depends on the link and its file alone, not on what was asked before."""

from hypothesis import given
from hypothesis import strategies as st

from kb.diagnostics import WHOLE_FILE
from kb.graph.identity import resolve_identities
from kb.graph.links import LinkResolver, LoadedPlaces
from kb.model.entity import EntityFile
from kb.model.statement import Link, LinkForm
from kb.model.vocabulary import Vocabulary

_PATHS = (
    "entities/people/ana.md",
    "entities/people/deep/ben.md",
    "entities/cafe\u0301.md",
    "entities/a:b.md",
    "observations/2026/note.md",
)
#: What paths are put together from: our names, ways up, and what leads out or is written otherwise.
_PARTS = st.sampled_from(
    (
        *("..", ".", "", "entities", "people", "deep", "observations", "2026"),
        *("ana.md", "ben.md", "caf\u00e9.md", "cafe\u0301.md", "a:b.md", "note.md"),
        *("\0", "a\\b.md", "~", "C:", "https:", "ana"),
    )
)
_LINKS = st.builds(
    Link,
    st.just(LinkForm.MARKDOWN),
    st.just("label"),
    st.lists(_PARTS, min_size=1, max_size=6).map("/".join),
    st.just(0),
    st.just(0),
)
_ASKED = st.lists(st.tuples(_LINKS, st.sampled_from(_PATHS)), min_size=2, max_size=12)


def _resolver() -> LinkResolver:
    files = [EntityFile(path, f"id-{n}", WHOLE_FILE) for n, path in enumerate(_PATHS[:4])]
    identities = resolve_identities(files, Vocabulary({}, {}, {}, {}))
    return LinkResolver(LoadedPlaces(identities, {"note": _PATHS[4]}))


@given(_ASKED)
def test_what_was_asked_before_changes_no_answer(asked: list[tuple[Link, str]]) -> None:
    """A resolver remembers what lies at paths, and finds under ``..`` only what it would find anew."""
    remembering = _resolver()
    for link, path in [*asked, *asked]:
        assert remembering.resolve(link, path) == _resolver().resolve(link, path)
