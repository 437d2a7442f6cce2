"""What a page's markup means: templates, drawings, and XHTML with prefixes."""
from answers import LEAF, links, page, reply

TEMPLATE = '<template>%s</template>'


def template_is_another_document(site):
    """nothing in a template is the page's: links, base, canonical, robots, refresh (Chromium: the same)"""
    inner = '<base href="/wrong/"><title>wrong</title><link rel="canonical" href="/wrong"><link rel=next href="/wrong">' \
            '<meta name=robots content="noindex, nofollow"><meta http-equiv=refresh content="0;url=/wrong">' \
            '<a href="/wrong">x</a><iframe src="/wrong"></iframe><form><area href=/wrong></form>'
    site.serve({'/d/': reply('<!doctype html>' + TEMPLATE % inner + '<title>right</title><base href="/b/">'
                             '<link rel=canonical href="/c">' + TEMPLATE % ('<p>' + TEMPLATE % inner + inner) + '<a href=in>x</a>'),
                '/b/in': LEAF, '/c': LEAF})
    site.audit(start='/d/').wants('/b/in', never=['/wrong', '/wrong/x', '/wrong/in'])
    line = site.line('/d/')
    assert line['canonical'].endswith('/c') and line['title'] == 'right', line
    assert 'noindex' not in line and 'nofollow' not in line, line


def template_ends(site):
    """a template ends with its own end tag only; what begins in SVG by that name is none (Chromium: the same)"""
    site.serve({'/': page('/1', '/2', '/3', '/4'),
                '/1': reply('<table><tr><template></table><td><a href=/no></td></body></html><a href=/no></template><td><a href=/in1>x'),
                '/2': reply('<svg><template><a href="/in2"></template></svg><template><svg></svg><a href=/no></template>'),
                '/3': reply('<template><script>"</template>"</script><a href=/no></template><a href=/in3>x'),
                '/4': reply('<template><style></template></style></template></template><a href=/in4><template/><a href=/no>')})
    site.crawl().wants('/in1', '/in2', '/in3', '/in4', never=['/no'])


def shadow_root(site):
    """a declarative shadow root is no template: browsers show its links"""
    site.serve({'/': reply('<!doctype html><div><template shadowrootmode="open"><a href="/in">x</a></template></div>'),
                '/in': LEAF})
    site.crawl().wants('/in')


def links_of_a_drawing(site):
    """an <a> in SVG leads where its xlink:href says, if it has no href; outside of SVG that is no link (Chromium: the same)"""
    drawing = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">' \
              '<a xlink:href="/in%d"><text>x</text></a><a href="/in%d"><text>x</text></a></svg>'
    site.serve({'/': reply(drawing % (1, 2) + '<a xlink:href="/no">x</a><a href="/drawing">x</a>'),
                '/drawing': reply('<?xml version="1.0"?>\n' + drawing % (3, 4), kind='image/svg+xml')})
    site.crawl().wants('/in1', '/in2', '/in3', '/in4', never=['/no'])


HTML = 'http://www.w3.org/1999/xhtml'


def xhtml_prefixes(site):
    """XHTML whose names have a prefix, and other names that are like HTML's (Chromium: the same)"""
    start = '<?xml version="1.0"?>\n'
    pages = {'/1': '<x:html xmlns:x="%s"><x:head><x:base href="/b/"/></x:head><x:body><x:a href="in1"/></x:body></x:html>' % HTML,
             '/2': '<doc xmlns="urn:doc"><a href="/no"/><html:p xmlns:html="%s"><html:a href="/in2"/></html:p></doc>' % HTML,
             '/3': '<html xmlns="%s" xmlns:atom="http://www.w3.org/2005/Atom"><head><atom:link rel="next" href="/no"/>'
                   '<link rel="next" href="/in3"/></head></html>' % HTML,
             '/4': '<doc xmlns="urn:doc"><h:a href="/in4" xmlns:h=\'%s\'/></doc>' % HTML,
             '/5': '<html xmlns="%s"><body><A HREF="/no"/><a Href="/no"/><a href="/in5"/></body></html>' % HTML}
    site.serve({'/': page(*pages), **{path: reply(start + text, kind='application/xhtml+xml') for path, text in pages.items()}})
    site.crawl().wants('/b/in1', '/in2', '/in3', '/in4', '/in5', never=['/no'])


def drawing(site):
    """an SVG drawing has links as a page has: <a> with href, or else xlink:href"""
    site.serve({'/': page('/1'), '/one': LEAF, '/two': LEAF, '/no': LEAF,
                '/1': reply("<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'><script/>"
                            "<image href='no'/><a xlink:href='one'><text>1</text></a><g><a href='two' xlink:href='no'/></g></svg>",
                            kind='image/svg+xml; charset=utf-8')})
    site.crawl().wants(once=['/1', '/one', '/two'], never=['/no'])


def hostile_parts(site):
    """megabytes of what may cost a scanner much: the link behind each is found, and all of them are read in seconds"""
    rows = [("<p id='", 'x' * 10, "'>"), ("<a href='", '&' * 10, "'>"), ('<', 'x' * 10, '>'), ('<p ', "x/=x y='z'", '>'), ('', '<div><svg>', '<p>'),
            ('', '<' * 10, ''), ('', '<math><mi>', '</math><p>'), ('<script><!--', '<script>--', '--></script>')]
    pages = {'/%d' % i: reply(begin + middle * 300000 + end + '<a href="/last%d">x</a>' % i) for i, (begin, middle, end) in enumerate(rows)}
    site.serve({'/': page(*pages), **pages, **{'/last%d' % i: LEAF for i in range(len(rows))}})
    site.crawl('--max-seconds', '60').wants(*['/last%d' % i for i in range(len(rows))])


def a_page_of_links_only(site):
    """100,000 links of a page are taken, and no more"""
    site.serve({'/': reply('<a href=/a>' * 99999 + '<a href=/in><a href=/out>'), '/a': LEAF, '/in': LEAF, '/out': LEAF})
    site.crawl().wants(once=['/a', '/in'], never=['/out'])
    assert site.line('/')['limit'] == 'too many links', site.line('/')
