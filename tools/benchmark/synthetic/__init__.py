"""Seeded synthetic knowledge bases: who there is, what sources say, what is stated, and the files of it all.

Everything comes from one :class:`random.Random`, drawn from in a fixed order: same seed, same bytes.
"""
