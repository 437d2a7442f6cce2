"""--include and --exclude: an expression may be written after a URL as it is shown, or after its canonical form."""
import subprocess
from answers import LEAF, move, page, reply

BRACKETS = '/shop?c[]=red'  # its key: /shop?c%5B%5D=red
ESCAPED = '/%7Eann/%61'     # its key: /~ann/a


def _asked(site, *options):
    """What is asked for of a site of three pages, beside the first."""
    site.serve({'/': page(BRACKETS, ESCAPED, '/plain'), BRACKETS: LEAF, ESCAPED: LEAF, '/plain': LEAF})
    return site.crawl(*options)


def exclude_as_it_is_requested(site):
    """brackets in a query, an escaped tilde and letter, as pages.jsonl has them"""
    _asked(site, '--exclude', r'c\[\]=', '--exclude', '/%7Eann/%61$').wants('/', '/plain', never=[BRACKETS, ESCAPED])


def exclude_as_its_key(site):
    """the same by what `strata url` prints"""
    _asked(site, '--exclude', 'c%5B%5D=', '--exclude', '/~ann/a$').wants('/', '/plain', never=[BRACKETS, ESCAPED])


def include_as_it_is_requested(site):
    _asked(site, '--include', r'c\[\]=', '--include', '%7Eann').wants('/', BRACKETS, ESCAPED, never=['/plain'])


def include_as_its_key(site):
    _asked(site, '--include', 'c%5B%5D=', '--include', '/~ann/a$').wants('/', BRACKETS, ESCAPED, never=['/plain'])


def what_is_printed_excludes(site):
    """a word copied from pages.jsonl and one from `strata url`, quoted, exclude their pages in the next crawl"""
    _asked(site).wants(BRACKETS, ESCAPED)
    shown = site.line(BRACKETS)['url'].split('/', 3)[3]
    key = subprocess.run([site.program, 'url'], input=site.url(ESCAPED) + '\n', capture_output=True, text=True).stdout
    site.dir = site.path('second')
    quote = lambda text: r'\Q' + text + r'\E'
    site.crawl('--exclude', quote(shown), '--exclude', quote(key.strip())).wants('/', '/plain', never=[BRACKETS, ESCAPED])


def exclude_wins_in_either_spelling(site):
    """included as it is requested, excluded by its key"""
    _asked(site, '--include', r'c\[\]|plain', '--exclude', '%5B').wants('/', '/plain', never=[BRACKETS, ESCAPED])


def by_a_rule_of_the_profile(site):
    """the key of profile no-tracking-params lacks what --exclude names; without it the page is taken"""
    site.serve({'/': page('/a?utm_source=x', '/b?utm_source=x', '/b'), '/b': LEAF})
    site.crawl('--profile', 'no-tracking-params', '--exclude', 'utm_').wants('/', '/b', never=['/a?utm_source=x'])


def where_a_redirect_leads(site):
    site.serve({'/': page('/go'), '/go': move('/to?x[1]=2'), '/to?x[1]=2': LEAF})
    site.crawl('--exclude', r'x\[1\]').wants('/go', never=['/to?x[1]=2'])


def what_a_sitemap_lists(site):
    """the sitemap itself is named with an escape, too"""
    listed = '<urlset>%s</urlset>' % ''.join('<url><loc>%s</loc></url>' % site.url(t) for t in ('/p?y[]=1', '/q'))
    site.serve({'/robots.txt': reply('Sitemap: %s\nSitemap: %s\n' % (site.url('/%6Dap.xml'), site.url('/%6Eo.xml')), kind='text/plain'),
                '/': LEAF, '/%6Dap.xml': reply(listed, kind='application/xml'), '/p?y[]=1': LEAF, '/q': LEAF})
    site.crawl('--exclude', r'y\[\]', '--exclude', '%6Eo').wants('/%6Dap.xml', '/q', never=['/p?y[]=1', '/%6Eo.xml'])


def what_an_audit_checks(site):
    """an image, and a link to another host"""
    other = site.listen()
    site.serve({'/': reply('<img src="/i[1].png"><img src="/j.png"><a href="%s">x</a>' % site.url('/%7Ea', other)),
                '/j.png': reply('x', kind='image/png'), other: {'/%7Ea': LEAF}})
    site.audit('--exclude', r'i\[1\]', '--exclude', '%7Ea').wants('/', '/j.png', never=['/i[1].png', '/%7Ea'])
