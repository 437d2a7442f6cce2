"""How a run begins, and what is said of one that could not: audits, long lists of start URLs, merged directories, -h."""
import os
import re
import signal
import subprocess
import time

from answers import LEAF, page, reply

SMALL = ('--allow-private', '--delay', '0')


def audit_after_crawl(site):
    """both with defaults: each has a directory of its own"""
    site.serve({'/': page('/a'), '/a': LEAF})
    site.run('crawl', *SMALL, site.url('/')).exits(0)
    run = site.run('audit', *SMALL, site.url('/'))
    run.exits(0)
    run.says('Crawling into audit-127.0.0.1-%d/' % site.port, 'Audit: 1 link', 'strata report audit-127.0.0.1')
    site.run('audit', *SMALL, site.url('/')).says('Going on with the crawl in audit-127.0.0.1')
    site.run('crawl', '--audit', *SMALL, site.url('/')).says('Going on with the crawl in audit-127.0.0.1')


def audit_of_a_crawl(site):
    """a directory without links is refused in one sentence, by the command's own name"""
    site.serve({'/': LEAF})
    site.crawl()
    run = site.run('audit', '--dir', site.dir)
    run.exits(2)
    run.says('strata audit: ', 'is no audit', 'choose another --dir', never=['strata crawl:', 'made with none'])


def audit_says_its_name(site):
    """in each of its errors"""
    for words in (['--delay', 'x'], ['--nonsense'], ['--no-store'], ['nonsense'], ['--dir', '/nonsense/x'], [],
                  ['--header', 'x'], ['--allow-private', '--no-allow-private'], ['--seeds', '/nonsense']):
        run = site.run('audit', *words, *([] if 'nonsense' in words or not words else [site.url('/')]))
        assert run.code in (1, 2), run.text
        run.says('strata audit: ', never=['strata crawl:'])


def audit_is_continued_by_its_name(site):
    """the command that it prints is an audit's"""
    site.serve({'/': page(*('/%d' % i for i in range(9))), **{'/%d' % i: LEAF for i in range(9)}})
    run = site.run('audit', '--dir', site.dir, *SMALL, '--max-pages', '3', site.url('/'))
    run.says('To go on: strata audit --dir %s --allow-private --delay 0\n' % site.dir)


def help_by_a_letter(site):
    """-h is --help, with each command; of an audit its own"""
    for command in ('crawl', 'audit', 'stat', 'export', 'uniq', 'cluster', 'replay', 'url', 'robots', 'merge'):
        run = site.run(command, '-h')
        run.exits(0)
        run.says('Usage: strata %s' % command)
        assert run.text == site.run(command, '--help').text
    site.run('crawl', '-h', '--all').says('--robots-memory')
    site.run('crawl', '--quiet', '-h').says('Usage: strata crawl')


def _seeds(site, count):
    return site.path('seeds', ''.join('%s%d\n' % (site.url('/s'), i) for i in range(count)))


def _queued(text):
    found = re.search(r'([0-9,]+) URLs? (?:is|are) queued', text)
    assert found, 'did not say how many are queued: %s' % text
    return int(found[1].replace(',', ''))


def seeds_cut_by_time(site):
    """what is queued is said to be queued, and the same command goes on"""
    words = ['crawl', '--dir', site.dir, *SMALL, '--seeds', _seeds(site, 2000000), '--max-seconds', '1']
    run = site.run(*words)
    run.exits(0)
    run.says('the time of --max-seconds is over', 'Not all start URLs are read: ', 'the same command reads the rest',
             never=['before it began', 'begins again', 'To go on'])
    assert not run.requests
    assert 0 < _queued(run.text) < 2000000
    assert '{:,} waiting'.format(_queued(run.text)) in site.run('stat', site.dir).text
    again = site.run(*words)
    assert again.requests or _queued(again.text) > _queued(run.text)


def seeds_cut_by_a_signal(site):
    """the same by Ctrl-C: exit 3"""
    process = site.start('crawl', '--dir', site.dir, *SMALL, '--seeds', _seeds(site, 2000000))
    while not os.path.exists(os.path.join(site.dir, 'pages.jsonl')):
        time.sleep(0.01)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    text = process.communicate(timeout=60)[0].decode()
    assert process.returncode == 3 and _queued(text) > 0 and 'begins again' not in text, (process.returncode, text)


def a_list_that_was_cut_is_read_to_its_end(site):
    """the same command adds what is left, once"""
    site.serve({'/s%d' % i: LEAF for i in range(10)})
    seeds = _seeds(site, 10)
    site.run('crawl', '--dir', site.dir, *SMALL, '--seeds', seeds, '--max-pages', '3')
    run = site.run('crawl', '--dir', site.dir, *SMALL, '--seeds', seeds)
    run.exits(0)
    assert len(run.asked) == 7


def a_list_with_remarks(site):
    """what is behind a blank and # is no part of a URL; a # without a blank is a fragment, or a bad line's"""
    site.serve({'/s%d' % i: LEAF for i in range(4)})
    urls = [site.url('/s%d' % i) for i in range(4)]
    lines = ['# %s/none' % urls[0], urls[0] + ' # the first', '\t' + urls[1] + '\t#second # twice', urls[2] + '#part', urls[3] + '  ']
    run = site.run('crawl', '--dir', site.dir, *SMALL, '--seeds', site.path('seeds', '\r\n'.join(lines)))
    run.exits(0)
    assert sorted(run.asked) == ['/s0', '/s1', '/s2', '/s3'], run.asked


def _piped(site, *options):
    """A crawl whose standard input has two start URLs and stays open, with one more on the command line."""
    site.serve({'/a': LEAF, '/b': LEAF, '/c': LEAF})
    process = subprocess.Popen([site.program, 'crawl', '--dir', site.dir, *SMALL, *options, site.url('/c'), '-'],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    process.stdin.write(('%s\n%s\n%s' % (site.url('/a'), site.url('/b'), site.url('/half'))).encode())
    process.stdin.flush()
    return process


def _keeps_what_was_piped(site, process, code):
    text = process.communicate(timeout=30)[0].decode()
    assert process.returncode == code and _queued(text) == 3, (process.returncode, text)
    run = site.run('crawl', '--dir', site.dir)
    run.wants(once=['/a', '/b', '/c'], never=['/half'])


def a_pipe_without_end_cut_by_time(site):
    """start URLs that came before standard input waited are queued when the time is over: exit 0"""
    process = _piped(site, '--max-seconds', '1')
    process.wait(timeout=30)
    _keeps_what_was_piped(site, process, 0)


def a_pipe_without_end_cut_by_a_signal(site):
    """the same by Ctrl-C: exit 3"""
    process = _piped(site)
    while not os.path.exists(os.path.join(site.dir, 'pages.jsonl')):
        time.sleep(0.01)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    process.wait(timeout=2)
    _keeps_what_was_piped(site, process, 3)


def an_empty_pipe_cut_by_time(site):
    """a time limit is no stop, before anything came as well"""
    process = subprocess.Popen([site.program, 'crawl', '--dir', site.dir, *SMALL, '--max-seconds', '1', '-'],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    process.wait(timeout=30)
    assert process.returncode == 0, process.communicate()


def _merged(site):
    site.serve({'/': page('/a', '/b'), '/a': LEAF, '/b': LEAF})
    site.crawl()
    merged = site.path('merged')
    site.run('merge', site.dir, '-o', merged).exits(0)
    return merged


def merged_and_seen(site):
    """a start URL that the crawls before have seen is said to be seen, and what to do"""
    merged = _merged(site)
    for _ in range(2):
        run = site.run('crawl', '--dir', merged, *SMALL, site.url('/'))
        run.exits(1)
        run.says(site.url('/'), 'seen', '0 URLs wait', 'strata forget %s' % merged,
                 never=['every page', '--retry-failed', 'naming it'])
        assert not run.requests
    site.run('forget', merged, site.url('/')).exits(0)
    run = site.run('crawl', '--dir', merged, *SMALL, site.url('/'))
    run.exits(0)
    run.wants(once=['/'], never=['/a'])


def merged_and_listed(site):
    """the same of a list of start URLs, all of them seen"""
    merged = _merged(site)
    seeds = site.path('seeds', '# all\n%s\n%s\n' % (site.url('/b'), site.url('/a')))
    run = site.run('crawl', '--dir', merged, *SMALL, '--seeds', seeds)
    run.exits(1)
    run.says(site.url('/b') + ' counts as seen', 'strata forget %s' % merged, never=['naming it'])
    assert not run.requests


def merged_with_a_new_start(site):
    """a new start URL is fetched, and nothing is said of one that was seen beside it but that"""
    merged = _merged(site)
    site.serve({'/c': LEAF})
    run = site.run('crawl', '--dir', merged, *SMALL, site.url('/c'), site.url('/'))
    run.exits(0)
    run.wants(once=['/c'], never=['/'])


def done_before(site):
    """a start URL that is named again though it is done: nothing is asked for, no failure, and what would ask again"""
    site.serve({'/': page('/a'), '/a': LEAF})
    site.crawl()
    run = site.run('crawl', '--dir', site.dir, *SMALL, site.url('/'))
    run.exits(0)
    run.says('--recrawl-after')
    assert not run.requests


def defaults_are_polite(site):
    """without options a crawl asks no address that is not public; with --allow-private alone it obeys robots.txt and leaves a second between requests"""
    site.serve({'/robots.txt': reply('User-agent: *\nDisallow: /no\n', kind='text/plain'), '/': page('/a', '/no', '/b'), '/a': LEAF,
                '/b': LEAF, '/no': LEAF})
    run = site.run('crawl', '--dir', site.dir, site.url('/'))
    run.says('not a public address')
    assert not run.requests, run.requests
    began = time.monotonic()
    run = site.run('crawl', '--dir', site.dir, '--allow-private', site.url('/'))
    took = time.monotonic() - began  # a busy machine notes single requests late
    run.wants(once=['/', '/a', '/b'], never=['/no'])
    assert run.requests[0].target == '/robots.txt' and took > len(run.requests) - 1, (took, run.requests)


def names_of_no_cluster(site):
    """what --cluster names is read before anything is made; what is none is refused by a sentence, which never has its password"""
    names = ['', 'demo', 'http://127.0.0.1/demo', 'redis://', 'redis:///demo', 'redis://h', 'redis://h/', 'redis://h/a/b', 'redis://h/a b',
             'redis://h:0/a', 'redis://h:65536/a', 'redis://h:x/a', 'redis://h:/a', 'redis://[::1/a', 'redis://[::1]x/a', 'redis://h,/a',
             'redis://,h/a', 'redis://user:secret@h/a', 'redis://:secret@h/a', 'redis://@h/a', 'rediss://h/a', 'redis+sentinel://h/a',
             'redis+sentinel://h//a', 'redis://h/\u00e4', 'redis://a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q/x', 'redis://h/' + 65 * 'a']
    for name in names:
        run = site.run('crawl', '--dir', site.dir, '--cluster', name, site.url('/'))
        run.exits(2)
        run.says('strata crawl: ', never=['secret'])
        assert run.text.count('\n') == 1 and not os.path.exists(site.dir), run.text
