"""Strata: what a crawler must remember. Filters of seen keys, and a frontier that survives kill -9.

Filter      a set of keys in a few bits each, which grows
Frontier    is a URL new, and which one is fetched next: on disk, crash-safe
strata_frontier.scrapy    Scrapy's scheduler and duplicate filter on a Frontier
"""
from .errors import BadArgument, Busy, Closed, Damaged, Mismatch, NoSpace, NotFound, StrataError
from .filter import Filter, FilterStats
from .frontier import Answer, Frontier, FrontierStats, Lease, Link, Outcome, State, library_version

__version__ = library_version()
__all__ = [
    "Answer", "BadArgument", "Busy", "Closed", "Damaged", "Filter", "FilterStats", "Frontier", "FrontierStats", "Lease",
    "Link", "Mismatch", "NoSpace", "NotFound", "Outcome", "State", "StrataError", "__version__",
]
