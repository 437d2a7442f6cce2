"""Which statuses lead elsewhere, and which are pages."""
from answers import move, page


def statuses(site):
    """which statuses lead elsewhere (Fetch: 301, 302, 303, 307, 308); a 300 is a page of choices (Chromium: the same)"""
    leads, stays = (301, 302, 303, 307, 308), (304, 305, 306, 310)
    site.serve({'/': page('/300', *['/%d' % s for s in leads + stays]),
                '/300': page('/choice.fr', '/choice.en', status='300 Multiple Choices', fields=['Location: /chosen'])})
    for s in leads + stays:
        site.serve({'/%d' % s: move('/to%d' % s, status='%d X' % s)})
    site.crawl().wants('/choice.fr', '/choice.en', '/chosen', *['/to%d' % s for s in leads], never=['/to%d' % s for s in stays])
    assert site.line('/300')['outcome'] == 'done'
