"""What the summary names: a sitemap that failed is one of the things that a crawl did not get."""
from answers import LEAF, page, reply

GO = ('--allow-private', '--delay', '0', '--tries', '1')
MAP = '<?xml version="1.0"?><urlset><url><loc>%s</loc></url></urlset>'


def _robots(*maps):
    return reply('User-agent: *\nDisallow:\n' + ''.join('Sitemap: %s\n' % m for m in maps), kind='text/plain')


def a_sitemap_is_missing(site):
    """robots.txt names one that is not there"""
    site.serve({'/robots.txt': _robots('/map.xml'), '/': page('/a'), '/a': LEAF})
    run = site.run('crawl', '--dir', site.dir, *GO, site.url('/'))
    run.exits(0)
    run.says('Sitemaps: 1 failed: %s: HTTP status 404; --retry-failed asks for it again' % site.url('/map.xml'))


def several_failed(site):
    """the first one is named, all are counted, also by a later run; a good one is not"""
    site.serve({'/robots.txt': _robots('/one.xml', '/two.xml', '/good.xml', '/shut.xml'), '/': LEAF, '/a': LEAF,
                '/one.xml': reply('', '503 Busy'), '/shut.xml': reply('', '500 Oops'),
                '/good.xml': reply(MAP % site.url('/a'), kind='application/xml')})
    run = site.run('crawl', '--dir', site.dir, *GO, site.url('/'))
    run.wants(once=['/a'])
    first = next(t for t in run.asked if t in ('/one.xml', '/two.xml', '/shut.xml'))
    run.says('Sitemaps: 3 failed, the first: %s: HTTP status ' % site.url(first))
    run = site.run('crawl', '--dir', site.dir, *GO)
    run.says('Sitemaps: 3 failed; to see them: strata export %s --state failed; --retry-failed' % site.dir)


def one_that_heals(site):
    """asked for again by what the summary says, it is read, and named no more"""
    bad = reply('', '502 Bad Gateway')
    site.serve({'/robots.txt': _robots('/map.xml'), '/': LEAF, '/a': LEAF,
                '/map.xml': lambda r: bad if r.number == 1 else reply(MAP % site.url('/a'), kind='text/xml')})
    site.run('crawl', '--dir', site.dir, *GO, site.url('/')).says('Sitemaps: 1 failed')
    run = site.run('crawl', '--dir', site.dir, *GO, '--retry-failed')
    run.wants(once=['/map.xml', '/a'])
    run.says(never=['Sitemaps:'])


def a_guess_that_was_wrong(site):
    """a site without /sitemap.xml has not failed; one that gives an error there has"""
    site.serve({'/': LEAF})
    site.run('crawl', '--dir', site.dir, *GO, '--sitemaps', 'guess', site.url('/')).says(never=['Sitemaps:'])
    site.serve({'/sitemap.xml': reply('', '503 Busy')})
    run = site.run('crawl', '--dir', site.path('second'), *GO, '--sitemaps', 'guess', site.url('/'))
    run.says('Sitemaps: 1 failed: %s: HTTP status 503' % site.url('/sitemap.xml'))


def one_in_an_index(site):
    """an index names one that is broken off"""
    index = '<sitemapindex><sitemap><loc>%s</loc></sitemap></sitemapindex>' % site.url('/part.xml')
    site.serve({'/robots.txt': _robots('/index.xml'), '/': LEAF,
                '/index.xml': reply(index, kind='application/xml'), '/part.xml': lambda r: None})
    run = site.run('crawl', '--dir', site.dir, *GO, site.url('/'))
    run.says('Sitemaps: 1 failed: %s: ' % site.url('/part.xml'))
