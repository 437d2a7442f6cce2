"""Lists of URLs: what `strata generate-urls` makes, what `strata replay` reads, and what it says of papers. No network."""
import csv
import ctypes
import gzip
import lzma
import os
import re
import subprocess

from answers import Skip

SAMPLES = os.path.join(os.path.dirname(__file__), '../../../../datasets/samples')
KINDS = {  # name of a sample: what it is called, its URLs, and rows that are none
    'id2url.link': ('id table', 8, 0), 'SogouT-link': ('SogouT-link', 10, 1), 'SogouQ2008.gb18030.txt': ('SogouQ 2008', 6, 0),
    'SogouQ2012.gb18030.txt': ('SogouQ 2012', 6, 0), 'news_sohusite_xml.dat': ('Sogou news', 4, 0),
    'pages.001': ('SogouT pages', 4, 0), 'index.cdx': ('CDX,', 4, 0), 'index.cdxj': ('CDXJ', 4, 0),
    'crawl.log': ('Heritrix', 4, 0), 'plain.txt': ('table, the URL is in column 3 of 3', 5, 1)}


def _zstd(data):
    try:
        library = ctypes.CDLL('libzstd.so.1')
    except OSError as error:
        raise Skip('no libzstd.so.1') from error
    room = ctypes.create_string_buffer(len(data) + 1000)
    library.ZSTD_compress.restype = ctypes.c_size_t
    size = library.ZSTD_compress(room, ctypes.c_size_t(len(room)), data, ctypes.c_size_t(len(data)), 3)
    return room.raw[:size]


def _replay(site, *words):
    return site.run('replay', '--out', site.path('out'), '--queries', '1000', *words)


def _results(site):
    with open(site.path('out/results.csv'), encoding='utf-8') as file:
        return list(csv.DictReader(file))


def _read_samples(site, compression, pack):
    ids = os.path.join(SAMPLES, 'id2url.link')
    names = []
    for name in KINDS:
        with open(os.path.join(SAMPLES, name), 'rb') as file:
            names.append(site.path('sample-%s' % name, pack(file.read())))
    run = _replay(site, '--ids', ids, '--n', '5', '--protocol', 'fresh', '--filters', 'exact', *names)
    for name, (kind, urls, bad) in KINDS.items():
        said = [line for line in run.text.split('\n') if 'sample-%s: ' % name in line]
        assert kind in said[0] and 'compression: %s;' % compression in said[0], said
        count = '%d URLs, %d bad row%s' % (urls, bad, '' if bad == 1 else 's')
        assert any(line.endswith(count) for line in said), (count, said)


def every_format(site):
    """each format of a published list is told by its content, and all of its URLs are read"""
    _read_samples(site, 'none', bytes)


def compressed_with_gzip(site):
    """the same lists, compressed"""
    _read_samples(site, 'gzip', gzip.compress)


def compressed_with_xz(site):
    """the same lists, compressed"""
    _read_samples(site, 'xz', lzma.compress)


def compressed_with_zstd(site):
    """the same lists, compressed"""
    _read_samples(site, 'zstd', _zstd)


def column_of_the_urls(site):
    """in a table the column that parses, wherever it is, of two the last; a rank, a title and a number are no URLs"""
    rows = {'http://a.example/x\t1\nhttps://b.example/y\t2\n': (1, 2, ['a.example/x', 'b.example/y']),
            '1\thttp://a.example/\tThe a.b story\n': (2, 3, ['a.example/']),
            '1\thttp://a.example/\treadme.txt\n': (2, 3, ['a.example/']),
            'http://a.example/\thttp://b.example/\n': (2, 2, ['b.example/']),
            '1,a.example\n2,b.example\n': (2, 2, ['a.example/', 'b.example/']),
            '"1","a.example","x, y"\n"2","b.example",""\n': (2, 3, ['a.example/', 'b.example/']),
            '1,"http://a.example/x,y"\n': (2, 2, ['a.example/x,y']),
            'http://a.example/x 7\nhttp://b.example/y 8\n': (1, 2, ['a.example/x', 'b.example/y'])}
    names = [site.path('table-%d' % i, text) for i, text in enumerate(rows)]
    text = _replay(site, '--n', '1', '--protocol', 'fresh', '--filters', 'exact', *names).text
    for name, (column, columns, urls) in zip(names, rows.values()):
        said = '%s: table, the URL is in column %d of %d; compression: none; the first keys:\n  //%s\n' % (
            name, column, columns, '\n  //'.join(urls))
        assert said in text, (said, text)


def bad_rows(site):
    """rows that have no URL are counted, and the first five shown by their lines, empty ones counted"""
    row = '00:00:00\t1\t[a]\t1 1\t%s\n'
    log = site.path('log', row % 'a.example/' + 'torn\n\n' + row % '' + '1\n2\n3\n4\n' + row % 'b.example/')
    text = _replay(site, '--format', 'sogouq', '--n', '1', '--protocol', 'fresh', '--filters', 'exact', log).text
    assert [int(n) for n in re.findall(r'log: line (\d+) ', text)] == [2, 4, 5, 6, 7], text
    assert '%s: 2 URLs, 6 bad rows\n' % log in text, text


def generated(site):
    """a generated list has each URL once, and the same bytes on every machine"""
    for count in (1, 10, 4097, 200000):
        urls = site.run('generate-urls', '--n', str(count), '--seed', '42').text.split('\n')
        assert len(urls) == count + 1 and len(set(urls)) == len(urls), count
    process = subprocess.Popen([site.program, 'generate-urls', '--n', '1000000', '--seed', '1'], stdout=subprocess.PIPE)
    first = [process.stdout.readline().decode() for _ in range(3)]
    process.stdout.close()
    process.wait()
    assert first == ['http://www.rata-317.example/hosopene/fobori/niregili-104/famaje/daga/nole.html\n',
                     'https://www.viza-10919.example/pira/fotagami-6.php\n',
                     'https://www.fadime-9855.example/rijigo/zeleje/davahara-10.php\n'], first


def _generate(site, count):
    return site.path('list', site.run('generate-urls', '--n', str(count), '--seed', '5').text)


def wrong_answers(site):
    """an exact set gives no wrong answer; a filter all of whose bits are set gives one for each key that was not inserted"""
    _replay(site, '--n', '2000', '--m', '64', '--filters', 'bloom-paper,exact', _generate(site, 3000))
    wrong = {(r['protocol'], r['filter']): int(r['false_positives']) for r in _results(site) if r['false_negatives'] == '0'}
    assert len(wrong) == 8 * 2, wrong
    assert not any(count for (_, kind), count in wrong.items() if kind == 'exact'), wrong
    strange = ('fresh', 'permuted', 'repeated', 'prefix', 'newhost')
    assert [wrong[name, 'bloom-paper'] for name in strange] == [1000] * 5, wrong


def verdicts(site):
    """of a short list no claim of the paper is judged; of a longer one it is, with the interval"""
    claims = ('Far fewer false positives', 'The false-positive rate is f^L', 'Insertion takes', 'A query takes')
    words = ('--m', '65536', '--protocol', 'paper,fresh', '--filters', 'bloom-paper,mlbf-paper')
    short = _replay(site, '--n', '6', *words, _generate(site, 8)).text
    for claim in claims:
        assert re.search(r'\ntoo few to tell  %s' % re.escape(claim), short), (claim, short)
    with open(site.path('out/report.html'), encoding='utf-8') as file:
        assert 'class="few">too few to tell<' in file.read()
    long = site.run('replay', '--out', site.path('out'), '--n', '20000', *words, _generate(site, 30000)).text
    assert re.search(r'\nholds +Far fewer false positives .*\(99.9 %: [0-9.]+ to [0-9.]+\)', long), long
    assert re.search(r'\nfails +The false-positive rate is f\^L .*\(95 %: [0-9.]+ to [0-9.]+\)', long), long


def of_a_paper(site):
    """the report on a paper opens with what is reproduced, off, or not reproducible, and why"""
    site.run('replay', '--paper', 'skip', '--rounds', '2', '--out', site.path('out')).exits(0)
    with open(site.path('out/report.html'), encoding='utf-8') as file:
        section = file.read().split('<h2>', 1)[1]
    opening = section.split('</table>')[0]
    assert re.search(r'>Verdict</th>.*>Why</th>', opening), opening
    for verdict in ('reproduced', 'off', 'not reproducible'):
        assert re.search(r'<td data-label="Verdict"[^>]*>%s</td><td data-label="Why">[^<]' % verdict, opening), (verdict, opening)
