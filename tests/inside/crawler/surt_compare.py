#!/usr/bin/env python3
"""Compares our index keys with those of the Python package `surt`, where it can be imported; run by hand.

    surt_compare.py INDEX.cdxj...         the lines of indexes that `strata crawl --warc` wrote
    surt_compare.py TEST_SURT LIST...     URLs, one a line, or in the third field where there are tabs: TEST_SURT is the
                                          built test program, which prints our keys

Prints each difference, and exits 1 if more than 1 in 10,000 keys differ."""
import json
import subprocess
import sys

try:
    import surt
except ImportError:
    sys.exit('the package `surt` is not installed')


def rows_of_index(path):
    with open(path, 'rb') as file:
        for line in file:
            key, _, fields = line.split(b' ', 2)
            yield json.loads(fields)['url'].encode(), key


def rows_of_lists(program, paths):
    urls = []
    for path in paths:
        with open(path, 'rb') as file:
            fields = (line.rstrip(b'\n').split(b'\t') for line in file)
            urls += [f[2 if len(f) > 2 else 0] for f in fields]
    urls = [u for u in urls if u.startswith((b'http://', b'https://'))]
    keys = subprocess.run([program, '-'], input=b'\n'.join(urls) + b'\n', stdout=subprocess.PIPE, check=True).stdout
    return zip(urls, keys.split(b'\n'))


def main(words):
    if not words:
        sys.exit(__doc__)
    is_index = words[0].endswith(('.cdxj', '.cdxj.part'))
    rows = [r for path in words for r in rows_of_index(path)] if is_index else list(rows_of_lists(words[0], words[1:]))
    different = [(url, key, surt.surt(url)) for url, key in rows if surt.surt(url) != key]
    for row in different:
        print('%s\n  ours %s\n  surt %s' % tuple(text.decode(errors='replace') for text in row))
    print('%d of %d keys differ' % (len(different), len(rows)))
    return len(different) * 10000 > len(rows)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
