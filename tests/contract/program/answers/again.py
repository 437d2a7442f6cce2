"""Answers that may be others a moment later: they are asked for again, but not at once."""
from answers import LEAF, Cut, page, reply


def _once(status, *fields):
    """This status at first, then a leaf."""
    return lambda request: LEAF if request.number > 1 else reply('later', status, fields=fields)


def comes_again_after_a_passing_error(site):
    """408, 425, 500, 502 to 504, 520 to 527 and 429 (RFC 9110, 15.5.9; RFC 8470, 5.2; what CDNs say of the server behind them)"""
    passing = 408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527
    site.serve({'/': page(*['/%d' % s for s in passing]), **{'/%d' % s: _once('%d Oh' % s) for s in passing}})
    site.crawl('--ignore-robots')
    for s in passing:
        line = site.line('/%d' % s)
        assert (line.get('status'), line.get('tries')) == (200, 2), line


def is_not_asked_again(site):
    """others of these classes are what they say"""
    lasting = 400, 403, 404, 409, 410, 418, 451, 501, 505, 511, 599
    site.serve({'/': page(*['/%d' % s for s in lasting]), **{'/%d' % s: _once('%d Oh' % s) for s in lasting}})
    site.crawl('--ignore-robots').wants(once=['/%d' % s for s in lasting])


def waits_between_tries(site):
    """also with --delay 0; the second wait is longer"""
    for status in '500 Oh', '408 Late', '522 Behind', '503 Full':
        site.serve({'/': reply('', status)})
        times = [r.time for r in site.crawl('--ignore-robots').requests]
        assert len(times) == 3, times
        assert times[1] - times[0] >= 0.09 and times[2] - times[1] >= 0.19, times
        site.dir += 'x'


def a_408_that_closes(site):
    """the answer to a request that crossed the server's farewell on its way"""
    site.serve({'/': page('/a'), '/a': lambda r: LEAF if r.number > 1 else
                Cut(b'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')})
    run = site.crawl('--ignore-robots')
    run.exits(0)
    assert site.line('/a')['status'] == 200
