"""robots.txt: which answers hold rules, which mean that there are none, and which mean that they come later."""
import gzip
import time
from answers import LEAF, TICK, Cut, Hold, Reset, move, page, reply

RULES = reply('User-agent: *\nDisallow: /no\n', kind='text/plain')
TOO_MANY = '429 Too Many Requests'


def _pages(site, robots, **more):
    site.serve({'/robots.txt': robots, '/': page('/a', '/no'), '/a': LEAF, '/no': LEAF, **more})


def _times(run, target='/robots.txt'):
    return [r.time for r in run.requests if r.target == target]


def _first_then_rules(answer):
    return lambda request: answer if request.number == 1 else RULES


def too_many_requests_is_no_permission(site):
    """429 with Retry-After: 2; nothing is asked for before that is over (RFC 9309 leaves it open; Google waits)"""
    _pages(site, _first_then_rules(reply('slow down', TOO_MANY, fields=['Retry-After: 2'])))
    run = site.crawl()
    run.wants(once=['/', '/a'], never=['/no'])
    first, second = _times(run)
    assert second - first >= 2 - TICK, second - first
    assert min(r.time for r in run.requests if r.target != '/robots.txt') > second - TICK


def it_waits_without_a_time_too(site):
    """429 and 408 without Retry-After, twice"""
    for status in (TOO_MANY, '408 Request Timeout'):
        _pages(site, lambda request: reply('', status) if request.number == 1 else RULES)
        site.log.clear()
        site.dir = site.path(status[:3])
        site.crawl().wants(once=['/', '/a'], never=['/no'])


def too_many_to_the_end(site):
    """after --tries it is as with a server error: nothing is fetched, and that is said"""
    _pages(site, reply('', TOO_MANY))
    run = site.crawl('--tries', '2')
    assert run.asked == [] and len(_times(run)) == 2, run.requests
    run.says('robots.txt')
    run.exits(1)


def a_day_is_not_waited_for(site):
    """Retry-After of a day, with one try: the crawl ends, and skips"""
    _pages(site, reply('', TOO_MANY, fields=['Retry-After: 86400']))
    run = site.crawl('--tries', '1', '--max-seconds', '5')
    assert run.asked == []


def no_rules(site):
    """4xx other than those, 204, a redirect that leads nowhere: no robots.txt (RFC 9309, 2.3.1.3)"""
    for status in ('401 Unauthorized', '403 Forbidden', '404 Not Found', '410 Gone', '418 No', '451 No', '304 Not Modified', '204 No Content'):
        _pages(site, reply('', status, fields=['WWW-Authenticate: Basic'] if status[:3] == '401' else []))
        site.dir = site.path('crawl' + status[:3])
        site.crawl().wants('/', '/a', '/no')


def a_refusal_whose_body_does_not_come(site):
    """403 and 404 with a body that is cut: the head has said it"""
    for status in ('403 Forbidden', '404 Not Found'):
        _pages(site, Cut(b'HTTP/1.1 %s\r\nContent-Length: 500\r\n\r\nno' % status.encode()))
        site.dir = site.path('crawl' + status[:3])
        site.crawl('--tries', '1').wants('/', '/a', '/no')


def a_wait_whose_body_is_cut(site):
    """503 and 429, reset in their bodies; Retry-After still counts"""
    for kind, status in ((Cut, '503 Unavailable'), (Reset, TOO_MANY)):
        said = kind(b'HTTP/1.1 %s\r\nRetry-After: 1\r\nContent-Length: 500\r\n\r\nno' % status.encode())
        _pages(site, lambda request: said if request.number == 1 else RULES)
        site.log.clear()
        site.dir = site.path('crawl' + status[:3])
        run = site.crawl()
        run.wants(once=['/', '/a'], never=['/no'])
        first, second = _times(run)
        assert second - first >= 1 - TICK, second - first


def rules_behind_five_hops(site):
    """RFC 9309, 2.3.1.2: at least five, also to another authority; to a path, with a query"""
    other = site.listen()
    _pages(site, move('/1'), **{'/1': move('/2', '302 Found'), '/2': move('3?x', '303 See Other'), '/3?x': move('/4', '307 T'),
                                '/4': move(site.url('/rules', other), '308 P')})
    site.serve({other: {'/rules': RULES}})
    site.crawl().wants('/', '/a', never=['/no'])


def rules_behind_a_redirect_with_a_broken_body(site):
    """301 whose announced body never comes: cut at once, then held; the head has said where to"""
    for name, kind in (('cut', Cut), ('held', Hold), ('reset', Reset)):
        _pages(site, kind(b'HTTP/1.1 301 Moved\r\nLocation: /r.txt\r\nContent-Length: 400\r\n\r\n<html>'), **{'/r.txt': RULES})
        site.dir = site.path(name)
        site.crawl('--timeout', '2', '--tries', '1').wants('/', '/a', never=['/no'])


def a_location_that_is_cut(site):
    """the connection ends in the head: nothing is followed, and nothing is allowed"""
    _pages(site, Cut(b'HTTP/1.1 301 Moved\r\nLocation: /r'), **{'/r': reply('', kind='text/plain'), '/r.txt': RULES})
    run = site.crawl('--tries', '1')
    assert '/r' not in run.asked and '/no' not in run.asked, run.asked


def rules_that_are_cut_allow_nothing(site):
    """200 whose body is cut before the rule: it is no answer"""
    _pages(site, Cut(b'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 29\r\n\r\nUser-agent: *\n'))
    run = site.crawl('--tries', '1')
    assert '/no' not in run.asked, run.asked


def gzip_that_is_cut_allows_nothing(site):
    """200 whose gzip ends, or breaks, before the rule, or after some of them; with a length and without, and once for a while"""
    text = ''.join('# %d\n' % (i * i) for i in range(3000))
    late, early = (gzip.compress(t.encode()) for t in ('User-agent: *\n%sDisallow: /\n' % text, 'User-agent: *\nDisallow: /no\n' + text))
    half, broken = late[:len(late) // 2], late[:99] + b'\xff' * 99 + late[99:]
    for i, (coded, length) in enumerate(((half, True), (half, False), (broken, True), (late[:14], True), (late[:14], False))):
        cut = reply(coded, kind='text/plain', fields=['Content-Encoding: gzip'], length=length)
        for name, robots in (('always%d' % i, cut), ('once%d' % i, _first_then_rules(cut))):
            _pages(site, robots)
            site.log.clear()
            site.dir = site.path(name)
            run = site.crawl('--tries', '2')
            run.wants(*(['/', '/a'] if robots is not cut else []), never=['/no'] + (['/', '/a'] if robots is cut else []))
            assert len(_times(run)) >= 2, (name, run.requests)
    _pages(site, reply(early[:len(early) // 2], kind='text/plain', fields=['Content-Encoding: gzip']))
    site.dir = site.path('rules')
    site.crawl('--tries', '2').wants('/', '/a', never=['/no'])


def retry_after_is_not_cut_short(site):
    """one host's robots.txt leads to another host, which says 503 with Retry-After: 1 after a while in which nothing else comes: that
    host is left alone for all of the second"""
    other = site.listen()
    said = []

    def busy(request):
        time.sleep(0.06)
        said.append(time.monotonic())
        return reply('', '503 Busy', fields=['Retry-After: 1'])

    site.serve({'/robots.txt': move(site.url('/rules', other)), '/': LEAF,
                other: {'/rules': lambda request: busy(request) if len(said) < 2 else RULES, '/robots.txt': RULES,
                        '/': page(*['/p%d' % i for i in range(20)]), **{'/p%d' % i: LEAF for i in range(20)}}})
    run = site.crawl('--per-host', '1', '--delay', '0.2', '--tries', '6', start=('/', site.url('/', other)))
    run.exits(0)
    early = [1000 * (r.time - s) for s in said for r in run.requests if r.port == other and 0 < r.time - s < 0.99]  # the kernel counts ticks
    assert len(said) == 2 and not early, (len(said), early)


def rules_without_room(site):
    """thirty hosts whose rules take much more than --robots-memory: each is obeyed for every page, whether it is kept or asked for again"""
    ports = [site.listen() for _ in range(30)]
    rules = 'User-agent: *\n' + ''.join('Disallow: /%d-%s\n' % (i, 'x' * 60) for i in range(2500)) + 'Disallow: /no\n'
    pages = {'/': page('/a', '/no1', '/b'), '/a': page('/no2', '/c'), '/b': LEAF, '/c': LEAF, '/no1': LEAF, '/no2': LEAF,
             '/robots.txt': reply(rules, kind='text/plain')}
    site.serve({port: pages for port in ports})
    run = site.crawl('--robots-memory', '1M', start=[site.url('/', p) for p in ports])
    run.wants(never=['/no1', '/no2'])
    for port in ports:
        assert sorted(r.target for r in run.requests if r.port == port and r.target != '/robots.txt') == ['/', '/a', '/b', '/c'], port


def only_the_first_500_kib_count(site):
    """a rule that ends there, and one that begins there"""
    text = b'User-agent: *\n'
    text = text + b'\n' * (500 * 1024 - len(text) - 14) + b'Disallow: /no\nDisallow: /a\n'
    _pages(site, reply(text, kind='text/plain'))
    site.crawl().wants(once=['/', '/a'], never=['/no'])
