"""Sitemaps: what is named as a sitemap is read as one, whatever else its URL is known as, and whenever it is named."""
import gzip
import time
from answers import LEAF, move, page, reply


def _map(site, *targets, kind='application/xml', fields=()):
    return reply('<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">%s</urlset>' %
                 ''.join('<url><loc>%s</loc></url>' % site.url(t) for t in targets), kind=kind, fields=fields)


def _index(site, *targets, **more):
    return reply('<sitemapindex>%s</sitemapindex>' % ''.join('<sitemap><loc>%s</loc></sitemap>' % site.url(t) for t in targets),
                 kind='text/xml', **more)


def _robots(site, *targets):
    return reply(''.join('Sitemap: %s\n' % site.url(t) for t in targets), kind='text/plain')


def an_index_names_what_was_fetched_as_a_page(site):
    """the page of the map is done before the index comes; a second run asks for nothing"""
    site.serve({'/robots.txt': _robots(site, '/go1'), '/': page('/map.xml'), '/go1': move('/go2'), '/go2': move('/go3'),
                '/go3': _index(site, '/map.xml'), '/map.xml': _map(site, '/in'), '/in': LEAF})
    run = site.crawl()
    run.wants('/map.xml', once=['/in'])
    assert run.asked.count('/map.xml') == 2, run.asked
    assert site.line('/map.xml').get('sitemap') and site.line('/map.xml')['links'] == 1
    assert site.crawl().asked == []


def an_index_names_what_waits_or_is_on_its_way(site):
    """many pages before it in the queue of its host, one at a time and four"""
    pages = ['/p%d' % i for i in range(20)]
    site.serve({'/robots.txt': _robots(site, '/index.xml'), '/': page(*pages, '/map.xml'), '/index.xml': _index(site, '/map.xml'),
                '/map.xml': _map(site, '/in'), '/in': LEAF, **{p: LEAF for p in pages}})
    site.crawl().wants(*pages, once=['/in'])
    site.dir = site.path('second')
    site.crawl('--per-host', '4').wants(*pages, once=['/in'])
    site.dir = site.path('third')
    site.crawl('--filter', 'exact').wants(*pages, once=['/in'])
    assert site.crawl('--filter', 'exact').asked == []


def named_many_times(site):
    """two indexes, robots.txt, and itself: once as a page, once as a sitemap"""
    site.serve({'/robots.txt': _robots(site, '/i.xml', '/map.xml', '/map.xml'), '/': page('/map.xml', '/i.xml'),
                '/i.xml': _index(site, *['/map.xml'] * 50, '/j.xml'), '/j.xml': _index(site, '/map.xml', '/i.xml', '/j.xml'),
                '/map.xml': _map(site, '/in'), '/in': LEAF})
    run = site.crawl()
    run.wants(once=['/in'])
    assert max(run.asked.count(t) for t in ('/map.xml', '/i.xml', '/j.xml')) <= 2, run.asked


def every_page_is_named_as_a_sitemap(site):
    """a hostile index costs one more request a page, whatever those say and however often the crawl goes on"""
    pages = ['/p%d' % i for i in range(30)]
    site.serve({'/robots.txt': _robots(site, '/i.xml'), '/': page(*pages), '/i.xml': _index(site, '/', *pages * 3, '/i.xml'),
                **{p: page(*pages, '/i.xml') for p in pages}})
    run = site.crawl('--max-seconds', '20')
    run.wants(*pages)
    assert all(run.asked.count(p) <= 2 for p in ('/', '/i.xml', *pages)), run.asked
    assert site.crawl().asked == []


def a_page_too_deep_to_be_fetched(site):
    """the link to the map is below --max-depth; as a sitemap it is read, and its URLs are one link from the start"""
    site.serve({'/robots.txt': _robots(site, '/slow'), '/': page('/a'), '/a': page('/map.xml'), '/slow': move('/index.xml'),
                '/index.xml': _index(site, '/map.xml'), '/map.xml': _map(site, '/in'), '/in': page('/deeper')})
    site.crawl('--max-depth', '1').wants('/a', once=['/map.xml', '/in'], never=['/deeper'])


def a_page_that_is_not_included(site):
    """--include of pages alone; the map itself need not match"""
    site.serve({'/robots.txt': _robots(site, '/go'), '/': page('/map.xml', '/doc/1'), '/go': move('/i.xml'),
                '/i.xml': _index(site, '/map.xml'), '/map.xml': _map(site, '/doc/2', '/other'), '/doc/1': LEAF, '/doc/2': LEAF})
    site.crawl('--include', '/doc/').wants('/doc/1', '/doc/2', once=['/map.xml'], never=['/other'])


def a_redirect_leads_to_what_was_a_page(site):
    """robots.txt names /sitemap.xml, which moves to a map that the first page links to"""
    site.serve({'/robots.txt': _robots(site, '/sitemap.xml'), '/': page('/wp.xml'), '/sitemap.xml': move('/wp.xml'),
                '/wp.xml': _map(site, '/in'), '/in': LEAF})
    site.crawl().wants(once=['/in'])


def named_by_a_later_run(site):
    """robots.txt of the second run names what the first one fetched as a page; the third reads it no more"""
    site.serve({'/': page('/map.xml', '/a'), '/map.xml': _map(site, '/in'), '/in': LEAF, '/a': LEAF, '/b': LEAF})
    site.crawl().wants('/map.xml', never=['/in'])
    site.serve({'/robots.txt': _robots(site, '/map.xml')})
    site.crawl(start='/b').wants('/b', once=['/map.xml', '/in'])
    site.serve({'/c': LEAF})
    site.crawl(start='/c').wants('/c', never=['/map.xml', '/in'])


def guessed_after_it_was_a_page(site):
    """--sitemaps guess, in a second run"""
    site.serve({'/': page('/sitemap.xml'), '/sitemap.xml': _map(site, '/in'), '/in': LEAF})
    site.crawl().wants('/sitemap.xml', never=['/in'])
    site.crawl('--sitemaps', 'guess').wants(once=['/sitemap.xml', '/in'])
    assert site.crawl('--sitemaps', 'guess').asked == []


def what_an_audit_checked(site):
    """the map is an image of the page: asked for by HEAD, and then read as a sitemap"""
    site.serve({'/robots.txt': _robots(site, '/go'), '/': reply('<img src="/map.xml"><a href="/a">x</a>'), '/a': LEAF,
                '/go': move('/i.xml'), '/i.xml': _index(site, '/map.xml'), '/map.xml': _map(site, '/in'), '/in': LEAF})
    site.audit().wants('/a', once=['/in'])


def a_recrawl_asks_for_both(site):
    """as a page and as a sitemap, each with its own history; what is new in the map is found"""
    site.serve({'/robots.txt': _robots(site, '/go'), '/': page('/map.xml'), '/go': move('/i.xml'),
                '/i.xml': _index(site, '/map.xml'), '/map.xml': _map(site, '/in'), '/in': LEAF, '/new': LEAF})
    site.crawl().wants('/in')
    site.serve({'/map.xml': _map(site, '/in', '/new')})
    time.sleep(1.1)
    run = site.crawl('--recrawl-after', '1s', start=())
    run.wants(once=['/', '/i.xml', '/in', '/new'])
    assert run.asked.count('/map.xml') == 2, run.asked


def forgotten(site):
    """strata forget makes a sitemap new again"""
    site.serve({'/robots.txt': _robots(site, '/map.xml'), '/': LEAF, '/map.xml': _map(site, '/in'), '/in': LEAF, '/b': LEAF})
    site.crawl().wants(once=['/map.xml', '/in'])
    site.run('forget', site.dir, site.url('/map.xml')).exits(0)
    site.crawl(start='/b').wants('/b', once=['/map.xml'], never=['/in'])


def a_page_that_robots_txt_names(site):
    """robots.txt names a page of HTML as a sitemap, before another page links to it: its links are followed, with a Link field or without"""
    site.serve({'/robots.txt': _robots(site, '/map.html', '/list'), '/': page('/map.html'), '/map.html': page('/in'), '/in': LEAF,
                '/list': page('/also', fields=['Link: </linked>; rel="next"']), '/also': LEAF, '/linked': LEAF})
    run = site.crawl()
    run.wants(once=['/', '/in', '/also'])
    assert run.asked.count('/map.html') == run.asked.count('/list') == 2, run.asked
    time.sleep(1.1)
    run = site.crawl('--recrawl-after', '1s', start=())
    assert run.asked.count('/map.html') == run.asked.count('/list') == 2, run.asked


def a_page_that_robots_txt_names_and_that_is_not_wanted(site):
    """such a page is held to --include, and to --max-depth as what a sitemap lists"""
    site.serve({'/robots.txt': _robots(site, '/map.html'), '/': page('/doc/1'), '/doc/1': LEAF, '/map.html': page('/doc/2')})
    site.crawl('--include', '/doc/').wants('/doc/1', once=['/map.html'], never=['/doc/2'])
    site.dir = site.path('second')
    site.crawl('--max-depth', '0').wants(once=['/', '/map.html'], never=['/doc/2'])


def an_error_page_is_no_page(site):
    """a server that says 200 and its first page to all it is asked for: /sitemap.xml is asked for once"""
    site.serve({'/robots.txt': _robots(site, '/maps/all.XML?v=1', '/list.txt'), '/': page('/a'), '/a': LEAF,
                **{t: page('/a') for t in ('/sitemap.xml', '/maps/all.XML?v=1', '/list.txt')}})
    site.crawl('--sitemaps', 'guess').wants(once=['/', '/a', '/sitemap.xml', '/maps/all.XML?v=1', '/list.txt'])


def a_sitemap_sent_as_html(site):
    """its type is not believed, so it is asked for once"""
    site.serve({'/robots.txt': _robots(site, '/map.xml'), '/': LEAF, '/map.xml': _map(site, '/in', kind='text/html'), '/in': LEAF})
    site.crawl().wants(once=['/map.xml', '/in'])


def text_and_gzip(site):
    """forms that only the name tells from a page's: a list of lines, and XML packed in a file"""
    packed = gzip.compress(('<urlset><url><loc>%s</loc></url></urlset>' % site.url('/in2')).encode())
    site.serve({'/robots.txt': _robots(site, '/go'), '/': page('/map.txt', '/map.gz'), '/go': move('/i.xml'),
                '/i.xml': _index(site, '/map.txt', '/map.gz'), '/map.txt': reply(site.url('/in1') + '\n', kind='text/plain'),
                '/map.gz': reply(packed, kind='application/x-gzip'), '/in1': LEAF, '/in2': LEAF})
    site.crawl().wants(once=['/in1', '/in2'])


def nofollow_is_about_the_file(site):
    """X-Robots-Tag of an index and a map, as plugins send it to keep them out of search results"""
    tag = ['X-Robots-Tag: noindex, nofollow']
    site.serve({'/robots.txt': _robots(site, '/i.xml'), '/': LEAF, '/i.xml': _index(site, '/map.xml', fields=tag),
                '/map.xml': _map(site, '/in', fields=['X-Robots-Tag: none']), '/in': LEAF})
    site.crawl().wants(once=['/i.xml', '/map.xml', '/in'])


def nofollow_of_a_page_still_counts(site):
    """the same field on a page, and on a feed that a page links to"""
    feed = '<rss><channel><item><link>%s</link></item></channel></rss>' % site.url('/no')
    site.serve({'/': page('/page', '/feed'), '/page': page('/no', fields=['X-Robots-Tag: nofollow']),
                '/feed': reply(feed, kind='application/rss+xml', fields=['X-Robots-Tag: nofollow'])})
    site.crawl().wants('/page', '/feed', never=['/no'])


def none_are_read_where_none_are_wanted(site):
    """--sitemaps none: a map is a page like others, and XML of its kind has no links"""
    site.serve({'/robots.txt': _robots(site, '/map.xml'), '/': page('/map.xml'), '/map.xml': _map(site, '/in')})
    site.crawl('--sitemaps', 'none').wants(once=['/map.xml'], never=['/in'])


def packed_maps_that_are_cut(site):
    """a .xml.gz of a few hundred bytes, a .txt.gz and a long one, each cut in its gzip: the URLs that came are fetched, and it is told"""
    def packed(text, part, kind='application/x-gzip'):
        body = gzip.compress(text.encode(), 0)
        return reply(body[:int(len(body) * part)], kind=kind)
    names = ['/in%d' % i for i in range(9)]
    urls = ''.join('<url><loc>%s</loc></url>' % site.url(n) for n in names[:6])
    long = urls.replace(site.url('/in0'), site.url('/in6')) + '<!-- %s -->' % ('x' * 5000)
    site.serve({'/robots.txt': _robots(site, '/small.xml.gz', '/lines.txt.gz', '/long.xml.gz'), '/': LEAF, **{n: LEAF for n in names},
                '/small.xml.gz': packed('<urlset>%s</urlset>' % urls, 0.7),
                '/long.xml.gz': packed('<urlset>' + long, 0.5),
                '/lines.txt.gz': packed(site.url('/in7') + '\n' + site.url('/in8') + 'x' * 500, 0.5)})
    site.crawl('--tries', '1').wants('/in0', '/in1', '/in6', '/in7', never=['/in8'])
    for path in ('/small.xml.gz', '/lines.txt.gz', '/long.xml.gz'):
        assert site.line(path)['limit'] == 'damaged', site.line(path)


def one_map_more_than_are_known_as_maps(site):
    """a hostile index names 32,800 URLs that robots.txt forbids; a map that is known as a page and is named then, behind them and by robots.txt of
    the next run, is not read, which the summary says"""
    forbidden = 'User-agent: *\nDisallow: /m/\nSitemap: '
    site.serve({'/robots.txt': reply(forbidden + site.url('/go1'), kind='text/plain'), '/': page('/map.xml', '/other.xml'), '/go1': move('/go2'),
                '/go2': move('/go3'), '/go3': _index(site, *('/m/%d' % i for i in range(32800)), '/map.xml'), '/map.xml': _map(site, '/in'),
                '/other.xml': _map(site, '/in'), '/b': LEAF})
    run = site.run('crawl', '--dir', site.dir, '--allow-private', '--delay', '0', site.url('/'))
    run.wants(once=['/map.xml', '/other.xml'], never=['/in'])
    run.says('1 sitemap', never=['every page in scope was fetched'])
    site.serve({'/robots.txt': reply(forbidden + site.url('/other.xml'), kind='text/plain')})
    run = site.run('crawl', '--dir', site.dir, '--allow-private', '--delay', '0', site.url('/b'))
    run.says('2 sitemaps', never=['every page in scope was fetched'])


def a_bomb(site):
    """60 MiB of blanks before the only URL, packed or not: what is past 50 MiB is not read, and the limit is named"""
    text = b'<urlset>' + b' ' * (60 << 20) + ('<url><loc>%s</loc></url>' % site.url('/late')).encode()
    site.serve({'/robots.txt': _robots(site, '/packed.xml.gz', '/plain.xml'), '/': LEAF, '/late': LEAF,
                '/packed.xml.gz': reply(gzip.compress(text), kind='application/gzip'), '/plain.xml': reply(text, kind='text/xml')})
    site.crawl('--tries', '1').wants('/packed.xml.gz', '/plain.xml', never=['/late'])
    assert site.line('/packed.xml.gz')['limit'] == 'too many decoded bytes', site.line('/packed.xml.gz')


def however_it_is_cut(site):
    """a sitemap with broken entries, whole and a byte at a time: no entry costs another one, and both give the same URLs"""
    text = ('<?xml version="1.0"?><urlset><url><loc>%s</loc></url><url><loc>nonsense</loc></url><url><loc>%s</url>'
            '<url><loc><![CDATA[%s]]></loc><lastmod>x</url><url><loc> %s?a&amp;b </loc></url></urlset>')
    for name, cut in (('whole', False), ('bytes', True)):
        urls = ['/%s%d' % (name, i) for i in range(4)]
        body = (text % tuple(site.url(u) for u in urls)).encode()
        pieces = b''.join(b'1\r\n%c\r\n' % b for b in body) + b'0\r\n\r\n'
        site.serve({'/robots.txt': _robots(site, '/%s.xml' % name), '/': LEAF,
                    '/%s.xml' % name: reply(pieces, kind='text/xml', fields=['Transfer-Encoding: chunked'], length=False) if cut else
                    reply(body, kind='text/xml')})
        site.dir = site.path(name)
        site.crawl('--tries', '1').wants(urls[0], urls[2], urls[3] + '?a&b')
