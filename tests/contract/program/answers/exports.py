"""strata export: what waits for a reader holds nothing back, and a sitemap has the pages that did not change."""
import fcntl
import os
import subprocess
import time

from answers import links, page, reply

PAGES = 4000


def _tree(request):
    """Targets /p0, /p1, ...: each links to eight more, and there are far more of them than are fetched."""
    if request.target == '/robots.txt':
        return reply('', '404 Not Found')
    number = int(request.target[2:]) if request.target.startswith('/p') else 0
    return reply(links(*('/p%d' % (8 * number + k) for k in range(1, 9) if 8 * number + k < 40000)))


def _start_unread(site, *words):
    """A command whose output is a pipe that nobody reads yet, with little room in it."""
    reading, writing = os.pipe()
    fcntl.fcntl(writing, 1031, 4096)  # F_SETPIPE_SZ
    process = subprocess.Popen([site.program, *words], stdout=writing, stderr=subprocess.DEVNULL, cwd=site.scratch.name)
    os.close(writing)
    return process, reading


def _pages(site):
    try:
        return len(site.lines())
    except (OSError, ValueError):  # not there yet, or in the middle of a line
        return 0


def _crawl(site, *commands):
    """KiB of data.mdb after a crawl of PAGES pages, whether each command still waited then, and what it printed."""
    site.answer = _tree
    crawl = site.start('crawl', '--dir', site.dir, '--allow-private', '--delay', '0', '--quiet', '--no-similar',
                       '--per-host', '8', '--max-pages', str(PAGES), site.url('/'))
    while _pages(site) < 500:
        assert crawl.poll() is None, 'the crawl has ended: %s' % crawl.communicate()[0].decode()
        time.sleep(0.05)
    started = [_start_unread(site, command[0], site.dir, *command[1:]) for command in commands]
    text, _ = crawl.communicate()
    assert crawl.returncode == 0, text.decode()
    waited = [process.poll() is None for process, _ in started]
    printed = []
    for process, reading in started:
        with os.fdopen(reading, 'rb') as file:
            printed.append(file.read())
        assert process.wait() == 0
    return os.path.getsize(os.path.join(site.dir, 'frontier', 'data.mdb')) // 1024, waited, printed


def a_reader_that_waits(site):
    """data.mdb grows no more while an export waits for its reader than without one; what it prints then is whole"""
    exports = [('export', *more) for more in ((), ('--format', 'jsonl'), ('--state', 'queued'), ('--state', 'done', '--format', 'jsonl'))]
    size, waited, printed = _crawl(site, *exports)
    assert waited[0] and waited[1], 'the exports did not wait: %s' % waited
    assert size < 7000, 'data.mdb has %d KiB' % size
    for text in printed:
        lines = text.splitlines()
        assert text.endswith(b'\n') and len(lines) > 300 and all(b'http://' in line for line in lines)


def pages_that_did_not_change(site):
    """a page for which a recrawl got 304 stands in the sitemap as before"""
    site.serve({'/': page('/a'), '/a': lambda request: reply('', '304 Not Modified') if request.get('If-None-Match')
                else reply('<p>a', fields=['ETag: "a"'])})
    site.crawl().exits(0)
    before = site.run('export', site.dir, '--format', 'sitemap').text.count('</loc>')
    time.sleep(1.1)
    site.crawl('--recrawl-after', '1s', start=()).exits(0)
    assert site.line('/a')['status'] == 304, site.line('/a')
    assert before == site.run('export', site.dir, '--format', 'sitemap').text.count('</loc>') == 2
