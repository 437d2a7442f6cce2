"""What the summary, `strata stat` and --metrics say: a sitemap that failed is one of the things that a crawl did not get."""
import json
import socket
import time

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


def _shares(site):
    counters = json.loads(site.run('stat', site.dir, '--json').text)['counters']
    return {use: counters.get('ms-' + use, 0) for use in ('politeness', 'network', 'disk', 'work')}


def where_the_time_went(site):
    """a server that thinks for a second costs time of the network, a delay time of politeness; together they are the time that passed, over two runs"""
    def slow(_):
        time.sleep(1)
        return LEAF

    site.serve({'/': page('/a', '/b'), '/a': slow, '/b': LEAF})
    before = time.monotonic()
    site.crawl('--ignore-robots', '--max-pages', '2', delay='0.7')
    first, passed = _shares(site), 1000 * (time.monotonic() - before)
    assert first['politeness'] > 600 and first['network'] > 950 and sum(first.values()) < passed, (first, passed)
    before = time.monotonic()
    site.crawl('--ignore-robots', start=(), delay='0.7')
    both, passed = _shares(site), 1000 * (time.monotonic() - before)
    assert all(both[use] >= first[use] for use in first), (first, both)
    assert sum(both.values()) - sum(first.values()) < passed and both['network'] - first['network'] < 900, (first, both, passed)
    assert 'time       ' in site.run('stat', site.dir).text


def metrics_beside_the_slow(site):
    """forty who say nothing, one that says a head without end, and one that does not read: who asks properly is answered, and the crawl ends"""
    port = site.listen()
    site.servers[-1].shutdown()
    site.servers.pop().server_close()
    site.serve({'/': page(*('/%d' % i for i in range(8))), **{'/%d' % i: LEAF for i in range(8)}})
    process = site.start('crawl', '--dir', site.dir, '--allow-private', '--delay', '0.5', '--metrics', str(port), site.url('/'))

    def visit(said):
        connection = socket.create_connection(('127.0.0.1', port), 10)
        connection.sendall(said)
        return connection

    while not site.log:
        time.sleep(0.01)
    get = b'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'
    there = [visit(b'') for _ in range(40)] + [visit(get)]
    try:
        there.append(visit(b'GET /metrics HTTP/1.1\r\n' + b'X: y\r\n' * 100000))
    except OSError:
        pass  # it is sent away
    for _ in range(3):
        answer, asked = b'', visit(get)
        asked.settimeout(10)
        while more := asked.recv(65536):
            answer += more
        assert answer.startswith(b'HTTP/1.1 200 OK') and answer.endswith(b'\n') and b'strata_' in answer, answer
    process.communicate(timeout=60)
    assert process.returncode == 0 and len(site.lines()) == 9, process.returncode
