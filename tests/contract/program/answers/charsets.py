"""What a page is written in: said by its header, by itself, late, or not at all.

The Encoding standard and HTML (13.2.3) are the judges. Chromium hears a late <meta> in the head only; a page that says
nothing is windows-1252 to it, also if it is UTF-8. There the crawl is wiser, and pages.jsonl says what it took."""
from answers import LEAF, links, page, reply

ZHE = b'\xe6'          # in windows-1251
ZHE_SENT = '%D0%B6'    # as it is asked for
LATE = '<meta charset="windows-1251">'


def _page(*parts):
    return b'<!doctype html>' + b''.join(p.encode() if isinstance(p, str) else p for p in parts)


def _link(path):
    return b'<p><a href="' + path + b'">x</a></p>'


def late_meta(site):
    """a <meta> behind kilobytes of script, styles, comments in the head changes the charset (Chromium: the same)"""
    long = {'/1': '<head><script>%s</script>' % ('x();' * 2500), '/2': '<head><style>%s</style>' % ('p{}' * 5000),
            '/3': '<head><!-- %s -->' % ('\n' * 50000), '/4': '<head>' + '<link rel=x href=y>' * 400}
    pages = {path: reply(_page(head, LATE, '</head>', _link(path.encode() + ZHE)), kind='text/html') for path, head in long.items()}
    pages['/5'] = reply(_page('<script>%s</script>' % ('x' * 9000), '<META content="text/html; charset=cp1251" Http-Equiv=Content-Type>',
                              _link(b'/5' + ZHE)), kind='text/html')
    site.serve({'/': page(*pages), **pages})
    site.crawl().wants(*[path + ZHE_SENT for path in pages])
    assert site.line('/1')['charset'] == 'windows-1251', site.line('/1')


def late_meta_behind_links(site):
    """what came before the late <meta>, links and title, is read again: the page has one charset (Chromium: the same in the head)"""
    site.serve({'/': reply(_page('<title>', ZHE, '</title>', '<link rel=next href="/b', ZHE, '">', '<!-- x -->' * 1000, LATE,
                                 _link(b'/a' + ZHE), _link(b'/s?q=' + ZHE)), kind='text/html')})
    site.audit().wants('/a' + ZHE_SENT, '/b' + ZHE_SENT, '/s?q=%E6')
    line = site.line('/')
    assert line['title'] == '\u0436' and line['charset'] == 'windows-1251' and line['links'] == 3, line


def meta_that_is_none(site):
    """the first <meta> that a look at the bytes finds stands in a script: the page's own counts (Chromium: the same)"""
    site.serve({'/': reply(_page('<script>var s = "<meta charset=koi8-r>";</script>', LATE, _link(b'/a' + ZHE)), kind='text/html')})
    site.crawl().wants('/a' + ZHE_SENT)


def head_wins(site):
    """a charset in Content-Type is not changed by any <meta>, nor is a byte order mark's (Chromium: the same)"""
    site.serve({'/': page('/1', '/2'),
                '/1': reply(_page('<!-- -->' * 1000, '<meta charset=koi8-r>', _link(b'/a' + ZHE)), kind='text/html; charset=cp1251'),
                '/2': reply(b'\xef\xbb\xbf' + _page('<!-- -->' * 1000, LATE, _link(b'/b\xd0\xb6')), kind='text/html')})
    site.crawl().wants('/a' + ZHE_SENT, '/b' + ZHE_SENT)


def says_nothing(site):
    """no charset anywhere: windows-1252, also with its quotes and dashes, in path and query (Chromium: the same)"""
    site.serve({'/': reply(_page('<title>\u2013</title>'.encode('cp1252'), _link('/na\u00efve\u2019s'.encode('cp1252')),
                                 _link('/s?q=\u20ac'.encode('cp1252'))), kind='text/html')})
    site.crawl().wants('/na%C3%AFve%E2%80%99s', '/s?q=%80')
    assert site.line('/')['charset'] == 'windows-1252', site.line('/')


def says_nothing_late(site):
    """... and its first letter that is not ASCII comes after 100 kB (Chromium: the same)"""
    site.serve({'/': reply(_page('<p>x</p>\n' * 12000, _link(b'/caf\xe9')), kind='text/html')})
    site.crawl().wants('/caf%C3%A9')


def says_nothing_and_is_utf8(site):
    """no charset anywhere, UTF-8: it is read as that, to its end, also if a byte far behind is none"""
    site.serve({'/': page('/1', '/2'),
                '/1': reply(_page('<p>\u00e9</p>', _link('/caf\u00e9'.encode()), _link('/s?q=\u00e9'.encode())), kind='text/html'),
                '/2': reply(_page(_link('/\u0436'.encode()), '<p>x</p>\n' * 12000, _link(b'/b\xe9'), _link('/z\u00e9'.encode())),
                            kind='text/html')})
    site.crawl().wants('/caf%C3%A9', '/s?q=%C3%A9', '/%D0%B6', '/b%EF%BF%BD', '/z%C3%A9')
    assert site.line('/1')['charset'] == 'UTF-8', site.line('/1')


def utf8_with_faults(site):
    """UTF-8 by its label with bytes that are none: one U+FFFD for each, or for what could have become a character"""
    rows = {b'/a\xff\xfe': '/a%EF%BF%BD%EF%BF%BD', b'/b\xe2\x82x': '/b%EF%BF%BDx', b'/c\xf0\x9f\x98': '/c%EF%BF%BD',
            b'/d\xc0\xaf': '/d%EF%BF%BD%EF%BF%BD', b'/e\xed\xa0\x80': '/e' + '%EF%BF%BD' * 3, b'/f?\xe9': '/f?%EF%BF%BD'}
    site.serve({'/': reply(_page(*map(_link, rows)), kind='text/html; charset=utf-8')})
    site.crawl().wants(*rows.values())


def xml_is_utf8(site):
    """XHTML without a declaration is UTF-8, whatever a <meta> in it says (Chromium: the same)"""
    text = '<html xmlns="http://www.w3.org/1999/xhtml"><head><meta charset="koi8-r"/></head><body><a href="/\u0436">x</a></body></html>'
    site.serve({'/': page('/1'), '/1': reply(text, kind='application/xhtml+xml')})
    site.crawl().wants('/' + ZHE_SENT)
