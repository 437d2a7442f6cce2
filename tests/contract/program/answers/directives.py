"""What a response's header asks of robots.

X-Robots-Tag is Google's ("Robots meta tag ... specifications"): an agent's name and a colon begin what is for it alone. Fields
of one name may be joined by commas on their way (RFC 9110, 5.3)."""
from answers import LEAF, page


def _tagged(site, rows):
    """A page for each row of fields and whether its links may be followed."""
    pages = {'/p%d' % i: page('/in%d' % i, fields=['X-Robots-Tag: ' + f for f in fields]) for i, (fields, _) in enumerate(rows)}
    site.serve({'/': page(*pages), **pages, **{'/in%d' % i: LEAF for i in range(len(rows))}})
    free = ['/in%d' % i for i, (_, is_free) in enumerate(rows) if is_free]
    site.crawl().wants(*free, never=['/in%d' % i for i, (_, is_free) in enumerate(rows) if not is_free])


def agents_in_one_line(site):
    """two agents and more in a line, each with one directive or several"""
    _tagged(site, [(['googlebot: noindex, strata: nofollow'], False), (['strata: noindex, googlebot: nofollow'], True),
                   (['noindex, bingbot: none'], True), (['bingbot: noindex, nofollow'], True),
                   (['nofollow, bingbot: noindex'], False), (['bingbot: noindex, Strata : noarchive, nofollow'], False),
                   (['bingbot: all, *: nofollow, googlebot: all'], False), (['bingbot: none, otherbot:none'], True)])
    line = site.line('/p1')
    assert line.get('noindex') and 'nofollow' not in line, line


def agents_in_two_lines(site):
    """what is for another agent ends with its line"""
    _tagged(site, [(['bingbot: noindex', 'nofollow'], False), (['bingbot: nofollow', 'strata: noindex'], True),
                   (['strata: noindex', 'nofollow'], False)])


def directives_with_values(site):
    """directives that have a value, dates with commas and colons among them, are no agents"""
    _tagged(site, [(['unavailable_after: Wed, 01 Jan 2031 10:00:00 GMT, nofollow'], False),
                   (['unavailable_after: 2031-01-01T10:00:00Z, nofollow'], False),
                   (['unavailable_after: Wednesday, 01-Jan-31 10:00:00 GMT'], True),
                   (['max-snippet: 20, max-image-preview: none, max-video-preview: -1, nofollow'], False),
                   (['max-image-preview: none'], True),
                   (['bingbot: unavailable_after: Wed, 01 Jan 2031 10:00:00 GMT, nofollow, strata: max-snippet:1'], True),
                   (['bingbot: max-snippet: 1, strata: unavailable_after: 1 Jan 2031 10:00:00 PST, nofollow'], False)])
