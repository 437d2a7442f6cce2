"""Trouble with a head: one that is cut, whose lines are no fields, or that says nothing of where its body ends."""
import gzip

from answers import LEAF, Cut, links, move, page, reply

OK = b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n'
RULES = reply('User-agent: *\nDisallow: /not\n', kind='text/plain')


def _once(bad, good):
    """`bad` the first time, `good` from then on."""
    return lambda request: bad if request.number == 1 else good


def heads_cut_once(site):
    """a head without its blank line is no answer: the page, or the redirect, is asked for again"""
    heads = {'/field': OK, '/name': OK + b'Content-Le', '/status': b'HTTP/1.1 200 OK\r\n', '/error': b'HTTP/1.1 404 No\r\nServer: x\r\n'}
    site.serve({'/': _once(Cut(OK + b'Server: x'), page(*heads, '/moved')),
                **{path: _once(Cut(head), page('/in' + path[1:])) for path, head in heads.items()},
                **{'/in' + path[1:]: LEAF for path in heads},
                '/moved': _once(Cut(b'HTTP/1.1 302 Found\r\nLocation: /ne'), move('/new')), '/new': LEAF})
    run = site.crawl()
    run.exits(0)
    run.wants('/new', *['/in' + path[1:] for path in heads], never=['/ne'])
    assert [(run.asked.count(p), site.line(p)['tries']) for p in heads] == [(2, 2)] * 4


def heads_cut_once_with_tls(site):
    """... with TLS"""
    options = site.use_tls()
    site.serve({'/': page('/a'), '/a': _once(Cut(OK), page('/in')), '/in': LEAF})
    site.crawl(*options).wants('/in')


def heads_cut_always(site):
    """... as often as --tries says, and then has failed: its connection broke"""
    site.serve({'/': page('/a'), '/a': Cut(OK)})
    assert site.crawl('--tries', '2').asked.count('/a') == 2
    line = site.line('/a')
    assert (line['outcome'], line['error']) == ('failed', 'broken') and 'status' not in line, line


def heads_of_robots_cut_once(site):
    """... so does a robots.txt, whose rules then count"""
    for i, head in enumerate((b'HTTP/1.1 200 OK\r\nServer: x\r\n', b'HTTP/1.1 404 No\r\n')):
        site.dir = site.path('crawl-%d' % i)
        site.log.clear()
        site.serve({'/robots.txt': _once(Cut(head), RULES), '/': page('/a', '/not'), '/a': LEAF})
        run = site.crawl()
        run.exits(0)
        run.wants('/a', never=['/not'])


def lines_without_a_colon(site):
    """libcurl takes no head with such a line; the page's line says so"""
    site.serve({'/': page('/a', '/in'), '/a': Cut(OK + b'Powered\r\nContent-Length: 3\r\n\r\n<p>'), '/in': LEAF})
    site.crawl('--tries', '1').wants('/in')
    line = site.line('/a')
    assert line['error'] == 'broken' and line['reason'] == 'a line of its header is no header field', line


def _odd_lengths(site):
    odd = {'/minus': b'Content-Length: -1', '/empty': b'Content-Length:', '/word': b'Content-Length: auto'}
    site.serve({'/': page(*odd), **{'/in' + path[1:]: LEAF for path in odd},
                **{path: Cut(OK + line + b'\r\n\r\n' + links('/in' + path[1:]).encode()) for path, line in odd.items()}})
    return [*odd, *['/in' + path[1:] for path in odd]]


def lengths_that_are_none(site):
    """a Content-Length that is no number does not count: the body ends with the connection (Chromium: the same)"""
    site.serve({'/robots.txt': Cut(b'HTTP/1.1 200 OK\r\nContent-Length: none\r\n\r\nUser-agent: *\nDisallow: /inword\n')})
    wanted = _odd_lengths(site)
    site.crawl('--warc').wants(*wanted[:-1], never=['/inword'])
    for path in wanted[:3]:
        line = site.line(path)
        assert (line['outcome'], line['tries']) == ('done', 1) and 'truncated' not in line, line
        assert site.run('show', site.dir, site.url(path)).text == links('/in' + path[1:])


def lengths_that_are_none_with_a_delay(site):
    """... which is seen when it is asked for again, after the delay"""
    wanted = _odd_lengths(site)
    run = site.crawl('--ignore-robots', delay='0.5')
    run.wants(*wanted, once=['/', *wanted[3:]])
    assert [run.asked.count(path) for path in wanted[:3]] == [2, 2, 2]
    times = [r.time for r in run.requests]
    assert all(b - a > 0.4 for a, b in zip(times, times[1:])), times


def lengths_with_a_blank(site):
    """a Content-Length with a blank before its colon ends the body on a kept connection, of no byte, too"""
    def odd(body, status=b'200 OK', more=b''):
        return b'HTTP/1.1 %s\r\nContent-Type: text/html\r\nContent-Length : %d\r\n%s\r\n' % (status, len(body), more) + body
    zipped = gzip.compress(links('/zip').encode())
    answers = {'/1': odd(links('/in').encode()), '/2': odd(zipped, more=b'Content-Encoding: gzip\r\n'),
               '/3': odd(b'', b'301 Moved', b'Location: /new\r\n'), '/4': odd(b'', b'404 No'),
               '/5': OK + b'Transfer-Encoding: identity\r\nContent-Length: %d\r\n\r\n' % len(links('/one')) + links('/one').encode(),
               '/6': OK + b'Content-length : 4\r\nTransfer-Encoding: chunked\r\n\r\n' +
                     b'%x\r\n%s\r\n0\r\n\r\n' % (len(links('/two')), links('/two').encode())}
    site.serve({'/robots.txt': odd(b''), '/': odd(links(*answers).encode()), **answers,
                **{path: LEAF for path in ('/in', '/zip', '/new', '/one', '/two')}})
    run = site.crawl('--timeout', '20', '--warc')
    run.exits(0)
    run.wants(once=['/', *answers, '/in', '/zip', '/new', '/one', '/two'])
    assert run.requests[-1].time - run.requests[0].time < 10
    assert all('truncated' not in line and line['tries'] == 1 for line in site.lines())


def lengths_with_a_blank_of_a_check(site):
    """... but an answer to HEAD has none"""
    site.serve({'/': reply('<img src="/i">'),
                '/i': b'HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length : 5\r\n\r\nabcde'})
    run = site.audit('--timeout', '5')
    run.exits(0)
    assert [r.method for r in run.requests if r.target == '/i'] == ['HEAD'] and site.line('/i')['outcome'] == 'done'


def status_lines_in_lower_case(site):
    """the case of "HTTP" does not count (Chromium: the same)"""
    def low(answer):
        return answer.replace(b'HTTP/1.1', b'http/1.1', 1)
    site.serve({'/robots.txt': low(RULES), '/': low(page('/a', '/not', '/gone')), '/a': low(move('/b')), '/gone': low(reply('no', '410 Gone')), '/b': low(page('/c')),
                '/c': b'HTTP/1.1 103 Early\r\nLocation: /not\r\n\r\n' + low(LEAF)})
    site.crawl('--warc').wants(once=['/', '/a', '/b', '/c'], never=['/not'])
    assert site.line('/gone')['status'] == 410
    assert site.run('show', site.dir, site.url('/b')).text == links('/c')


def status_lines_that_are_none(site):
    """a status that is no number, that HTTP does not have or that is not in its place, and a head that begins with a folded line: each fails with a
    sentence, and pages beside them do not"""
    bad = {'/1': b'HTTP/1.1 abc OK\r\n', '/2': b'HTTP/1.1 000 OK\r\n', '/3': b'HTTP/1.1 200 OK\r\n\tContent-Type: text/html\r\n more\r\n',
           '/4': b'HTTP/200 OK\r\n', '/5': b'HTTP/oops\r\n'}
    good = ['/good%d' % i for i in range(4)]
    site.serve({'/': page(*good[:2], *bad, *good[2:]), **{t: LEAF for t in good},
                **{t: Cut(head + b'Content-Length: 2\r\n\r\nhi') for t, head in bad.items()}})
    site.crawl('--tries', '1', '--per-host', '1').wants(once=good)
    for target in bad:
        assert site.line(target)['outcome'] == 'failed' and site.line(target)['reason'], site.line(target)


def _head(*lines, body=b'hi'):
    return b'\r\n'.join([b'HTTP/1.1 200 OK', b'Content-Length: %d' % len(body), *lines]) + b'\r\n\r\n' + body


def _trailers(*lines):
    return b'\r\n'.join([b'HTTP/1.1 200 OK', b'Transfer-Encoding: chunked', b'', b'2', b'hi', b'0', *lines]) + b'\r\n\r\n'


def limits_to_the_last(site):
    """each limit that PAGES.md lists on heads and trailers: up to it all is well, one more is too many, and named"""
    rows = {
        'too many header fields': (997, lambda n: _head(*[b'X: y'] * n)),
        'too long a header field': ((64 << 10) - 5, lambda n: _head(b'X: ' + b'y' * n)),
        'too many bytes of header fields': ((256 << 10) - 38, lambda n: _head(*[b'X: ' + b'y' * 4091] * 63, b'X: ' + b'y' * (n - 63 * 4096 - 5))),
        'too many interim responses': (20, lambda n: b'HTTP/1.1 103 Early\r\n\r\n' * n + _head()),
        'too many cookies': (200, lambda n: _head(*[b'Set-Cookie: a=b'] * n)),
        'too many trailers': (100, lambda n: _trailers(*[b'X: y'] * n)),
    }
    for name, (most, answer) in rows.items():
        site.serve({'/': page('/well', '/more'), '/well': answer(most), '/more': answer(most + 1)})
        site.dir = site.path(name.replace(' ', '-'))
        site.crawl('--tries', '1')
        well, more = site.line('/well'), site.line('/more')
        assert well['outcome'] == 'done' and 'limit' not in well, (name, well)
        assert name in (more.get('limit'), more.get('reason')), (name, more)
