"""Trouble with a body: the status and Location count as soon as the head is whole, and of a page what came is used. What
Chromium 150 and later do with the same bytes is said where it was asked."""
import gzip
import json
import os

from answers import LEAF, Cut, Hold, Reset, links, move, page, reply

HEAD = b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n'


def _moved(fields=b'', body=b'', status=b'301 Moved', to=b'/new'):
    return b'HTTP/1.1 ' + status + b'\r\nLocation: ' + to + b'\r\n' + fields + b'\r\n' + body


def _chunk(data):
    return b'%x\r\n%s\r\n' % (len(data), data)


def _records(site, path):
    """The WARC header fields of the response records of a path."""
    found = []
    for name in sorted(os.listdir(site.dir)):
        if not name.endswith('.warc.gz'):
            continue
        with gzip.open(os.path.join(site.dir, name)) as file:
            for block in file.read().split(b'WARC/1.1\r\n')[1:]:
                head = block.split(b'\r\n\r\n', 1)[0].decode('latin-1')
                fields = dict(line.split(': ', 1) for line in head.split('\r\n'))
                if fields['WARC-Type'] == 'response' and fields['WARC-Target-URI'] == site.url(path):
                    found.append(fields)
    return found


def _summary(site):
    return json.loads(site.run('stat', site.dir, '--json').text)


def redirects_with_broken_bodies(site):
    """a redirect counts although its body is cut, reset, in broken chunks, or not as it is coded (Chromium: the same)"""
    answers = {'/short': Cut(_moved(b'Content-Length: 90\r\n', b'<p>')), '/reset': Reset(_moved(b'Content-Length: 90\r\n')),
               '/chunk': Cut(_moved(b'Transfer-Encoding: chunked\r\n', b'zz\r\n')),
               '/last': Cut(_moved(b'Transfer-Encoding: chunked\r\n', _chunk(b'moved'), b'308 P')),
               '/zip': _moved(b'Content-Encoding: gzip\r\nContent-Length: 5\r\n', b'moved', b'302 Found'),
               '/codings': _moved(b'Content-Encoding: gzip,gzip,gzip,gzip,gzip,gzip\r\nContent-Length: 5\r\n', b'moved', b'307 T')}
    site.serve({'/': page(*answers), '/new': LEAF, **answers})
    site.crawl().wants(once=[*answers, '/new'])
    for path in answers:
        line = site.line(path)
        assert line['outcome'] == 'done' and line['redirect'] == site.url('/new') and line['tries'] == 1, line


def redirects_that_are_held(site):
    """a redirect whose announced body never comes, nor the connection's end, does not wait for --timeout"""
    site.serve({'/': page('/held', '/dripped'), '/held': Hold(_moved(b'Content-Length: 30\r\n')),
                '/dripped': Hold(_moved(b'Transfer-Encoding: chunked\r\n', _chunk(b'one'), to=b'/next')), '/new': LEAF, '/next': LEAF})
    run = site.crawl('--timeout', '20')
    run.wants(once=['/held', '/dripped', '/new', '/next'])
    assert run.requests[-1].time - run.requests[0].time < 10
    assert site.line('/held')['limit'] == 'timeout'


def redirects_that_are_held_and_archived(site):
    """with --warc the body is waited for, and after --timeout the redirect counts, with what came of it"""
    site.serve({'/': page('/held'), '/held': Hold(_moved(b'Content-Length: 30\r\n', b'<p>')), '/new': LEAF})
    site.crawl('--warc', '--timeout', '2').wants(once=['/held', '/new'])
    assert [r.get('WARC-Truncated') for r in _records(site, '/held')] == ['time']


def redirects_with_good_bodies(site):
    """connections of redirects with good bodies are kept: one is enough for the whole crawl"""
    moves = {'/r%d' % i: move('/p%d' % i, body=b'<p>It moved. ' * 300) for i in range(10)}
    opened = []
    site.serve({'/': page(*moves), **moves, **{'/p%d' % i: LEAF for i in range(10)}})
    plain = site.serve_connection
    site.serve_connection = lambda connection, port: (opened.append(port), plain(connection, port))
    site.crawl('--per-host', '1').wants(*moves, '/p9')
    assert len(opened) <= 2, opened  # robots.txt's, and the crawl's


def errors_with_broken_bodies(site):
    """an error's status counts although its body is cut: a 404 is asked for once, and fails as a 404"""
    site.serve({'/': page('/gone', '/not'), '/gone': Cut(b'HTTP/1.1 410 Gone\r\nContent-Length: 500\r\n\r\n<p>'),
                '/not': Cut(b'HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n')})
    site.crawl().wants(once=['/gone', '/not'])
    assert (site.line('/gone')['status'], site.line('/not')['status']) == (410, 404)


def errors_that_heal(site):
    """a 503 whose body is cut rests as its Retry-After says, and is asked for again"""
    site.serve({'/': page('/busy'), '/in': LEAF,
                '/busy': lambda r: Cut(b'HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: 9\r\n\r\n') if r.number == 1 else page('/in')})
    site.crawl().wants('/in')


def pages_cut_always(site):
    """pages that the server always cuts are asked for as often as --tries says, and then used (Chromium: used at once)"""
    body = links('/in').encode()
    site.serve({'/': page('/length', '/chunks', '/last'), '/in': LEAF, '/in2': LEAF, '/in3': LEAF,
                '/length': Cut(HEAD + b'Content-Length: %d\r\n\r\n' % (len(body) + 100) + body),
                '/chunks': Cut(HEAD + b'Transfer-Encoding: chunked\r\n\r\n' + _chunk(links('/in2').encode()) + b'fff\r\nx'),
                '/last': Cut(HEAD + b'Transfer-Encoding: chunked\r\n\r\n' + _chunk(links('/in3').encode()) + b'zz\r\n')})
    run = site.crawl('--tries', '2')
    run.exits(0)
    run.wants('/in', '/in2', '/in3')
    for path in ('/length', '/chunks', '/last'):
        line = site.line(path)
        assert line['outcome'] == 'done' and line['truncated'] and line['limit'] == 'disconnected', line
        assert run.asked.count(path) == line['tries'] == 2, line
    summary = _summary(site)
    assert summary['truncated'] == 3 and not summary['complete'], summary


def lengths_miscounted(site):
    """a Content-Length that is a few bytes too long is no cut that another request would mend"""
    body = links('/in').encode()
    site.serve({'/': page('/1', '/2'), '/in': LEAF,
                **{'/%d' % n: Cut(HEAD + b'Content-Length: %d\r\n\r\n' % (len(body) + 2 * n) + body) for n in (1, 2)}})
    site.crawl().wants('/in', once=['/1', '/2'])
    assert site.line('/1')['limit'] == 'disconnected'


def pages_cut_once(site):
    """a page that is cut the first time, by a close or a reset, comes whole the second time"""
    text = 'a' * 9000 + links('/in')

    def cut(kind):
        return lambda r: kind(HEAD + b'Content-Length: %d\r\n\r\n' % len(text) + text[:4000].encode()) if r.number == 1 else reply(text)
    site.serve({'/': page('/close', '/reset'), '/close': cut(Cut), '/reset': cut(Reset), '/in': LEAF})
    site.crawl().wants('/in')
    for path in ('/close', '/reset'):
        assert site.line(path)['tries'] == 2 and 'truncated' not in site.line(path), site.line(path)


def pages_cut_elsewhere(site):
    """a page that is cut at another byte each time is asked for as often as --tries says"""
    text = links('/in') + 'a' * 9000
    site.serve({'/': page('/x'), '/in': LEAF,
                '/x': lambda r: Cut(HEAD + b'Content-Length: %d\r\n\r\n' % len(text) + text[:3000 + r.number].encode())})
    run = site.crawl('--tries', '3')
    run.wants('/in')
    assert run.asked.count('/x') == 3
    assert site.line('/x')['body_bytes'] == 3003


def pages_that_never_begin(site):
    """a page of which nothing came is a failure, and comes another time"""
    site.serve({'/': page('/x'), '/x': lambda r: Cut(HEAD + b'Content-Length: 9\r\n\r\n') if r.number < 3 else page('/in'), '/in': LEAF})
    site.crawl('--tries', '2').wants('/x', never=['/in'])
    assert site.line('/x')['error'] == 'broken'
    site.crawl('--tries', '2', '--retry-failed', start=()).wants('/in')


def pages_out_of_time(site):
    """a page that is held open in its middle until --timeout is used as far as it came"""
    site.serve({'/': page('/slow'), '/slow': Hold(HEAD + b'Content-Length: 9000\r\n\r\n' + links('/in').encode()), '/in': LEAF})
    site.crawl('--timeout', '1', '--tries', '1', '--warc').wants(once=['/slow', '/in'])
    assert site.line('/slow')['limit'] == 'timeout'
    assert [r.get('WARC-Truncated') for r in _records(site, '/slow')] == ['time']


def archived(site):
    """records of what was cut say so (WARC 1.1, 5.13); what is only coded badly is there as it came"""
    zipped = gzip.compress(links('/in').encode() + bytes(range(256)) * 200)
    site.serve({'/': page('/cut', '/moved', '/gone', '/zip'), '/new': LEAF, '/in': LEAF,
                '/cut': Cut(HEAD + b'Content-Length: 9000\r\n\r\n<p>cut'), '/moved': Cut(_moved(b'Content-Length: 5\r\n', b'12')),
                '/gone': Cut(b'HTTP/1.1 404 No\r\nContent-Length: 9\r\n\r\ngone'),
                '/zip': reply(zipped[:-100], fields=['Content-Encoding: gzip'])})
    site.crawl('--warc').wants('/new')
    for path in ('/cut', '/moved', '/gone'):
        assert [r.get('WARC-Truncated') for r in _records(site, path)] == ['disconnect'], path
    assert [r.get('WARC-Truncated') for r in _records(site, '/zip')] == [None]
    shown = site.run('show', site.dir, site.url('/cut'))
    assert shown.text == '<p>cut', shown.text


def robots_cut(site):
    """a robots.txt that is always cut neither loses the site nor the rules that came; its last line, if it is cut, only forbids"""
    text = b'User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /cc'
    site.serve({'/robots.txt': Cut(b'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 999\r\n\r\n' + text),
                '/': page('/a/x', '/a/b', '/cc', '/ccc', '/d'), '/a/b': LEAF, '/d': LEAF})
    site.crawl().wants('/a/b', '/d', never=['/a/x', '/cc', '/ccc'])


def robots_cut_in_an_allow(site):
    """the beginning of an Allow, or of a User-agent, allows nothing"""
    for i, last in enumerate((b'Allow: /', b'User-agent: strata')):
        text = b'User-agent: *\nDisallow: /a\n' + last
        site.dir = site.path('crawl-%d' % i)
        site.serve({'/robots.txt': Cut(b'HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n' + text), '/': page('/a/x', '/d'), '/d': LEAF})
        site.crawl().wants('/d', never=['/a/x'])


def robots_cut_once(site):
    """a robots.txt that is cut the first time is asked for again before anything else"""
    text = b'User-agent: *\nDisallow: /a\nDisallow: /b\n'
    head = b'HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n' % len(text)
    site.serve({'/robots.txt': lambda r: Cut(head + text[:28]) if r.number == 1 else head + text,
                '/': page('/a', '/b', '/d'), '/d': LEAF})
    site.crawl().wants('/d', never=['/a', '/b'])


def sitemaps_cut(site):
    """of a sitemap that is cut the URLs that came are taken, and it counts as missing"""
    text = '<urlset>' + ''.join('<url><loc>%s</loc></url>' % site.url('/m%d' % i) for i in range(3)) + '<url><loc>http'
    site.serve({'/robots.txt': reply('Sitemap: %s\n' % site.url('/map.xml'), kind='text/plain'), '/': LEAF,
                '/map.xml': Cut(b'HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: 9999\r\n\r\n' + text.encode())})
    site.crawl().wants('/m0', '/m1', '/m2')
    assert _summary(site)['sitemaps_cut'] == 1


def checked_without_a_body(site):
    """an audit's GET, after HEAD was refused: 200 and a whole head, but not one byte of the body that was announced; no broken link. What
    breaks off within its head, or says 404, is one"""
    head = b'HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 900\r\n'
    answers = {'/cut.png': Cut(head + b'\r\n'), '/reset.png': Reset(head + b'\r\n'), '/held.png': Hold(head + b'\r\n'),
               '/chunks.png': Cut(b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'),
               '/packed.png': reply(b'no gzip', kind='image/png', fields=['Content-Encoding: gzip']),
               '/head.png': Cut(head), '/gone.png': Cut(b'HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\n')}
    refused = reply('', '405 Method Not Allowed')
    site.serve({'/': reply(''.join('<img src="%s">' % t for t in answers)),
                **{t: (lambda r, a=a: refused if r.method == 'HEAD' else a) for t, a in answers.items()}})
    site.audit('--timeout', '2', '--tries', '1').exits(4)
    for target in answers:
        line = site.line(target)
        assert line['outcome'] == ('failed' if target in ('/head.png', '/gone.png') else 'done'), line
