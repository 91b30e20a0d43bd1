"""The predicates of synthetic knowledge bases: between which types, how often, and how a source says them."""

#: What may be stated of a type: relation, type of the object, weight. Of `acyclic` ones only a more popular entity is
#: the object, so that no circle comes about.
RELATIONS: dict[str, tuple[tuple[str, str, int], ...]] = {
    "person": (
        ("works-for", "company", 18),
        ("member-of", "team", 12),
        ("contributes-to", "project", 14),
        ("contributes-to", "service", 6),
        ("leads", "project", 4),
        ("reviews", "document", 6),
        ("collaborates-with", "person", 14),
        ("meets-with", "person", 12),
        ("mentors", "person", 4),
        ("discussed-with", "person", 5),
        ("observed-during", "event", 5),
    ),
    "company": (
        ("supplies", "company", 20),
        ("owns", "product", 12),
        ("part-of", "company", 6),
        ("founded-by", "person", 8),
        ("employs", "person", 8),
        ("related-to", "company", 8),
        ("co-occurs-with", "company", 5),
    ),
    "project": (
        ("depends-on", "service", 18),
        ("depends-on", "project", 6),
        ("part-of", "project", 6),
        ("belongs-to", "company", 12),
        ("blocks", "project", 6),
        ("sponsored-by", "person", 8),
        ("led-by", "person", 6),
        ("possibly-caused-by", "event", 2),
    ),
    "service": (
        ("depends-on", "service", 24),
        ("part-of", "service", 4),
        ("belongs-to", "team", 8),
        ("depends-on", "host", 8),
        ("contributor", "person", 6),
    ),
    "team": (("part-of", "company", 6), ("has-member", "person", 14), ("follows", "project", 5)),
    "document": (("derived-from", "document", 6), ("decided-by", "person", 6), ("supports", "concept", 4)),
    "product": (("depends-on", "service", 10), ("similar-to", "product", 4), ("owned-by", "company", 4)),
    "place": (("similar-to", "place", 3), ("related-to", "company", 8)),
    "event": (("follows", "event", 4), ("occasion-of", "person", 10), ("related-to", "project", 5)),
    "host": (("part-of", "service", 4), ("belongs-to", "team", 4)),
    "concept": (("related-to", "concept", 8), ("part-of", "concept", 2), ("supports", "project", 2)),
}  # fmt: skip
ACYCLIC = ("part-of",)
#: Relations of which one holds at a time: the types that have it, and the object's.
CHAINED = {"person": ("reports-to", "person"), "company": ("located-in", "place"), "place": ("located-in", "place")}  # fmt: skip

#: Relations that are written at their object: the word of FORMAT's digest, and the direction.
INVERSES = {
    "founded-by": "founded",
    "employs": "works-for",
    "sponsored-by": "sponsors",
    "led-by": "leads",
    "contributor": "contributes-to",
    "has-member": "member-of",
    "decided-by": "decided",
    "owned-by": "owns",
    "occasion-of": "observed-during",
}
#: How an observation says what a statement rests on; else the predicate's words are used.
SAYINGS = {
    "works-for": "{} works for {}.",
    "reports-to": "{} reports to {}.",
    "leads": "{} leads {}.",
    "meets-with": "{} met {}.",
    "depends-on": "{} cannot run without {}.",
    "supplies": "{} supplies {}.",
}

#: Relations that hold in both directions.
SYMMETRIC = ("collaborates-with", "meets-with", "related-to", "similar-to", "co-occurs-with")
