"""strata snapshot: copies that are made at the same time."""
import os

from answers import links, reply


def several_at_once(site):
    """snapshots in one second, to several names and to one: each is a crawl, or is told that the name is taken"""
    site.serve({'/': reply(links(*('/p%d' % i for i in range(60)))), **{'/p%d' % i: reply('page %d' % i) for i in range(60)}})
    crawl = site.start('crawl', '--dir', site.dir, '--allow-private', '--delay', '0.01', '--quiet', site.url('/'))
    while not os.path.exists(os.path.join(site.dir, 'pages.jsonl')):
        assert crawl.poll() is None
    names = ['a', 'b', 'one', 'one', 'one', 'one']
    copies = [site.start('snapshot', site.dir, site.path(name)) for name in names]
    said = [(name, copy.communicate()[0].decode(), copy.returncode) for name, copy in zip(names, copies)]
    crawl.communicate()
    assert [code for name, _, code in said if name != 'one'] == [0, 0], said
    codes = sorted(code for name, _, code in said if name == 'one')
    assert codes == [0, 1, 1, 1], said
    for name, text, code in said:
        assert code == 0 or 'is there already' in text, text
    for name in ('a', 'b', 'one'):
        site.run('check', site.path(name)).exits(0)
    left = [name for name in os.listdir(site.scratch.name) if '.part-' in name]
    assert not left, left
