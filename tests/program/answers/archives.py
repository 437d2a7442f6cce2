"""Archives: what --warc leaves, as a reader of web archives sees it."""
import glob
import json
import os

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
