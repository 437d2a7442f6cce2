"""Connections that idle: what comes over them answers no request (RFC 9112, 9.2), and the next one goes out on another.

With a delay every connection idles. Chromium closes an idle socket that becomes readable, and no page sees of it."""
from answers import LEAF, Cut, Hold, page, reply

TIMEOUT = b'HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'
OTHER = reply('<p><a href="/wrong">another answer</a>')


def _crawl(site, idle, *options):
    """Each page costs one request, one try and one delay; none is asked for where something came before."""
    site.idle = idle
    site.serve({'/': page('/a', '/b'), '/a': LEAF, '/b': LEAF, '/wrong': LEAF})
    run = site.crawl('--ignore-robots', *options, delay='1')
    run.exits(0)
    run.wants(once=['/', '/a', '/b'], never=['/wrong'])
    assert not site.late, 'asked where bytes were: %s' % site.late
    times = [r.time for r in run.requests]
    steps = [b - a for a, b in zip(times, times[1:])]
    assert min(steps) > 0.9, steps
    for target in '/', '/a', '/b':
        assert [(l.get('status'), l.get('tries')) for l in site.lines_of(target)] == [(200, 1)], site.lines_of(target)


def says_408_and_closes(site):
    """the usual farewell of a server that loses patience"""
    _crawl(site, TIMEOUT)


def says_408_and_stays(site):
    """... that does not close"""
    _crawl(site, Hold(TIMEOUT))


def says_a_whole_answer(site):
    """an answer to nothing, with a link: it must not become the next page"""
    _crawl(site, Hold(OTHER))


def says_several_answers(site):
    """more than one"""
    _crawl(site, Hold(OTHER * 3))


def says_half_an_answer(site):
    """the first half of a head"""
    _crawl(site, Hold(TIMEOUT[:20]))


def says_blank_lines(site):
    """line ends behind a body, as some servers add them"""
    _crawl(site, Hold(b'\r\n\r\n'))


def says_nothing_and_closes(site):
    """the most usual end"""
    _crawl(site, b'')


def https_says_408_and_closes(site):
    """the same bytes inside of TLS, with a goodbye"""
    _crawl(site, TIMEOUT, *site.use_tls())


def https_says_408_and_breaks_off(site):
    """... without one"""
    _crawl(site, Cut(TIMEOUT), *site.use_tls())


def https_says_a_whole_answer(site):
    """an answer to nothing, and the connection stays"""
    _crawl(site, Hold(OTHER), *site.use_tls())


def https_says_half_an_answer(site):
    """half of one"""
    _crawl(site, Hold(TIMEOUT[:20]), *site.use_tls())


def https_says_nothing_and_closes(site):
    """a goodbye alone"""
    _crawl(site, b'', *site.use_tls())


def https_breaks_off(site):
    """an end without a goodbye"""
    _crawl(site, Cut(b''), *site.use_tls())


def connections_are_kept(site):
    """where nothing comes, one connection does for all"""
    _one_connection(site)


def https_connections_are_kept(site):
    """... with TLS, too"""
    _one_connection(site, *site.use_tls())


def _one_connection(site, *options):
    connections = []
    plain = site.serve_connection
    site.serve_connection = lambda connection, port: (connections.append(1), plain(connection, port))
    site.serve({'/': page('/a', '/b'), '/a': LEAF, '/b': LEAF})
    site.crawl('--ignore-robots', *options, delay='0.3').wants(once=['/', '/a', '/b'])
    assert len(connections) == 1, len(connections)
