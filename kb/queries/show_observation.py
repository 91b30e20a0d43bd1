"""``show OBSERVATION``: a source text, whether its seal holds, and what cites it."""

from typing import TYPE_CHECKING, NamedTuple

from kb.graph.graph import Graph
from kb.queries.answers import Answer, StatementView, Viewer

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase


class SourcePage(NamedTuple):
    """An observation with what rests on it."""

    id: str
    kind: str
    title: str
    path: str
    happened_at: str | None  #: as written
    said_by: str
    participants: tuple[str, ...]
    source: str
    derived_from: tuple[str, ...]
    is_sealed: bool
    text: str
    statements: tuple[StatementView, ...]  #: that cite it


def names_observation(graph: Graph, argument: str) -> bool:
    """Say whether an argument is an observation's id and no entity's."""
    return argument in graph.observations and not (
        argument in graph.entities or argument in graph.survivors
    )


def show_observation(knowledge_base: "KnowledgeBase", id: str) -> Answer[SourcePage]:
    """Show an observation by its id: of several that claim it the first by path, with a note."""
    from kb.queries.claims import paths_claiming  # heavy, and the pages of entities need none of it

    graph = knowledge_base.graph
    observation = graph.observations[id]
    viewer = Viewer(knowledge_base)
    knowledge_base.cited.add(observation.path)
    page = SourcePage(
        id=observation.id,
        kind=observation.kind,
        title=observation.title,
        path=observation.path,
        happened_at=observation.happened_at.text if observation.happened_at else None,
        said_by=observation.said_by,
        participants=observation.participants,
        source=observation.source,
        derived_from=observation.derived_from,
        is_sealed=observation.is_sealed,
        text=graph.body_of(id),
        statements=tuple(viewer.statement(statement) for statement in graph.citing(id)),
    )
    _, *others = paths_claiming(knowledge_base, id)
    notes = [f"{path} claims this id too, and is not shown" for path in others]
    return Answer("show", knowledge_base.revision, (), page, 1, notes=tuple(notes))
