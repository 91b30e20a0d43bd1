"""The form of a graph file: what ``kb.graph.graph_file`` writes and ``kb.graph.stored`` reads.

Texts stand once, in sorted *tables* where they are looked up (ids, names, keys …) and in one heap where they are only
printed; all else is numbers that name them. A table ``t`` is ``t.text``, its texts in order, each with a line end, and
``t.at``, where each begins. Lists that belong to rows or to the texts of a table are two sections: ``x.at``, where the
list of each begins, and ``x``, the lists one after another. Rows (entities, observations, statements, intervals) have a
fixed width, so that all of one stands together.

| table | its texts | lists |
|---|---|---|
| id | entity ids | about: statements; near: ids related by what is not retired; retired: relations that are |
| seen | observation ids, cited or there | citing: statements |
| path | files | |
| predicate | predicates | |
| name | folded names and aliases | bearers: ids |
| key | normalized keys | bearers: ids |
| token | ids and keys that observations name | involved: observations |
| word | words that files consult (``kb.graph.files``) | consulted: paths |
| own | words that files provide | provided: paths |

``near.spell`` has for each entry of ``id.near`` when the two are related (``kb.graph.spells``), as two long numbers.
``id.crowded`` has all ids, those that are near most first: what is a hub is found without a look at the others;
``id.retiring`` those with retired relations.
"""

from kb.model.time import Bound
from kb.model.vocabulary import StatementClass

#: Goes up whenever what is written changes its meaning.
GRAPH_FORMAT = 4
#: Stands for "none" among numbers.
NONE = 0xFFFFFFFF
#: A side of a time span that is open, among seconds.
OPEN = -(1 << 63)
#: Numbers of a row.
STATEMENT_WIDTH, ENTITY_WIDTH, OBSERVATION_WIDTH, INTERVAL_WIDTH = 19, 6, 10, 8
#: Places in a statement's row that are read without the rest.
PATH, SUBJECT, PREDICATE, OBJECT, INTERVAL, SUPERSEDED_BY, FLAGS, SPAN = 0, 3, 4, 5, 7, 10, 14, 16
#: Lists of a row.
ENTITY_LISTS, OBSERVATION_LISTS = 5, 3
#: Of a document's digest, a file's digest and a file's signature.
DIGEST_BYTES, FILE_DIGEST_BYTES, SIGNATURE_BYTES = 12, 16, 8
#: Ordinals leave room between rows for what comes after the last full build.
ORDINAL_SHIFT = 20

#: Flags of a statement, below the confidence (8 bits; 255: none) and above the class (2 bits).
PROVISIONAL, RETRACTED, SINGLE = 1, 2, 4
CLASSES = tuple(StatementClass)
NO_CONFIDENCE = 255
#: Flags of an observation; an entity has the last.
SEALED, BROKEN = 1, 2
BOUNDS = (Bound.OPEN, Bound.UNKNOWN)
