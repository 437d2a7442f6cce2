"""strata report: what it says of a crawl or an audit, and where to."""
import os
import random
import re
import time

from answers import LEAF, move, page, reply


def _card(text, name):
    found = re.search('<b>([^<]*)</b><span>%s<' % name, text)
    return int(found.group(1).replace('&#8239;', '')) if found else 0


def a_recrawl(site):
    """after a recrawl each page counts once, is no duplicate of itself, and a 304 is an unchanged page, not a redirect"""
    texts = {'/a': 'the first', '/b': 'the second', '/c': 'the second', '/d': 'the third'}

    def answer(request):
        if request.target == '/a' and request.get('If-None-Match'):
            return b'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n'
        return reply(texts[request.target], fields=['ETag: "a"'] if request.target == '/a' else [])

    site.serve({'/': page(*texts), **{t: answer for t in texts}})
    site.crawl().exits(0)
    texts['/d'] = 'the fourth'
    time.sleep(1.1)
    site.crawl('--recrawl-after', '1s', start=()).exits(0)
    text = site.run('report', site.dir, '--out', '-').text
    assert _card(text, 'pages') == 5 and _card(text, 'redirects') == 0 and _card(text, 'unchanged') == 4, text[-3000:]
    assert 'by SHA-256 of what was decoded: 1.' in text and '5 URLs were fetched, some of them again: 10 fetches' in text
    assert re.search('<td>200</td><td>5</td>', text) and not re.search('<td>304</td>', text)


def redirects_of_an_audit(site):
    """of what redirects, chains and loops are counted, and shown before those of one hop"""
    site.serve({'/': page('/one', '/two', '/round', '/end'), '/one': move('/end'), '/two': move('/one'), '/end': LEAF,
                '/round': move('/and-back'), '/and-back': move('/round')})
    site.audit()
    text = site.run('report', site.dir, '--out', '-').text
    told = re.search('>4 URLs redirect; 1 of them over several hops, 2 in a loop, 0 over more than 20 hops', text)
    table = text[text.index('<h2>Redirects'):]
    hops = re.findall('<td>(loop|[0-9])</td>', table[:table.index('</table>')])
    assert told and sorted(hops[:3]) == ['2', 'loop', 'loop'] and hops[3] == '1', (hops, table[:2000])


def in_a_script(site):
    """the page goes into a file, whatever standard output is, and its name is printed"""
    site.serve({'/': reply('one page')})
    site.crawl().exits(0)
    run = site.run('report', site.dir)
    run.exits(0)
    path = os.path.join(site.dir, 'report.html')
    assert run.text == path + '\n', run.text[:200]
    with open(path, encoding='utf-8') as file:
        assert file.read() == site.run('report', site.dir, '--out', '-').text


def digests(site):
    """--digests: what is no page gets the digest that `strata digest` gives the same file"""
    bodies = {'/%d.bin' % i: random.Random(i).randbytes(20000) for i in range(3)}
    site.serve({'/': page(*bodies), **{t: reply(b, kind='application/octet-stream') for t, b in bodies.items()}})
    site.crawl('--digests').wants(once=bodies)
    with open(os.path.join(site.dir, 'digests.sdbf'), encoding='ascii') as file:
        kept = sorted(line.split(':sha1:')[1] for line in file)
    files = [site.path(t[1:], b) for t, b in bodies.items()]
    own = site.run('digest', *files)
    own.exits(0)
    assert kept == sorted(line.split(':sha1:')[1] for line in own.text.splitlines(True)), (kept, own.text)
