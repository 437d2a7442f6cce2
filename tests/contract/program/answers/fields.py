"""Header fields as servers write them, and as the program sends them."""
import time

from answers import LEAF, links, page, reply


def _move(line):
    return b'HTTP/1.1 302 Found\r\nContent-Length: 0\r\n' + line + b'\r\n\r\n'


def names_with_a_blank_behind_them(site):
    """a blank or more before the colon is no part of the name (RFC 9112, 5.1; Chromium: the same)"""
    site.serve({'/': page('/1', '/2', '/3', '/4'),
                '/1': _move(b'Location : /a'), '/2': _move(b'LOCATION\t \t:/b'),
                '/3': reply(links('/c'), kind=None, fields=['Content-Type : text/html', 'X-Robots-Tag : nofollow']),
                '/4': reply(links('/d'), fields=['Link : </e>; rel="next"']),
                '/a': LEAF, '/b': LEAF, '/c': LEAF, '/d': LEAF, '/e': LEAF})
    site.crawl().wants(once=['/a', '/b', '/d', '/e'], never=['/c'])


def values_on_the_next_line(site):
    """a value goes on in lines that begin with a blank, and may begin there (RFC 9112, 5.2)"""
    site.serve({'/': page('/1', '/2', '/3'),
                '/1': _move(b'Location:\r\n /a'), '/2': _move(b'Location: /b\r\n \t'),
                '/3': reply(b'<a href="/p\xe4">x</a>', kind=None, fields=['Content-Type:\r\n text/html;\r\n\tcharset=iso-8859-1']),
                '/a': LEAF, '/b': LEAF, '/p%E4': LEAF, '/p%C3%A4': LEAF})
    site.crawl().wants(once=['/a', '/b', '/p%C3%A4'], never=['/p%E4'])


def _sent(site, *options, target='/a'):
    run = site.crawl(*options)
    return [r for r in run.requests if r.target == target][-1]


def users_fields_replace_ours(site):
    """one field of each name, and it is the user's"""
    site.serve({'/': page('/a', fields=['Set-Cookie: s=1']), '/a': LEAF})
    r = _sent(site, '--header', 'user-agent: mine', '-H', 'ACCEPT:text/html', '--header', 'Cookie: a=1', '--header',
              'Authorization: Bearer x', '--user', 'me:secret', '--cookies', site.path('none.txt', ''), '--header', 'X-More: y')
    for name, value in ('User-Agent', 'mine'), ('Accept', 'text/html'), ('Cookie', 'a=1'), ('Authorization', 'Bearer x'), ('X-More', 'y'):
        assert r.all(name) == [value], (name, r.all(name))
    assert len(r.all('Accept-Encoding')) == len(r.all('Host')) == 1, r.fields


def a_name_alone_leaves_a_field_out(site):
    """... as curl does it"""
    site.serve({'/': page('/a'), '/a': LEAF})
    r = _sent(site, '--header', 'User-Agent:', '--header', 'Accept: ')
    assert not r.all('User-Agent') and not r.all('Accept'), r.fields


def others_get_ours(site):
    """what the user gives is for the hosts of start URLs"""
    other = site.listen()
    site.serve({'/': page(site.url('/a', other)), '/a': LEAF})
    r = _sent(site, '--header', 'User-Agent: mine', '--header', 'Accept: text/html', '--scope', 'any')
    assert len(r.all('User-Agent')) == len(r.all('Accept')) == 1, r.fields
    assert 'mine' not in r.get('User-Agent') and 'xhtml' in r.get('Accept'), r.fields


def users_conditions_replace_ours(site):
    """a recrawl asks with If-None-Match; with the user's there is one"""
    site.serve({'/': reply(links(), fields=['ETag: "1"', 'Last-Modified: Tue, 07 Nov 2023 22:13:20 GMT'])})
    site.crawl('--header', 'If-None-Match: "2"')
    time.sleep(1.2)
    r = _sent(site, '--recrawl-after', '1s', '--header', 'If-None-Match: "2"', target='/')
    assert r.all('If-None-Match') == ['"2"'] and len(r.all('If-Modified-Since')) == 1, r.fields
