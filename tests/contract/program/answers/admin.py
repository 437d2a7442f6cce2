"""Every command for a directory on every kind of directory: what it exits with, that it ends in order (the preset asan
runs the same with the sanitizers), that the directory is sound afterwards, and that what was seen is seen still."""
import os
import shutil
import signal
import socket
import subprocess
import time

from answers import links, move, page, reply

SMALL = ('--expect', '1000')
FAULTS = ('Sanitizer', 'runtime error', 'dies of it', 'abort', 'corruption', 'Assertion')
TEXT = ' '.join('word%d' % i for i in range(300))

# (words, what the directory needs, or the command exits with 1; "pages?" among what it has: either). DIR, URL, HOST and
# PAGE, a file, are put in.
READERS = (
    ('stat DIR', ''), ('stat DIR --json', ''), ('stat DIR --traps', ''),
    ('export DIR', ''), ('export DIR --state seen --format jsonl', ''), ('export DIR --state queued', ''),
    ('export DIR --state done --format jsonl', ''), ('export DIR --state failed', ''),
    ('export DIR --state skipped', ''),
    ('export DIR --format sitemap', 'pages'), ('export DIR --broken', 'audit'),
    ('export DIR --broken --format jsonl', 'audit'),
    ('seen DIR URL', ''), ('inlinks DIR', 'inlinks'), ('inlinks DIR --top 1', 'inlinks'),
    ('like DIR PAGE', 'text'), ('like DIR URL --top 2', 'text'), ('report DIR', 'pages'),
    ('show DIR URL', 'warc'), ('show DIR URL --headers', 'warc'), ('check DIR', ''),
)


def _serve(site):
    site.serve({'/': page('/a', '/b', '/gone', '/moved', '/d/1'), '/a': reply(links('/b', '/d/2') + TEXT),
                '/b': reply(links('/') + TEXT), '/moved': move('/a'), '/d/1': page('/d/2'), '/d/2': page('/d/3'),
                '/d/3': page('/later'), '/later': reply('<p>late'), '/more': page('/more/1'),
                '/more/1': reply('<p>more')})


def _run(site, words, *codes, directory=None, url='/a'):
    """The command, which ends with one of these codes and not by a fault of memory."""
    names = {'DIR': directory or site.dir, 'URL': site.url(url), 'HOST': '127.0.0.1:%d' % site.port,
             'PAGE': site.path('page.html', links('/b', '/d/2') + TEXT)}
    run = site.run(*(names.get(word, word) for word in words.split()))
    run.says(never=FAULTS)
    assert run.code in codes, '%s: exit %s, not %s' % (words, run.code, codes)
    return run


def _read(site, has, url, directory=None):
    for words, need in READERS:
        done = 4 if need == 'audit' else 0
        codes = (done, 1) if need + '?' in has else (done,) if not need or need in has else (1,)
        _run(site, words, *codes, directory=directory, url=url)


def _seen(site, *paths, directory=None, state='seen'):
    for path in paths:
        run = _run(site, 'seen DIR ' + site.url(path), 0, directory=directory)
        assert run.text.startswith(state), '%s: %s' % (path, run.text)


def _frontier(directory):
    inside = os.path.join(directory, 'frontier')
    return inside if os.path.isdir(inside) else directory


def _damage(directory, mark, behind):
    """A byte is changed that lies so far behind each `mark` of data.mdb: FORMAT.md says what that is."""
    path = os.path.join(_frontier(directory), 'data.mdb')
    with open(path, 'r+b') as file:
        data, at = bytearray(file.read()), -1
        while (at := data.find(mark, at + 1)) >= 0:
            data[at + len(mark) + behind] ^= 1
        file.seek(0)
        file.write(data)


def _is_there(directory, mark):
    with open(os.path.join(_frontier(directory), 'data.mdb'), 'rb') as file:
        return mark in file.read()


def _progress(directory):
    _damage(directory, b'progress', 0)


def _texts(directory):
    """Of all URLs."""
    _damage(directory, b'SBT\1', 26)


def _repair(site, damage=_progress, directory=None):
    directory = directory or site.dir
    damage(directory)
    _run(site, 'check DIR', 1, directory=directory)
    _run(site, 'check DIR --repair', 0, directory=directory)
    _run(site, 'check DIR', 0, directory=directory)
    os.remove(os.path.join(_frontier(directory), 'data.mdb.damaged'))


def _on(site, *options, start=()):
    """The crawl goes on."""
    run = site.crawl(*SMALL, *options, start=start)
    run.says(never=FAULTS)
    assert run.code in (0, 4), 'exit %s' % run.code  # 4: of an audit
    _run(site, 'check DIR', 0)
    return run


def _first(site, *options, command='crawl', code=0):
    _serve(site)
    site.crawl(*SMALL, *options, command=command).exits(code)


def _other(site):
    """A crawl of another place of the site, to merge with."""
    other = site.path('other')
    site.run('crawl', '--dir', other, '--allow-private', '--delay', '0', '--quiet', *SMALL, site.url('/more')).exits(0)
    return other


def _merge(site, out, *directories):
    _run(site, 'merge %s -o %s' % (' '.join(directories), out), 0)


def _matrix(site, has, known=('/', '/a', '/b', '/d/2'), url='/a'):
    """All commands, those that change nothing first; a copy of the directory suffers first, too."""
    copy, both = site.path('copy'), site.path('both')
    _read(site, has, url)
    _seen(site, *known)
    _run(site, 'check DIR --repair', 0)

    if 'alone' in has:
        shutil.copytree(site.dir, copy)
    else:
        _run(site, 'snapshot DIR ' + copy, 0)
    _read(site, has, url, copy)
    _repair(site, directory=copy)
    _run(site, 'compact DIR', 0, directory=copy)
    _read(site, has, url, copy)
    if _is_there(copy, b'SBT\1'):
        _repair(site, _texts, directory=copy)
        _seen(site, url, directory=copy, state='new')

    if 'whole' in has:
        _merge(site, both, site.dir, _other(site))
        _run(site, 'check DIR', 0, directory=both)
        _seen(site, *known, '/more/1', directory=both)
        _repair(site, directory=both)
        _seen(site, *known, '/more/1', directory=both)

    for _ in range(2):
        _repair(site)
        _seen(site, *known)
    _run(site, 'compact DIR', 0)
    _read(site, has, url)
    _seen(site, *known)
    if 'whole' not in has:
        return

    _run(site, 'forget DIR URL', 0)
    _seen(site, '/a', state='new')
    _run(site, 'forget DIR --prefix %s' % site.url('/d/'), 0)
    _run(site, 'forget DIR --host HOST', 0)
    _run(site, 'check DIR', 0)
    _repair(site)
    _seen(site, '/a', state='new')
    _run(site, 'compact DIR', 0)
    _run(site, 'check DIR', 0)
    _seen(site, '/a', state='new')
    _repair(site)
    if 'crawl' in has:
        _on(site, start='/a').wants('/a')
        _on(site, '--retry-failed')
        _seen(site, '/a')
        _on(site, '--recrawl-after', '30d')


HAS = ('pages', 'inlinks', 'text', 'whole', 'crawl')
MERGED = ('whole', 'crawl', 'inlinks', 'pages?')


def plain(site):
    """a crawl that came to its end"""
    _first(site)
    _matrix(site, HAS)


def unfinished(site):
    """one with a queue"""
    _first(site, '--max-pages', '5')
    _matrix(site, HAS, known=('/', '/a', '/b'))


def lean(site):
    """one that kept nothing of what pages say"""
    _first(site, '--no-similar')
    _matrix(site, tuple(h for h in HAS if h != 'text'))


def warc(site):
    """one with its responses"""
    _first(site, '--warc')
    _matrix(site, (*HAS, 'warc'))


def audited(site):
    """an audit that found a broken link"""
    _first(site, command='audit', code=4)
    _matrix(site, (*HAS, 'audit'))


def exact(site):
    """one that lets no filter decide"""
    _first(site, '--filter', 'exact')
    _matrix(site, HAS)


def exact_unfinished(site):
    """the same, with a queue"""
    _first(site, '--filter', 'exact:line', '--max-pages', '3')
    _matrix(site, tuple(h for h in HAS if h != 'whole'), known=('/', '/a'))


def recrawled(site):
    """one whose pages were fetched again, and one of them changed"""
    _first(site)
    time.sleep(1.1)
    site.serve({'/d/1': page('/d/new')})
    _on(site, '--recrawl-after', '1s')
    _matrix(site, HAS)


def recrawled_exact(site):
    """the same, exact, stopped in the middle of the recrawl"""
    _first(site, '--filter', 'exact')
    time.sleep(1.1)
    _on(site, '--recrawl-after', '1s', '--max-pages', '12')
    _matrix(site, HAS)


def merged(site):
    """a merge, which has keys and no URLs"""
    _first(site)
    first = site.dir
    site.dir = site.path('merged')
    _merge(site, site.dir, first, _other(site))
    _matrix(site, MERGED, known=('/', '/a', '/d/2', '/more'))


def merged_and_crawled(site):
    """a merge that a crawl went on with"""
    _first(site)
    first = site.dir
    site.dir = site.path('merged')
    _merge(site, site.dir, first, _other(site))
    site.serve({'/news': page('/a', '/news/1'), '/news/1': reply('<p>' + TEXT)})
    _on(site, start='/news').wants('/news', '/news/1', never=('/a',))
    _matrix(site, HAS, known=('/', '/a', '/news/1'), url='/news/1')


def merged_of_merged(site):
    """a merge of a merge that was repaired, with exact keys"""
    _first(site, '--filter', 'exact')
    first, second = site.dir, site.path('second')
    _merge(site, second, first, _other(site))
    _repair(site, directory=second)
    site.dir = site.path('third')
    _merge(site, site.dir, second, first)
    _matrix(site, MERGED, known=('/', '/a', '/more'))


def repaired_twice(site):
    """one that lost its URLs twice, and went on each time"""
    _first(site, '--max-pages', '3')
    _repair(site, _texts)
    _on(site, start=('/more', '/d/1'))
    _repair(site, _texts)
    _repair(site)
    _on(site, start='/later')
    _matrix(site, HAS, known=('/later',), url='/later')


def forgotten(site):
    """one that forgot, was compacted, and found again"""
    _first(site, '--filter', 'exact')
    _run(site, 'forget DIR --prefix %s' % site.url('/d/'), 0)
    _run(site, 'compact DIR', 0)
    _on(site, start='/d/1').wants('/d/1', '/d/2')
    _matrix(site, HAS)


def snapshot(site):
    """a copy that went on"""
    _first(site, '--max-pages', '4')
    first = site.dir
    site.dir = site.path('copied')
    _run(site, 'snapshot DIR ' + site.dir, 0, directory=first)
    _on(site, '--max-pages', '100')
    _matrix(site, HAS)


def library(site):
    """a frontier alone, as another program makes it"""
    _first(site)
    site.dir = os.path.join(site.dir, 'frontier')
    _matrix(site, ('whole', 'alone'))


def partition(site):
    """one of several directories of a crawl"""
    if not shutil.which('redis-server'):
        print('partition: not run, there is no redis-server')
        return
    _serve(site)
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        port = free.getsockname()[1]
    redis = subprocess.Popen(['redis-server', '--port', str(port), '--bind', '127.0.0.1', '--save', ''],
                             cwd=site.scratch.name, stdout=subprocess.DEVNULL)
    try:
        _await(port)
        site.crawl(*SMALL, '--cluster', 'redis://127.0.0.1:%d/t' % port, '--partitions', '2', '--own', '0-1').exits(0)
    finally:
        redis.send_signal(signal.SIGTERM)
        redis.wait()
    parts = [os.path.join(site.dir, p) for p in sorted(os.listdir(site.dir)) if p.startswith('p-')]
    assert len(parts) == 2, parts
    known = ('/', '/a', '/b', '/d/2')
    for site.dir in parts:
        is_owner = _run(site, 'seen DIR URL', 0).text.startswith('seen')
        has = ('pages', 'inlinks', 'text') if is_owner else ('pages?', 'inlinks?', 'text?')
        _matrix(site, has, known if is_owner else ())
        shutil.rmtree(site.path('copy'))


def _await(port):
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(('127.0.0.1', port)) == 0:
                return
        time.sleep(0.02)
    raise AssertionError('redis-server does not answer')
