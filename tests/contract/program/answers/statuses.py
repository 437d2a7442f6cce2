"""Which statuses lead elsewhere, and which are pages."""
from answers import LEAF, links, move, page, reply


def statuses(site):
    """which statuses lead elsewhere (Fetch: 301, 302, 303, 307, 308); a 300 is a page of choices (Chromium: the same)"""
    leads, stays = (301, 302, 303, 307, 308), (304, 305, 306, 310)
    site.serve({'/': page('/300', *['/%d' % s for s in leads + stays]),
                '/300': page('/choice.fr', '/choice.en', status='300 Multiple Choices', fields=['Location: /chosen'])})
    for s in leads + stays:
        site.serve({'/%d' % s: move('/to%d' % s, status='%d X' % s)})
    site.crawl().wants('/choice.fr', '/choice.en', '/chosen', *['/to%d' % s for s in leads], never=['/to%d' % s for s in stays])
    assert site.line('/300')['outcome'] == 'done'


def redirects_without_a_location(site):
    """a redirect's body is a page, if there is no Location, or but an empty one (Fetch: the location URL is null)"""
    bare = {'/%d' % s: page('/in%d' % s, status='%d X' % s) for s in (301, 302, 303, 307, 308)}
    site.serve({'/': page(*bare, '/empty', '/second', '/nothing'), **bare, **{'/in%d' % s: LEAF for s in (301, 302, 303, 307, 308)},
                '/empty': move('', body=links('/more')), '/more': LEAF, '/nothing': reply('', '302 Found'),
                '/second': move('', body=links('/not'), fields=['Location: /new']), '/new': LEAF})
    run = site.crawl('--warc')
    run.wants('/new', '/more', *[path.replace('/', '/in') for path in bare], once=[*bare, '/empty', '/nothing'], never=['/not'])
    assert site.line('/302')['outcome'] == site.line('/empty')['outcome'] == 'done' and 'redirect' not in site.line('/empty')
    assert (site.line('/nothing')['outcome'], site.line('/nothing')['status']) == ('failed', 302)


def starts_without_a_location(site):
    """... also if it is all that a site has"""
    site.serve({'/': page('/in', status='302 Found', fields=['Location:']), '/in': LEAF})
    run = site.crawl()
    run.exits(0)
    run.wants('/in')
