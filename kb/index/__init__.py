"""Full text: words, documents, and an index of them on disk that is always as fresh as the files.

The only package that imports Whoosh, and that to write; lookups read its files themselves. It stores nothing that the
files do not say, trusts nothing that it finds on disk before it has compared it with a manifest, and reads no pickle
except through an allow-list.
"""
