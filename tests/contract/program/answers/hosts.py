"""Hosts as links spell them: names and addresses, schemes that are no page's, references in a query; domains of many."""
import json

from answers import LEAF, page, reply


def names_that_are_no_domain_names(site):
    """an underscore, a dash first or last, digits alone but for the last label: browsers ask for all (names below localhost are 127.0.0.1)"""
    names = ['under_score', '-dash', 'dash-', '_', '42', 'a--b']
    site.serve({'/': page(*['http://%s.localhost:%d/%d' % (n, site.port, i) for i, n in enumerate(names)]),
                **{'/%d' % i: LEAF for i in range(len(names))}})
    run = site.crawl('--scope', 'any')
    run.wants(once=['/%d' % i for i in range(len(names))])
    assert {r.get('Host') for r in run.requests} >= {'%s.localhost:%d' % (n, site.port) for n in names}


def names_that_differ_in_case(site):
    """one page by upper case, an escaped letter and a full-width one"""
    site.serve({'/': page(*['http://%s:%d/p' % (n, site.port) for n in ('A.LocalHost', 'a.loc%61lhost', 'a.localhost', '\uff41.localhost')]),
                '/p': LEAF})
    run = site.crawl('--scope', 'any')
    run.wants(once=['/p'])
    assert [r.get('Host') for r in run.requests if r.target == '/p'] == ['a.localhost:%d' % site.port]


def an_address_of_four_numbers(site):
    """one page by many spellings of 127.0.0.1 (URL: IPv4 parser); 127.0.0.1.5 and 256.0.0.1 are no hosts"""
    spellings = ['127.1', '0x7f.0.0.1', '0177.0.0.01', '2130706433', '0x7f000001', '127.0.1', '127.0.0.1.', '%31%32%37.0.0.1',
                 '127.0.0.1.5', '256.0.0.1', '4294967296', '0x100000000']
    site.serve({'/': page(*['http://%s:%d/p' % (s, site.port) for s in spellings]), '/p': LEAF})
    run = site.crawl()
    run.wants(once=['/', '/p'])
    assert {r.get('Host') for r in run.requests} == {'127.0.0.1:%d' % site.port}


def an_address_of_six_words(site):
    """one page by many spellings of ::1; a mapped ::ffff:127.0.0.1 is another address"""
    port = site.listen('::1')
    spellings = ['::1', '0::1', '0:0:0:0:0:0:0:1', '::0.0.0.1', '0000:00::0001', '0:0::0:1']
    site.serve({port: {'/': page(*['http://[%s]:%d/p' % (s, port) for s in spellings], '//[::1]:%d/p' % port, '/p'), '/p': LEAF}})
    run = site.crawl(start='http://[::1]:%d/' % port)
    run.wants(once=['/', '/p'])
    assert {r.get('Host') for r in run.requests} == {'[::1]:%d' % port}


def a_name_of_two_addresses(site):
    """localhost is 127.0.0.1 and ::1; the server listens at one of them alone"""
    v6 = site.listen('::1')
    site.serve({'/': page('/a'), '/a': LEAF, v6: {'/': page('/b'), '/b': LEAF}})
    site.crawl(start='http://localhost:%d/' % site.port).wants('/', '/a')
    site.dir = site.path('second')
    site.crawl(start='http://localhost:%d/' % v6).wants('/', '/b')


def schemes_that_have_no_page(site):
    """javascript: in odd spellings, mail, phones, data, applications; http: without slashes is relative (URL: special scheme)"""
    hrefs = ['jAvAsCrIpT:go()', '\n javascript:go()', 'java&#9;script:go()', '&#2;javascript:go()', 'mailto:x@y.example', 'MailTo:x',
             'tel:+49', 'sms:1', 'data:text/html,<a href=/no>', 'whatsapp://send', 'market://details?id=1', 'about:blank', 'ftp://h/',
             'file:///etc/passwd', 'blob:http://h/1', 'view-source:http://h/', 'http:/one', 'http:two', '//']
    site.serve({'/': page(*hrefs, '/in'), **{t: LEAF for t in ('/in', '/one', '/two')}})
    site.crawl().wants(once=['/', '/in', '/one', '/two'])
    assert sorted(site.run('export', site.dir).text.split()) == sorted(site.url(t) for t in ('/', '/in', '/one', '/two'))


def references_in_a_query(site):
    """without a semicolon before = or a letter they are text (HTML: named character reference state)"""
    site.serve({'/': reply('<a href="/q?x=1&copy=2&para=3&yen4&amp5=6&uml;=7&lt8">x</a><a href=/r?a&ampb=1&amp;c=2>x</a><a href="/s?a&lt">x</a>')})
    site.crawl().wants('/q?x=1&copy=2&para=3&yen4&amp5=6%C2%A8=7&lt8', '/r?a&ampb=1&c=2', '/s?a%3C')


def a_path_in_place_of_a_host(site):
    """hosts that are none (blanks, <, an open bracket, a port of 65536) cost their links alone"""
    hrefs = ['http://a b/', 'http://a&lt;b/', 'http://[::1/', 'http://h:65536/', 'http://h:x/', 'http:///in2', 'http://%00/', 'http://xn--/']
    site.serve({'/': page(*hrefs, '/in'), '/in': LEAF})
    site.crawl().wants(once=['/', '/in'])


def a_domain_over_its_budget(site):
    """the pages of one domain's names are held when its budget is used up; a larger one lets them go, each once"""
    pages = ['/%d' % i for i in range(12)]
    site.serve({'/': page(*['http://x%d.farm.localhost:%d%s' % (i % 4, site.port, p) for i, p in enumerate(pages)]),
                **{p: LEAF for p in pages}})
    options = ('--scope', 'any', '--connections', '2', '--max-seconds', '20', '--summary', site.path('summary'))
    first = site.crawl(*options, '--domain-budget', '2')
    with open(site.path('summary'), encoding='utf-8') as file:
        summary = json.load(file)
    assert (summary['end'], summary['held']) == ('traps', 13 - len(first.asked)), summary
    assert 4 <= len(first.asked) - 1 <= 5, first.asked  # twice the budget, as one domain links to it
    second = site.crawl(*options, '--domain-budget', '100')
    second.exits(0)
    assert sorted(first.asked[1:] + second.asked) == sorted(pages), (first.asked, second.asked)


SCOPES = [
    # scope, start, what is in it, what is not
    ('host', 'http://h.example/deep/page', ['http://h.example/a/b?c', 'http://H.EXAMPLE:80/x/'],
     ['http://h.example:8080/', 'http://www.h.example/', 'http://h.example.evil.example/', 'http://evil.example/h.example']),
    ('host', 'http://h.example:8080/', ['http://h.example:8080/x'], ['http://h.example/', 'http://h.example:8081/']),
    ('prefix', 'http://h.example/docs/index.html', ['http://h.example/docs/a/b', 'http://h.example/docs/'],
     ['http://h.example/docs', 'http://h.example/docsother/', 'http://h.example/', 'http://h.example/x?/docs/']),
    ('prefix', 'http://h.example/docs/?x=/y/', ['http://h.example/docs/z'], ['http://h.example/y/']),
    ('prefix', 'http://h.example', ['http://h.example/any?x'], ['http://g.example/']),
    ('domain', 'http://www.example.co.uk/', ['http://a.b.example.co.uk:8080/x', 'http://example.co.uk./'], ['http://other.co.uk/']),
    ('domain', 'http://www.example.com/', ['http://example.com/'], ['http://notexample.com/']),
    ('domain', 'http://127.0.0.1/', ['http://127.0.0.1:81/'], ['http://126.0.0.1/']),
    ('domain', 'http://[::1]/', ['http://[::1]:81/'], ['http://[::2]/']),
    ('domain', 'http://localhost/', ['http://localhost:8080/'], ['http://evil.localhost/']),
    ('domain', 'http://a.github.io/', ['http://a.github.io/x'], ['http://b.github.io/']),
    ('any', 'http://h.example/', ['http://elsewhere.example:99/'], []),
]


def scopes(site):
    """what a scope has and has not, among links of a first run's page, and of one that a later run fetches; a proxy stands for all hosts"""
    for i, (scope, start, inside, outside) in enumerate(SCOPES):
        hub = start.split('?')[0].replace('page', '').replace('index.html', '').rstrip('/') + '/hub'
        both = [[u + ('&' if '?' in u else '~') + n for u in inside + outside] for n in 'ab']
        site.routes, site.dir = {}, site.path('crawl%d' % i)
        said = {'hub': page(*both[1]), 'start': page(hub, *both[0])}
        site.answer = lambda r: (reply('', '404 Not Found') if r.target.endswith('/robots.txt') else LEAF if '~' in r.target or '&' in r.target else
                                 said['hub' if r.target.endswith('hub') else 'start'])
        words = ['--scope', scope, '--proxy', site.url(''), '--ignore-robots']
        site.crawl(*words, '--max-pages', '1', start=start)
        asked = [t.lower() for t in site.crawl('--proxy', site.url(''), start=()).asked]
        wanted = [u.replace(':80/', '/').lower() for some in both for u in some[:len(inside)]]
        assert sorted(asked) == sorted([hub] + wanted), (scope, start, asked)
