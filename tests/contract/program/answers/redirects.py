"""Redirects. What a redirect leads to is asked for, in the spelling that it asks for, unless that very spelling was asked
for in this chain with the same cookies; a page stays one page."""
import time

from answers import LEAF, Skip, move, page, reply


def _one_page(site, path):
    """The page has one line, and counts as one page, whatever spellings led to it."""
    pages = [line for line in site.lines() if line.get('status') == 200 and line['url'] == site.url(path)]
    assert len(pages) == 1, '%d lines of %s' % (len(pages), path)


def plain_target(site):
    """a redirect to a page that nothing else links to (Chromium: the same)"""
    site.serve({'/': page('/old'), '/old': move('/new'), '/new': page('/found'), '/found': LEAF})
    site.crawl().wants(once=['/old', '/new', '/found'])


def many_to_one(site):
    """fifty pages of a shop that is closed lead to one page, which is fetched once"""
    gone = ['/item/%d' % i for i in range(50)]
    site.serve({'/': page(*gone), '/closed': page('/found'), '/found': LEAF, **{g: move('/closed', '302 Found') for g in gone}})
    site.crawl().wants(once=['/closed', '/found'])
    _one_page(site, '/closed')


def escapes_undone(site):
    """escapes of letters are undone: /%64ocs/%7Eann moves to /docs/~ann (Chromium: the same)"""
    site.serve({'/': page('/%64ocs/%7Eann'), '/%64ocs/%7Eann': move('/docs/~ann', '308 Permanent Redirect'),
                '/docs/~ann': page('/found'), '/found': LEAF})
    site.crawl().wants(once=['/%64ocs/%7Eann', '/docs/~ann', '/found'])
    _one_page(site, '/docs/~ann')


def escapes_made(site):
    """and the other way: /~ann moves to /%7Eann (Chromium: the same)"""
    site.serve({'/': page('/~ann'), '/~ann': move('/%7Eann'), '/%7Eann': page('/found'), '/found': LEAF})
    site.crawl().wants(once=['/%7Eann', '/found'])


def hex_case_in_query(site):
    """?q=%c3%a4 moves to ?q=%C3%A4 (Chromium: the same)"""
    site.serve({'/': page('/s?q=%c3%a4'), '/s?q=%c3%a4': move('?q=%C3%A4', '303 See Other'), '/s?q=%C3%A4': page('/found'),
                '/found': LEAF})
    site.crawl().wants(once=['/s?q=%C3%A4', '/found'])


def three_spellings_in_a_row(site):
    """one spelling after the other: %2d, %2D, - (Chromium: the same)"""
    site.serve({'/': page('/a%2db'), '/a%2db': move('/a%2Db'), '/a%2Db': move('/a-b'), '/a-b': page('/found'), '/found': LEAF})
    site.crawl().wants(once=['/a%2db', '/a%2Db', '/a-b', '/found'])


def two_spellings_in_a_circle(site):
    """two spellings that move to each other are each asked for once, and that is said to be no page"""
    site.serve({'/': page('/%7Ex'), '/%7Ex': move('/~x'), '/~x': move('/%7Ex')})
    site.crawl().wants(once=['/%7Ex', '/~x'])


def over_another_page_and_back(site):
    """/a?u=%7E moves to a page of its own, and that to /a?u=~: the chain's first key, in another spelling"""
    site.serve({'/': page('/a?u=%7E'), '/a?u=%7E': move('/check'), '/check': move('/a?u=~'), '/a?u=~': page('/found'), '/found': LEAF})
    site.crawl().wants(once=['/a?u=%7E', '/check', '/a?u=~', '/found'])


def circle_of_three(site):
    """three URLs in a circle are asked for once each"""
    site.serve({'/': page('/1'), '/1': move('/2'), '/2': move('/3'), '/3': move('/1')})
    site.crawl().wants(once=['/1', '/2', '/3'])


def long_chain(site):
    """twenty redirects are followed, not twenty-one (Fetch, "HTTP-redirect fetch", step 7)"""
    routes = {'/': page('/20/0', '/21/0')}
    for length in (20, 21):
        routes.update({'/%d/%d' % (length, i): move('/%d/%d' % (length, i + 1)) for i in range(length)})
        routes['/%d/%d' % (length, length)] = LEAF
    site.serve(routes)
    site.crawl('--per-host', '4').wants(once=['/20/20'], never=['/21/21'])


def long_chain_of_one_key(site):
    """spellings of one key without end: the chain ends after twenty"""
    names = ['/x' + ''.join('%7e' if bit == '1' else '%7E' for bit in format(n, '06b')) for n in range(64)]
    site.serve({'/': page(names[0]), **{name: move(names[n + 1 & 63]) for n, name in enumerate(names)}})
    run = site.crawl()
    assert len(run.asked) == 22, len(run.asked)  # the start, the link, and twenty redirects


def itself_once(site):
    """a page that moves to itself the first time, as a cache that is being filled (Chromium: asks again)"""
    site.serve({'/': page('/slow'), '/slow': lambda r: page('/found') if r.number > 1 else move('/slow', '307 Temporary Redirect'),
                '/found': LEAF})
    site.crawl().wants(once=['/found'])


def itself_always(site):
    """a page that moves to itself always is asked for a second time, and no more"""
    site.serve({'/': page('/me'), '/me': move('/me')})
    run = site.crawl()
    assert run.asked.count('/me') == 2, run.asked


def wall_of_cookies(site):
    """with --cookies: the same URL again, as it sets a cookie (Chromium: the same)"""
    def wall(request):
        return page('/found') if 'ok=1' in request.get('Cookie') else move('/w', '302 Found', fields=['Set-Cookie: ok=1; Path=/'])
    site.serve({'/': page('/w'), '/w': wall, '/found': LEAF})
    site.crawl('--cookies', site.path('jar', '# Netscape HTTP Cookie File\n')).wants('/w', once=['/found'])


def wall_of_cookies_elsewhere(site):
    """with --cookies: to another URL that sets the cookie, and back (Chromium: the same)"""
    def wall(request):
        return page('/found') if 'ok=1' in request.get('Cookie') else move('/set?to=w', '302 Found')
    site.serve({'/': page('/w'), '/w': wall, '/set?to=w': move('/w', '302 Found', fields=['Set-Cookie: ok=1; Path=/']), '/found': LEAF})
    site.crawl('--cookies', site.path('jar', '# Netscape HTTP Cookie File\n')).wants(once=['/set?to=w', '/found'])


def wall_of_cookies_for_its_path(site):
    """the same, where the cookie is for the path of the wall alone (Chromium: the same)"""
    def wall(request):
        return page('/found') if 'ok=1' in request.get('Cookie') else move('/set', '302 Found')
    site.serve({'/': page('/w/in'), '/w/in': wall, '/set': move('/w/in', '302 Found', fields=['Set-Cookie: ok=1; Path=/w']), '/found': LEAF})
    site.crawl('--cookies', site.path('jar', '# Netscape HTTP Cookie File\n')).wants(once=['/set', '/found'])


def wall_of_cookies_for_many(site):
    """five pages behind one wall, all asked for before its cookie is there; each leads to the wall by a URL of its own"""
    def wall(request):
        return page('/in' + request.target[2:]) if 'ok=1' in request.get('Cookie') else move('/set?to=' + request.target, '302 Found')
    names = ['/w%d' % i for i in range(5)]
    site.serve({'/': page(*names), **{n: wall for n in names}, **{'/in%d' % i: LEAF for i in range(5)},
                **{'/set?to=' + n: move(n, '302 Found', fields=['Set-Cookie: ok=1; Path=/']) for n in names}})
    site.crawl('--cookies', site.path('jar', '# Netscape HTTP Cookie File\n')).wants(once=['/in%d' % i for i in range(5)])


def wall_of_five_cookies(site):
    """a wall that sets five cookies one after the other, and moves to itself each time (Chromium: the same)"""
    def wall(request):
        n = request.get('Cookie').count('=')
        return page('/found') if n == 5 else move('/w', '302 Found', fields=['Set-Cookie: c%d=1; Path=/' % n])
    site.serve({'/': page('/w'), '/w': wall, '/found': LEAF})
    site.crawl('--cookies', site.path('jar', '# Netscape HTTP Cookie File\n')).wants(once=['/found'])


def wall_that_never_opens(site):
    """a wall that sets a new cookie each time: the chain ends after twenty redirects"""
    def wall(request):
        return move('/set', '302 Found')
    def again(request):
        return move('/w', '302 Found', fields=['Set-Cookie: n=%d; Path=/' % request.number])
    site.serve({'/': page('/w'), '/w': wall, '/set': again})
    run = site.crawl('--cookies', site.path('jar', '# Netscape HTTP Cookie File\n'))
    assert len(run.asked) <= 24, len(run.asked)


# ---- what a profile merges, servers tell apart ----


def profile_slash_added(site):
    """no-trailing-slash, and a file server that adds the slash to a directory"""
    site.serve({'/': page('/a', '/b/'), '/a': move('/a/'), '/a/': page('in'), '/a/in': LEAF, '/b/': page('in'), '/b/in': LEAF})
    site.crawl('--profile', 'no-trailing-slash').wants(once=['/a/', '/a/in', '/b/', '/b/in'])


def profile_slash_taken(site):
    """no-trailing-slash, and a server that takes it away"""
    site.serve({'/': page('/a/'), '/a/': move('/a'), '/a': page('/in'), '/in': LEAF})
    site.crawl('--profile', 'no-trailing-slash').wants(once=['/a', '/in'])


def profile_index_page(site):
    """no-index-page, and a start page that moves to /sub/index.html"""
    site.serve({'/sub/': move('index.html', '307 Temporary Redirect'), '/sub/index.html': page('/in'), '/in': LEAF})
    site.crawl('--profile', 'no-index-page', start='/sub/').wants(once=['/sub/index.html', '/in'])


def profile_index_page_taken(site):
    """no-index-page, and a server that takes it away"""
    site.serve({'/index.php': move('/'), '/': page('/in'), '/in': LEAF})
    site.crawl('--profile', 'no-index-page', start='/index.php').wants(once=['/', '/in'])


def profile_tracking_params(site):
    """no-tracking-params, and a server that takes gclid away"""
    site.serve({'/': page('/p?id=7&amp;gclid=abc'), '/p?id=7&gclid=abc': move('/p?id=7'), '/p?id=7': page('/in'), '/in': LEAF})
    site.crawl('--profile', 'no-tracking-params').wants(once=['/p?id=7', '/in'])


def profile_sort_query(site):
    """sort-query, and a server that puts parameters in the other order"""
    site.serve({'/': page('/q?a=1&amp;b=2'), '/q?a=1&b=2': move('/q?b=2&a=1'), '/q?b=2&a=1': page('/in'), '/in': LEAF})
    site.crawl('--profile', 'sort-query').wants(once=['/q?b=2&a=1', '/in'])


def profile_duplicate_slashes(site):
    """no-duplicate-slashes, and a server that insists on two"""
    site.serve({'/': page('/x/y'), '/x/y': move('/x//y'), '/x//y': page('/in'), '/in': LEAF})
    site.crawl('--profile', 'no-duplicate-slashes').wants(once=['/x//y', '/in'])


def profile_session_ids(site):
    """no-session-ids, and a server that gives each visitor one"""
    site.serve({'/': page('/p?sid=1'), '/p?sid=1': move('/p?sid=0123456789abcdef0123456789abcdef'),
                '/p?sid=0123456789abcdef0123456789abcdef': page('/in'), '/in': LEAF})
    site.crawl('--profile', 'no-session-ids').wants(once=['/p?sid=0123456789abcdef0123456789abcdef', '/in'])


def profile_www(site):
    """no-www, and a site whose www. name moves to the bare one (names below localhost are this machine)"""
    site.host = 'www.shop.localhost'
    def home(request):
        bare = 'http://shop.localhost:%d/' % site.port
        return move(bare) if request.get('Host').startswith('www.') else page('/in')
    site.serve({'/': home, '/in': LEAF})
    site.crawl('--profile', 'no-www').wants('/', once=['/in'])


def profile_https(site):
    """http=https, and a site that moves from http to https, as nearly all do: the default ports of an address of its own"""
    trust = site.use_tls()
    site.plain = {80}
    try:
        for port in (80, 443):
            site.listen('127.0.0.77', port)
    except OSError as error:
        raise Skip('port %d of 127.0.0.77: %s' % (port, error)) from error
    secure = 'https://127.0.0.77'
    site.serve({80: {'/': move(secure + '/'), '/a': move(secure + '/a')}, 443: {'/': page('http://127.0.0.77/a'), '/a': page('/in'), '/in': LEAF}})
    site.crawl('--profile', 'http=https', *trust, start='http://127.0.0.77/').wants('/', '/a', once=['/in'])


def profile_of_a_link(site):
    """no-trailing-slash: the page that a link's redirect leads to is not asked for again by a later link to it"""
    site.serve({'/': page('/a', '/later'), '/a': move('/a/'), '/a/': LEAF, '/later': page('/a/', '/a', '/a?')})
    site.crawl('--profile', 'no-trailing-slash').wants(once=['/a', '/a/', '/later'])


# ---- what is told of it ----


def one_in_link(site):
    """a page that a redirect leads to counts the links to it once"""
    site.serve({'/': page('/%7Ez'), '/%7Ez': move('/~z'), '/~z': LEAF})
    site.crawl().wants(once=['/~z'])
    lines = [line for line in site.run('inlinks', site.dir, '--top', '20').text.split('\n') if '~z' in line or '%7Ez' in line]
    assert len(lines) == 1 and lines[0].split()[0] == '1', lines


def again_after_a_crash(site):
    """a crawl that is stopped between a redirect and its page goes on with the page"""
    site.serve({'/': page('/%7Ez'), '/%7Ez': move('/~z'), '/~z': page('/found'), '/found': LEAF})
    site.crawl('--max-pages', '1').wants('/', never=['/found'])
    site.crawl(start=()).wants('/found')


def audit_of_spellings(site):
    """an audit finds no broken link where the other spelling is a page, and one where it is not"""
    site.serve({'/': page('/%7Egood', '/%7Ebad'), '/%7Egood': move('/~good'), '/~good': LEAF, '/%7Ebad': move('/~bad')})
    run = site.audit()
    run.exits(4)
    run.wants(once=['/~good'])
    broken = site.run('export', site.dir, '--broken').text
    assert '~bad' in broken or '%7Ebad' in broken, broken
    assert 'good' not in broken, broken


def audit_of_a_circle(site):
    """an audit says of two spellings that move to each other that they are a circle"""
    site.serve({'/': page('/%7Ex'), '/%7Ex': move('/~x'), '/~x': move('/%7Ex')})
    site.audit().exits(4)


def recrawled(site):
    """each recrawl asks for both spellings once, and the page is still one page"""
    site.serve({'/': page('/%7Er'), '/%7Er': move('/~r'), '/~r': reply('same')})
    site.crawl('--recrawl-after', '1s').wants(once=['/~r'])
    for _ in range(2):
        time.sleep(2.1)
        site.crawl('--recrawl-after', '1s').wants(once=['/%7Er', '/~r'])
