"""Going on: a crawl that was stopped, however, goes on by `strata crawl --dir DIR` alone as it was begun."""
import os
import signal
import time

from answers import LEAF, page, reply

NUMBER = 40


def _tree(count=NUMBER):
    routes = {'/': page(*('/%d' % i for i in range(count)))}
    routes.update(('/%d' % i, LEAF) for i in range(count))
    return routes


def _killed(site, *options, after=4, signal_number=signal.SIGKILL):
    """A crawl that ends by a signal once it has asked for so many pages."""
    process = site.start('crawl', '--dir', site.dir, *options, site.url('/'))
    while len([r for r in site.log if r.target != '/robots.txt']) < after:
        assert process.poll() is None, 'the crawl ended by itself: %s' % process.stdout.read()
        time.sleep(0.01)
    process.send_signal(signal_number)
    process.communicate()


def _go_on(site, *options):
    return site.run('crawl', '--dir', site.dir, *options)


def _states(site, state):
    return site.run('export', site.dir, '--state', state).text.split()


def killed_and_private(site):
    """what was allowed is allowed after kill -9, and nothing has failed"""
    site.serve(_tree())
    _killed(site, '--allow-private', '--delay', '0.02')
    run = _go_on(site)
    run.exits(0)
    run.says('As it was begun:', '--allow-private', '--delay 0.02', never=['Failed:', 'not public'])
    assert not _states(site, 'failed') and not _states(site, 'queued')
    assert len(_states(site, 'done')) == NUMBER + 1


def stopped_and_private(site):
    """the same after Ctrl-C, and after a cap of pages, which is of one run"""
    site.serve(_tree())
    _killed(site, '--allow-private', '--delay', '0.02', signal_number=signal.SIGINT)
    _go_on(site, '--max-pages', '20').says('the cap of --max-pages is reached')
    run = _go_on(site)
    run.says('every page in scope was fetched')
    assert len(_states(site, 'done')) == NUMBER + 1


def how_it_is_asked(site):
    """delay, per-host, User-Agent and contact are as they were"""
    site.serve(_tree(6))
    options = ['--allow-private', '--delay', '0.3', '--user-agent', "it's Probe/2", '--contact', 'a@b.example']
    site.run('crawl', '--dir', site.dir, '--max-pages', '2', *options, site.url('/')).exits(0)
    run = _go_on(site)
    run.exits(0)
    times = [r.time for r in run.requests]
    assert len(times) >= 5 and min(b - a for a, b in zip(times, times[1:])) > 0.25, times
    agents = {r.get('User-Agent') for r in run.requests}
    assert agents == {"it's Probe/2 (+mailto:a@b.example)"}, agents


def what_is_fetched(site):
    """robots.txt, nofollow, images and sitemaps as they were"""
    site.serve({'/robots.txt': reply('User-agent: *\nDisallow: /\nSitemap: /map.xml\n', kind='text/plain'),
                '/': reply('<a href=/a rel=nofollow>x</a><img src=/i.html>'),
                '/a': page('/b'), '/b': LEAF, '/i.html': LEAF})
    options = ['--allow-private', '--delay', '0', '--ignore-robots', '--follow-nofollow', '--images']
    site.run('crawl', '--dir', site.dir, '--max-pages', '1', *options, site.url('/')).exits(0)
    run = _go_on(site)
    run.wants(once=['/a', '/b', '/i.html'])
    assert not [r for r in run.requests if r.target == '/robots.txt']


def a_size_and_a_time(site):
    """--max-body, --timeout and --tries as they were"""
    site.serve({'/': page('/long', '/gone'), '/long': reply('x' * 5000), '/gone': reply('', '503 Busy')})
    options = ['--allow-private', '--delay', '0', '--max-body', '1K', '--tries', '1']
    site.run('crawl', '--dir', site.dir, '--max-pages', '1', *options, site.url('/')).exits(0)
    _go_on(site).wants(once=['/long', '/gone'])
    assert site.line('/long')['truncated'] is True


def what_is_kept(site):
    """responses are stored as they were, until that is taken back"""
    site.serve(_tree(4))
    site.run('crawl', '--dir', site.dir, '--max-pages', '1', '--allow-private', '--delay', '0', '--warc', site.url('/'))
    _go_on(site, '--max-pages', '3').exits(0)
    site.run('show', site.dir, site.url('/1')).exits(0)
    _go_on(site, '--no-warc').exits(0)
    site.run('show', site.dir, site.url('/3')).exits(1)


def given_anew(site):
    """what is given anew holds from then on"""
    site.serve(_tree(8))
    site.run('crawl', '--dir', site.dir, '--max-pages', '2', '--allow-private', '--delay', '0', '--user-agent', 'One',
             site.url('/'))
    _go_on(site, '--max-pages', '3', '--user-agent', 'Two')
    run = _go_on(site)
    run.says('--user-agent Two', never=['--user-agent One'])
    assert {r.get('User-Agent') for r in run.requests} == {'Two'}


def taken_back(site):
    """--no-NAME takes back what is remembered: for good, and the start does not name it any more"""
    site.serve({**_tree(8), '/robots.txt': reply('User-agent: *\nDisallow: /\n', kind='text/plain')})
    site.run('crawl', '--dir', site.dir, '--max-pages', '2', '--allow-private', '--delay', '0', '--ignore-robots',
             site.url('/'))
    _go_on(site, '--no-ignore-robots', '--max-pages', '3')
    run = _go_on(site)
    run.says('--allow-private', never=['--ignore-robots'])
    run.wants(never=['/7'])
    assert len(_states(site, 'skipped')) == 7


def not_allowed_any_more(site):
    """what a run may not fetch waits, is named with its next step, and is fetched when it is allowed again"""
    site.serve(_tree(10))
    site.run('crawl', '--dir', site.dir, '--max-pages', '2', '--allow-private', '--delay', '0', site.url('/'))
    run = _go_on(site, '--no-allow-private')
    run.exits(0)
    run.says('9 URLs', 'not public', '--allow-private', never=['Failed:', 'every page in scope', 'To go on'])
    assert not run.requests and not _states(site, 'failed') and len(_states(site, 'queued')) == 9
    text = site.run('stat', site.dir).text
    assert 'not public (--allow-private)' in text, text
    run = _go_on(site, '--allow-private')
    run.says('every page in scope was fetched')
    assert len(_states(site, 'done')) == 11


def waiting_is_what_is_missing(site):
    """the end names the line that follows, and is not wrong about what is old; a quiet run says that it did nothing"""
    site.serve(_tree(5))
    site.run('crawl', '--dir', site.dir, '--max-pages', '2', '--allow-private', '--delay', '0', site.url('/'))
    run = _go_on(site, '--no-allow-private')
    run.says('Done, but not complete: see "Waiting" below.', '\n  Waiting: 4 URLs', never=['Missing'])
    run = _go_on(site, '--quiet')
    run.exits(0)
    run.says('nothing was fetched: 4 URLs wait whose address is not public; --allow-private fetches them')
    assert run.text.count('\n') == 1, run.text
    time.sleep(1.1)
    _go_on(site, '--recrawl-after', '1s').says('no page was asked for again', never=['older'])
    _go_on(site, '--allow-private', '--quiet').says(never=['fetched'])
    time.sleep(1.1)
    run = _go_on(site, '--no-allow-private', '--recrawl-after', '1s')
    run.says('see "Waiting" below', 'no page was asked for again', '6 URLs', never=['older'])
    assert not run.requests
    _go_on(site, '--allow-private', '--recrawl-after', '1h').says('asked for 6 pages again')
    _go_on(site, '--recrawl-after', '1h').says('no page is older than --recrawl-after yet')


def never_allowed(site):
    """a start URL that may not be fetched waits; the same command with what its message says fetches it"""
    site.serve({'/': LEAF})
    run = site.run('crawl', '--dir', site.dir, '--delay', '0', site.url('/'))
    run.exits(1)
    run.says('no start URL gave a page', 'not a public address', '--allow-private')
    assert _states(site, 'queued') == [site.url('/')] and not _states(site, 'failed')
    run = _go_on(site, '--allow-private')
    run.exits(0)
    run.wants(once=['/'])


def private_links_of_a_page(site):
    """links to other addresses that are not public wait, too, through a redirect as well; a sitemap is no exception"""
    other = site.listen('127.0.0.2')
    site.serve({'/': page('http://127.0.0.2:%d/x' % other, 'http://127.0.0.2:%d/y' % other, '/z'), '/z': LEAF})
    site.crawl('--scope', 'any', '--max-pages', '1', '--ignore-robots')
    run = _go_on(site, '--no-allow-private')
    run.exits(0)
    run.says('3 URLs')
    assert not run.requests and not _states(site, 'failed') and len(_states(site, 'queued')) == 3


def secrets_are_named(site):
    """names of what is not kept, and how it is given again; no secret is in any file"""
    site.serve(_tree(6))
    jar = site.path('jar', '127.0.0.1\tFALSE\t/\tFALSE\t0\tsession\tJARSECRET\n')
    options = ['--user', 'anna:USERSECRET', '-H', 'X-Key: KEYSECRET', '--header', 'X-Other:OTHERSECRET', '--cookies', jar]
    site.run('crawl', '--dir', site.dir, '--max-pages', '1', '--allow-private', '--delay', '0', *options, site.url('/'))
    run = _go_on(site, '--max-pages', '2')
    run.exits(0)
    run.says("--header 'X-Key: ...'", "--header 'X-Other: ...'", '--user NAME:PASSWORD', '--cookies FILE', '--no-cookies')
    assert not any(r.get('Authorization') or r.get('Cookie') or r.get('X-Key') for r in run.requests)
    for directory, _, names in os.walk(site.dir):
        for name in names:
            with open(os.path.join(directory, name), 'rb') as file:
                content = file.read()
            assert not [s for s in (b'JARSECRET', b'USERSECRET', b'KEYSECRET', b'OTHERSECRET', b'anna:') if s in content], name
    run = _go_on(site, '--max-pages', '3', *options)
    assert all(r.get('X-Key') == 'KEYSECRET' and r.get('Authorization') for r in run.requests if r.target != '/robots.txt')
    run.says(never=['the name is kept'])
    run = _go_on(site, '--max-pages', '4', *options[:4])
    run.says("--header 'X-Other: ...'", '--cookies FILE', never=["'X-Key: ...'", '--user NAME'])
    run = _go_on(site, '--no-header', '--no-cookies', '--no-user', '-H', 'X-Key: KEYSECRET', '--max-pages', '5')
    run.says(never=['the name is kept'])
    _go_on(site, '--max-pages', '5').says("was begun with --header 'X-Key: ...', of which")
    _go_on(site, '--no-header', '--max-pages', '5').says(never=['the name is kept'])
    _go_on(site).says(never=['the name is kept'])


def quiet_and_without_secrets(site):
    """who goes on without them hears it from a quiet run, too"""
    site.serve(_tree(3))
    site.crawl('--user', 'a:b', '--max-pages', '1')
    run = _go_on(site, '--quiet')
    run.says('--user NAME:PASSWORD', never=['As it was begun'])


def a_proxy(site):
    """a proxy is used again; where it wanted a password, nothing is asked for past it"""
    site.serve({'http://site.example/': page('/a'), 'http://site.example/a': LEAF,
                'http://site.example/robots.txt': reply('', '404 Not Found')})
    plain = site.url('')
    run = site.run('crawl', '--dir', site.dir, '--max-pages', '1', '--delay', '0', '--proxy', plain, 'http://site.example/')
    run.exits(0)
    run = _go_on(site)
    run.exits(0)
    run.wants(once=['http://site.example/a'])
    site.dir = site.path('second')
    secret = plain.replace('://', '://me:PROXYSECRET@')
    site.run('crawl', '--dir', site.dir, '--max-pages', '1', '--delay', '0', '--proxy', secret, 'http://site.example/').exits(0)
    run = _go_on(site)
    run.exits(2)
    run.says('--proxy', '--no-proxy', never=['PROXYSECRET'])
    _go_on(site, '--proxy', secret).exits(0)


def an_audit(site):
    """an audit goes on as one, under its own name"""
    site.serve(_tree(6))
    site.run('audit', '--dir', site.dir, '--max-pages', '2', '--allow-private', '--delay', '0', site.url('/'))
    run = site.run('audit', '--dir', site.dir)
    run.exits(0)
    run.says('Audit: 6 links', '--allow-private')


def retried(site):
    """--retry-failed asks as the crawl did"""
    site.serve({'/': page('/a'), '/a': lambda r: reply('', '503 Busy') if r.number == 1 else LEAF})
    site.run('crawl', '--dir', site.dir, '--allow-private', '--delay', '0', '--tries', '1', '--user-agent', 'Mine', site.url('/'))
    run = _go_on(site, '--retry-failed')
    run.wants(once=['/a'])
    assert {r.get('User-Agent') for r in run.requests} == {'Mine'}


def fixed_things(site):
    """scope and expressions stay; they are not to be given again"""
    site.serve({'/d/': page('/d/a', '/d/b', '/e'), '/d/a': LEAF, '/d/b': page('/d/c'), '/d/c': LEAF, '/e': LEAF})
    site.crawl('--scope', 'prefix', '--exclude', 'c$', '--max-pages', '1', start='/d/')
    run = _go_on(site)
    run.wants(once=['/d/a', '/d/b'], never=['/d/c', '/e'])


def _refused(site, *options, command='crawl'):
    """A run that is not what the directory was made for, and asks for these as well."""
    run = site.run(command, '--dir', site.dir, *options)
    run.exits(2)
    assert not run.requests


def refused_and_unchanged(site):
    """a run that is refused leaves the options as they were, whatever it is refused for"""
    site.serve(_tree(8))
    site.crawl('--user-agent', 'First', '--user', 'a:b', '--max-pages', '2')
    _refused(site, '--scope', 'domain', '--user-agent', 'Second', '--no-allow-private')
    _refused(site, '--include', '1$', '--user-agent', 'Second', '--per-host', '9', '--warc')
    _refused(site, '--user-agent', 'Second', '--no-user', command='audit')
    run = _go_on(site)
    run.exits(0)
    run.says('--user-agent First', '--allow-private', '--user NAME:PASSWORD', never=['Second', '--per-host', '--warc'])
    assert {r.get('User-Agent') for r in run.requests} == {'First'}
    assert len(_states(site, 'done')) == 9
    assert not [name for name in os.listdir(site.dir) if 'warc' in name]


def refused_and_not_queued(site):
    """nor does it queue what it was to try again"""
    site.serve({'/': page('/gone', '/there'), '/there': LEAF})
    site.crawl()
    _refused(site, '--retry-failed', command='audit')
    _refused(site, '--recrawl-after', '1s', '--exclude', 'x')
    run = _go_on(site)
    assert not run.asked and _states(site, 'failed') == [site.url('/gone')], run.asked
    site.dir = site.path('second')
    site.crawl(start='/none')
    _refused(site, site.url('/none'), command='audit')
    _refused(site, '--scope', 'any', site.url('/none'))
    assert not _go_on(site).asked and not _states(site, 'queued')


def a_certificate(site):
    """a crawl that believed a certificate of the user's is refused without it, before its queue fails page by page"""
    options = site.use_tls()
    site.serve(_tree(5))
    site.crawl('--max-pages', '2', *options)
    run = _go_on(site)
    run.exits(2)
    run.says('--ca-file FILE', '--no-ca-file', never=['Failed:'])
    assert not run.requests and not _states(site, 'failed') and len(_states(site, 'queued')) == 4
    _go_on(site, *options).exits(0)
    assert len(_states(site, 'done')) == 6
    _go_on(site, '--no-ca-file').exits(0)
    _go_on(site).says(never=['ca-file'])


def too_much_to_keep(site):
    """what could not be read again is refused when it is given, and the directory stays usable"""
    site.serve(_tree(4))
    first = site.crawl('--user-agent', 'x' * 70000)
    first.exits(2)
    assert not first.requests
    site.crawl('--max-pages', '2').exits(0)
    _refused(site, '--user-agent', 'y' * 66000)
    _refused(site, '-H', 'z' * 66000 + ': 1')
    run = _go_on(site)
    run.exits(0)
    assert len(_states(site, 'done')) == 5


def killed_while_it_waits(site):
    """kill -9 while the only host rests, as a page or robots.txt asked: the next run asks no sooner"""
    for name, target in (('page', '/'), ('robots', '/robots.txt')):
        busy = lambda request: reply('', '503 Busy', fields=['Retry-After: 5']) if request.number == 1 else LEAF
        site.serve({'/robots.txt': reply('', '404 Not Found'), '/': LEAF, target: busy})
        site.dir = site.path(name)
        site.log.clear()
        process = site.start('crawl', '--dir', site.dir, '--allow-private', '--delay', '0', site.url('/'))
        while not [r for r in site.log if r.target == target]:
            time.sleep(0.01)
        time.sleep(2.5)
        process.kill()
        process.communicate()
        _go_on(site).exits(0)
        first, second = [r.time for r in site.log if r.target == target]
        assert second - first >= 4.9, (name, second - first)
