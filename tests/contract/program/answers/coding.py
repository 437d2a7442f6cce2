"""Content codings: what a body says is read as browsers read it, and a name that is no coding changes nothing. What
Chromium 150 and later do with the same bytes is said where it was asked."""
import gzip
import zlib

from answers import LEAF, Cut, links, move, page, reply


def _coded(body, *fields, **more):
    return reply(body, fields=['Content-Encoding: ' + f for f in fields], **more)


def _plain(*hrefs):
    return links(*hrefs).encode()


def _raw(data):
    z = zlib.compressobj(9, zlib.DEFLATED, -15)
    return z.compress(data) + z.flush()


def no_coding(site):
    """names that are no coding, alone or beside one: the bytes are the page (Fetch; Chromium: the same)"""
    names = ['UTF8', 'none', 'application/gzip', 'pack200-gzip', 'gzip, iso-8859-1', 'chunked, gzip', 'compress', 'gzip;q=1.0']
    site.serve({'/': page(*['/%d' % i for i in range(len(names))])})
    site.serve({'/%d' % i: _coded(_plain('/in%d' % i), name) for i, name in enumerate(names)})
    site.crawl().wants(*['/in%d' % i for i in range(len(names))])


def no_coding_everywhere(site):
    """a server that says "Content-Encoding: none" of everything: its robots.txt, its sitemap, its redirects"""
    none = ['Content-Encoding: none']
    loc = '<urlset><url><loc>%s</loc></url></urlset>' % site.url('/listed')
    site.serve({'/robots.txt': reply('User-agent: *\nDisallow: /private\nSitemap: %s\n' % site.url('/map.xml'), kind='text/plain', fields=none),
                '/map.xml': reply(loc, kind='application/xml', fields=none), '/listed': LEAF,
                '/': page('/old', '/private/x', fields=none), '/old': move('/new', fields=none), '/new': LEAF})
    site.crawl().wants('/listed', '/new', never=['/private/x'])


def several_codings(site):
    """several codings, in a field or in two, are undone last first; identity and empty members are nothing"""
    inner = _plain('/both')
    site.serve({'/': page('/1', '/2', '/3', '/4', '/5'), '/1': _coded(gzip.compress(zlib.compress(inner)), 'deflate, gzip'),
                '/2': _coded(gzip.compress(_raw(_plain('/two'))), 'deflate', 'x-gzip'),
                '/3': _coded(gzip.compress(_plain('/three')), 'identity,, GZIP ,'),
                '/4': _coded(_plain('/four'), 'Identity'),
                '/5': _coded(gzip.compress(gzip.compress(gzip.compress(_plain('/five')))), 'gzip, gzip', 'gzip')})
    site.crawl().wants('/both', '/two', '/three', '/four', '/five')


def too_many_codings(site):
    """more than five codings are a limit, and named as one; the crawl goes on"""
    body = _plain('/in')
    for _ in range(6):
        body = gzip.compress(body)
    site.serve({'/': page('/six', '/leaf'), '/six': _coded(body, ', '.join(['gzip'] * 6)), '/leaf': LEAF})
    site.crawl().wants('/leaf', never=['/in'])
    assert site.line('/six')['reason'] == 'too many content codings', site.line('/six')


def forms_of_deflate(site):
    """deflate with zlib's head, without it, with gzip's, and each with bytes behind its end (Chromium: the same, but gzip's)"""
    forms = [zlib.compress(_plain('/in0')), _raw(_plain('/in1')), gzip.compress(_plain('/in2')),
             zlib.compress(_plain('/in3')) + b'\n', _raw(_plain('/in4')) + b'<!-- x -->']
    site.serve({'/': page(*['/%d' % i for i in range(len(forms))])})
    site.serve({'/%d' % i: _coded(form, 'deflate') for i, form in enumerate(forms)})
    site.crawl().wants(*['/in%d' % i for i in range(len(forms))])
    assert not any('truncated' in line for line in site.lines())


def behind_the_end(site):
    """bytes behind the end of gzip: a line's end, zeros, another page in plain text, another coding (Chromium: ignored)"""
    tails = [b'\r\n', bytes(70000), _plain('/no') * 2000, zlib.compress(_plain('/no')), b'\x1f', b'\x1f\x8b\x08\x00\xff']
    site.serve({'/': page(*['/%d' % i for i in range(len(tails))])})
    site.serve({'/%d' % i: _coded(gzip.compress(_plain('/in%d' % i)) + tail, 'gzip') for i, tail in enumerate(tails)})
    site.crawl().wants(*['/in%d' % i for i in range(len(tails))], never=['/no'])
    for i in range(len(tails)):
        line = site.line('/%d' % i)
        assert line['outcome'] == 'done' and 'truncated' not in line, line


def length_that_counts_on(site):
    """gzip that ends although Content-Length promises more: the page is whole by its coding, and asked for once"""
    coded = gzip.compress(_plain('/in'))
    head = b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n'
    site.serve({'/': page('/long'), '/long': Cut(head % (len(coded) + 2) + coded), '/in': LEAF})
    site.crawl().wants('/in', once=['/long'])
    assert 'truncated' not in site.line('/long')


def members(site):
    """many gzip members are one body (RFC 1952, 2.2; Chromium reads the first), an empty one among them"""
    parts = [_plain('/m%d' % i) for i in range(5)]
    body = gzip.compress(parts[0]) + gzip.compress(b'') + b''.join(gzip.compress(p) for p in parts[1:])
    site.serve({'/': page('/many'), '/many': _coded(body, 'gzip')})
    site.crawl().wants(*['/m%d' % i for i in range(5)])
    assert site.line('/many')['body_bytes'] == sum(map(len, parts))


def a_million_members(site):
    """megabytes of empty members cost no more time than their bytes"""
    body = gzip.compress(b'', mtime=0) * 400000 + gzip.compress(_plain('/in'))
    site.serve({'/': page('/many'), '/many': _coded(body, 'gzip'), '/in': LEAF})
    site.crawl('--max-seconds', '20').wants('/in')


def cut_or_broken(site):
    """gzip that was cut, or breaks, in the middle: what came before is used, and the page is marked (Chromium: the same)"""
    text = _plain('/in') + str(list(range(30000))).encode()
    coded = gzip.compress(text)
    half = len(coded) // 2
    site.serve({'/': page('/cut', '/broken', '/short', '/sum'), '/cut': _coded(coded[:half], 'gzip'),
                '/broken': _coded(coded[:half] + b'\xff' * 2000 + coded[half:], 'gzip'),
                '/short': _coded(gzip.compress(_plain('/in2'))[:-8], 'gzip'),
                '/sum': _coded(gzip.compress(_plain('/in3'))[:-8] + b'\0' * 4 + b'\1' * 4, 'gzip')})
    site.crawl().wants('/in', '/in2', '/in3', once=['/cut', '/broken', '/short', '/sum'])
    for path in ('/cut', '/broken'):
        line = site.line(path)
        assert line['outcome'] == 'done' and line['truncated'] and line['limit'] == 'damaged', line
        assert 1000 < line['body_bytes'] < len(text), line
    for path in ('/short', '/sum'):  # all of the page is there
        assert 'truncated' not in site.line(path), site.line(path)


def plain_as_gzip(site):
    """plain text announced as gzip is nothing that can be read (Chromium: an empty page), and says so"""
    site.serve({'/': page('/plain'), '/plain': _coded(_plain('/in'), 'gzip')})
    site.crawl().wants(never=['/in'], once=['/plain'])
    line = site.line('/plain')
    assert line['error'] == 'encoding' and 'coded' in line['reason'], line


def robots_and_sitemap(site):
    """robots.txt and a sitemap in gzip with bytes behind the end, and of several members; a .gz file that is sent in gzip, too"""
    def loc(path):
        return '<urlset><url><loc>%s</loc></url></urlset>' % site.url(path)
    rules = ('User-agent: *\nDisallow: /a\n', 'Disallow: /b\nSitemap: %s\nSitemap: %s\n' % (site.url('/1.xml'), site.url('/2.xml.gz')))
    site.serve({'/robots.txt': _coded(b''.join(gzip.compress(r.encode()) for r in rules) + bytes(9), 'gzip', kind='text/plain'),
                '/1.xml': _coded(gzip.compress(loc('/one').encode()) + b'\n\n', 'gzip', kind='text/xml'),
                '/2.xml.gz': _coded(gzip.compress(gzip.compress(loc('/two').encode()) + bytes(3)) + b'!', 'gzip', kind='application/x-gzip'),
                '/': page('/a', '/b', '/c'), '/c': LEAF})
    site.crawl().wants('/one', '/two', '/c', never=['/a', '/b'])


def stored_and_shown(site):
    """`strata show` undoes what the crawl undid, of responses stored as they came"""
    text = _plain('/x')
    bodies = {'/two': _coded(gzip.compress(zlib.compress(text)), 'deflate', 'gzip'),
              '/tail': _coded(gzip.compress(text) + bytes(100), 'gzip'), '/none': _coded(text, 'utf-8'),
              '/parts': _coded(gzip.compress(text[:20]) + gzip.compress(text[20:]), 'gzip'),
              '/folded': _coded(gzip.compress(text), '\r\n gzip'), '/list': _coded(gzip.compress(zlib.compress(text)), 'deflate,\r\n\tgzip')}
    site.serve({'/': page(*bodies), **bodies})
    site.crawl('--warc')
    for path in bodies:
        shown = site.run('show', site.dir, site.url(path))
        shown.exits(0)
        assert shown.text == text.decode(), (path, shown.text)
