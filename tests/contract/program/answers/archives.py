"""Archives: what --warc leaves, as a reader of web archives sees it."""
import glob
import gzip
import json
import os
import signal
import time

from answers import LEAF, page, reply

SESSION = '0123456789abcdefghijklmnopqrstuv'


def _index(site):
    """The lines of all sorted indexes: (key, time, fields)."""
    rows = []
    for path in sorted(glob.glob(os.path.join(site.dir, 'pages-*.cdxj'))):
        with open(path, 'rb') as file:
            lines = file.read().splitlines()
        assert lines == sorted(lines), 'not sorted by its bytes: %s' % path
        rows += [(key.decode(), time.decode(), json.loads(fields))
                 for key, time, fields in (line.split(b' ', 2) for line in lines)]
    return rows


def _keys(site, paths, host):
    """Each of `paths` (target: path and query of its key) has that key."""
    site.serve({'/': page(*(p.replace('&', '&amp;') for p in paths))})
    site.serve({p: reply('leaf ' + p) for p in paths})
    site.crawl('--warc').exits(0)
    found = {'/' + fields['url'].split('/', 3)[3]: key for key, _, fields in _index(site)}
    wrong = ['%s: %s, not %s' % (p, found.get(p), host + k) for p, k in paths.items() if found.get(p) != host + k]
    assert not wrong, '; '.join(wrong)


def keys_of_an_address(site):
    """keys as pywb computes them (package surt): an IPv4 address is reversed, escapes go until none is left, then once on"""
    _keys(site, {'/a%2Fb%2fc': '/a/b/c', '/q?v=%2525': '/q?v=%25', '/p//q///r/': '/p/q/r', '/Caf%C3%A9': '/caf%c3%a9',
                 '/x%3Fy': '/x?y', '/d%2F..%2Fe': '/e', '/a%20b': '/a%20b', '/r?next=%2Fa%3Fb%3D1%26c%3D2': '/r?c=2&next=/a?b=1',
                 '/t?': '/t', '/n?b&b=&b=2&a-c=1&a=9': '/n?a=9&a-c=1&b&b=&b=2'}, '1,0,0,127:%d)' % site.port)


def keys_of_a_name(site):
    """a name's labels are reversed; session ids are taken out of queries, and of ASP.NET's paths"""
    site.host = 'localhost'
    _keys(site, {'/s?PHPSESSID=%s&b=1' % SESSION: '/s?b=1', '/s?b=2&jsessionid=%s' % SESSION: '/s?&b=2',
                 '/(S(%s))/page.aspx' % SESSION[:24]: '/page.aspx', '/s;jsessionid=%s' % SESSION: '/s;jsessionid=' + SESSION,
                 '/c?cfid=1&cftoken=2&z': '/c?z', '/c?sid=short': '/c?sid=short'}, 'localhost:%d)' % site.port)


def keys_of_a_subdomain(site):
    """labels are reversed; www and www2 are left out, and a label that only begins so is not"""
    for host, key in (('www.a.localhost', 'localhost,a'), ('www2.b.localhost', 'localhost,b'),
                      ('wwwc.localhost', 'localhost,wwwc')):
        site.host = host
        _keys(site, {'/of-' + host: '/of-' + host}, '%s:%d)' % (key, site.port))


def two_urls_with_one_key(site):
    """pages that differ in case, in order or in a session have one key; each is still shown as itself"""
    targets = ['/Page?a=1&b=2', '/page?a=1&b=2', '/page?b=2&a=1', '/page?a=1&b=2&sid=' + SESSION]
    site.serve({'/': page(*(t.replace('&', '&amp;') for t in targets)), **{t: reply('this is ' + t) for t in targets}})
    site.crawl('--warc').exits(0)
    keys = [key for key, _, fields in _index(site) if fields['url'] != site.url('/')]
    assert len(keys) == 4 and len({k.replace('?&', '?') for k in keys}) == 1, keys
    for target in targets:
        run = site.run('show', site.dir, site.url(target))
        run.exits(0)
        assert run.text == 'this is ' + target, '%s is shown as %r' % (target, run.text)


# ---- revisits ---------------------------------------------------------------------------------------------------------


def _records(site):
    """The captures of all files in their order: dicts of their WARC fields, with `file`, `status` and `block`."""
    found = []
    for path in sorted(glob.glob(os.path.join(site.dir, 'pages-*.warc.gz'))):
        with gzip.open(path) as file:
            left = file.read()
        while left:
            head, _, left = left.partition(b'\r\n\r\n')
            first, *lines = head.decode().split('\r\n')
            assert first == 'WARC/1.1', first
            record = dict(line.split(': ', 1) for line in lines)
            size = int(record['Content-Length'])
            assert left[size:size + 4] == b'\r\n\r\n', 'the block of a record does not end where it should'
            record.update(file=os.path.basename(path), block=left[:size])
            left = left[size + 4:]
            if record['WARC-Type'] in ('response', 'revisit'):
                record['status'] = record['block'].split(b' ', 2)[1].decode()
                found.append(record)
    return found


def _refers(site, record, profile):
    """The record that `record` refers to, which has a payload."""
    assert record['WARC-Type'] == 'revisit' and record['WARC-Profile'].endswith('/warc/1.1/revisit/' + profile), record
    named = [r for r in _records(site) if r['WARC-Target-URI'] == record['WARC-Refers-To-Target-URI']
             and r['WARC-Date'] == record['WARC-Refers-To-Date']]
    assert len(named) == 1, '%d records are referred to' % len(named)
    assert named[0]['WARC-Type'] == 'response' and named[0]['WARC-Record-ID'] == record['WARC-Refers-To'], named
    assert named[0]['WARC-Payload-Digest'] == record['WARC-Payload-Digest']
    return named[0]


def _again(site, *options):
    """A recrawl of every page."""
    time.sleep(1.1)
    return site.crawl('--warc', '--recrawl-after', '1s', *options, start=())


def _shows(site, target, text):
    run = site.run('show', site.dir, site.url(target))
    assert run.code == 0 and run.text == text, '%s is shown as %r' % (target, run.text)


def _lines(site, target):
    """Status, mime and digest of a target's lines in the index, in order of time."""
    rows = sorted((stamp, f['status'], f['mime'], f['digest']) for _, stamp, f in _index(site) if f['url'] == site.url(target))
    return [row[1:] for row in rows]


def _validated(body, etag):
    """A page that is not modified for whom names its ETag."""
    def answer(request):
        if request.get('If-None-Match') == etag:
            return b'HTTP/1.1 304 Not Modified\r\nETag: ' + etag.encode() + b'\r\nX-Round: 2\r\n\r\n'
        return reply(body, fields=['ETag: ' + etag])
    return answer


def not_modified(site):
    """a 304 is a revisit (WARC 1.1, 6.7.3: server-not-modified) of the capture whose ETag was named; show has its body"""
    site.serve({'/': page('/a', '/b'), '/a': _validated('the page a', '"1"'), '/b': _validated('', '"2"')})
    site.crawl('--warc').exits(0)
    for _ in range(2):  # the third crawl's 304 is of the same capture, not of the second's
        _again(site).exits(0)
    for target in ('/a', '/b'):
        first, *others = [r for r in _records(site) if r['WARC-Target-URI'] == site.url(target)]
        assert first['status'] == '200' and [r['status'] for r in others] == ['304', '304'], others
        for record in others:
            assert _refers(site, record, 'server-not-modified') == first
            assert b'X-Round: 2' in record['block']
        digest = first['WARC-Payload-Digest']
        assert _lines(site, target) == [('200', 'text/html', digest)] + 2 * [('304', 'warc/revisit', digest)], _lines(site, target)
    _shows(site, '/a', 'the page a')


def not_modified_of_a_copy(site):
    """a 304 of a page whose body another URL had first refers to that one's record, as the page's own revisit did"""
    site.serve({'/': page('/first', '/later'), '/first': reply('one body ' * 9), '/later': _validated('one body ' * 9, '"1"')})
    site.crawl('--warc', '--per-host', '1').exits(0)
    _again(site).exits(0)
    first, *_ = [r for r in _records(site) if r['WARC-Target-URI'] == site.url('/first')]
    own, last = [r for r in _records(site) if r['WARC-Target-URI'] == site.url('/later')]
    assert _refers(site, own, 'identical-payload-digest') == first and _refers(site, last, 'server-not-modified') == first
    _shows(site, '/later', 'one body ' * 9)


def not_modified_of_what_is_not_stored(site):
    """a 304 of a page whose body is in no file, or is not the one stored: a revisit that refers to nothing"""
    page_2 = {'body': 'first', 'etag': '"1"'}
    site.serve({'/': page('/a', '/b'), '/a': _validated('a', '"a"'), '/b': lambda r: _validated(page_2['body'], page_2['etag'])(r)})
    site.crawl('--warc', '--exclude', '/a').exits(0)  # /b is stored
    page_2.update(body='second', etag='"2"')
    time.sleep(1.1)
    site.crawl('--no-warc', '--recrawl-after', '1s').exits(0)  # its second body is not, nor is /a
    _again(site).exits(0)
    records = _records(site)
    last = [r for r in records if r['status'] == '304']
    assert {r['WARC-Target-URI'] for r in last} >= {site.url('/b')}, last
    for record in last:
        assert record['WARC-Type'] == 'revisit' and record['WARC-Profile'].endswith('server-not-modified')
        assert 'WARC-Refers-To-Date' not in record and 'WARC-Payload-Digest' not in record, record
    assert _lines(site, '/b')[-1] == ('304', 'warc/revisit', '-'), _lines(site, '/b')
    run = site.run('show', site.dir, site.url('/b'))
    run.exits(1)
    run.says('none to refer to')


def unchanged_bodies(site):
    """a recrawl, and a file that was begun later, refer to bodies stored before; a changed one is stored, and can be shown"""
    texts = {'/same': 'same ' * 2000, '/other': 'once', '/empty': ''}
    site.serve({'/': page('/same', '/other', '/empty', '/copy')})
    site.serve({t: (lambda r: reply(texts[r.target])) for t in texts})
    site.serve({'/copy': lambda r: reply(texts['/same'])})
    site.crawl('--warc', '--warc-size', '1').exits(0)  # a file a fetch
    texts['/other'] = 'changed'
    _again(site, '--warc-size', '1').exits(0)
    records = _records(site)
    assert len({r['file'] for r in records}) > 8
    for target in ('/same', '/copy'):
        _shows(site, target, texts['/same'])
    of_same = [r for r in records if r['WARC-Target-URI'] in (site.url('/same'), site.url('/copy'))]
    assert [r['WARC-Type'] for r in of_same] == ['response'] + 3 * ['revisit'], of_same
    for record in of_same[1:]:
        assert _refers(site, record, 'identical-payload-digest') == of_same[0]
    assert [r['WARC-Type'] for r in records if r['WARC-Target-URI'] == site.url('/other')] == 2 * ['response']
    assert [r['WARC-Type'] for r in records if r['WARC-Target-URI'] == site.url('/empty')] == 2 * ['response']
    _shows(site, '/other', 'changed')


def a_file_that_was_moved_away(site):
    """what is in a file that is no longer there is stored again"""
    site.serve({'/': page('/same'), '/same': reply('same ' * 500)})
    site.crawl('--warc').exits(0)
    os.remove(os.path.join(site.dir, 'pages-00001.warc.gz'))
    _again(site).exits(0)
    assert [r['WARC-Type'] for r in _records(site)] == 2 * ['response']
    _shows(site, '/same', 'same ' * 500)


def killed_while_it_recrawls(site):
    """after kill -9 no revisit refers to a record that was cut off"""
    hrefs = ['/p%d' % i for i in range(120)]
    text = {t: 'text of %s ' % t * 50 for t in hrefs}
    site.serve({'/': page(*hrefs)})
    site.serve({t: lambda r: reply(text[r.target] if r.target[-1] < '5' else text['/p%d' % (int(r.target[2:]) // 10 * 10)])
                for t in hrefs})
    site.crawl('--warc', '--max-pages', '40', '--per-host', '4')
    for kill in range(6):
        time.sleep(1.1 if kill == 3 else 0)
        process = site.start('crawl', '--dir', site.dir, '--allow-private', '--delay', '0', '--quiet', '--warc',
                             '--warc-size', '3000', '--per-host', '4', '--recrawl-after', '1s' if kill >= 3 else '1h')
        time.sleep(0.05 + 0.03 * kill)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    site.crawl('--warc', '--recrawl-after', '1h', start=()).exits(0)
    revisits = [r for r in _records(site) if r['WARC-Type'] == 'revisit']
    assert len(revisits) > 10, len(revisits)
    for record in revisits:
        _refers(site, record, 'identical-payload-digest')
