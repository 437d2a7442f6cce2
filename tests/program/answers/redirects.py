"""Redirects: the spelling that a redirect asks for is asked for, whatever URL was seen before; a page stays one page."""
from answers import LEAF, Cut, move, page, reply


def plain_target(site):
    """a redirect to a page that nothing else links to (Chromium: the same)"""
    site.serve({'/': page('/old'), '/old': move('/new'), '/new': page('/found'), '/found': LEAF})
    site.crawl().wants(once=['/old', '/new', '/found'])
