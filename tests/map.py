#!/usr/bin/env python3
"""Writes MAP.md: for each source file of the product the three cheapest contract tests that run something of it.

    cmake --preset map && ninja -C build/map && tests/map.py build/map >tests/MAP.md      some ten minutes

The preset `map` counts, by gcov, which code runs; each test of contract/ is run with counters of its own. What a killed
process ran is not seen. Cost is CPU time, of the programs that the test starts, too, as they run there."""
import concurrent.futures
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import textwrap

ARCS = 0x01a10000    # the record of a function's counters; its length is negative where all are zero
ROOMS = ('mlbf', 'frontier', 'datasets', 'crawler')
LEFT_OUT = {'slow', 'night'}
AT_ONCE = 4

# A crawl confines itself to its directory, where no counters are.
UNCONFINED = r'''
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>

long syscall(long number, ...)
{
  long (*next)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall"), words[6];
  va_list rest;
  va_start(rest, number);
  for (int i = 0; i < 6; i++)
    words[i] = va_arg(rest, long);
  va_end(rest);
  if (number < SYS_landlock_create_ruleset || number > SYS_landlock_restrict_self)
    return next(number, words[0], words[1], words[2], words[3], words[4], words[5]);
  errno = ENOSYS;
  return -1;
}
'''


def ran(path):
    """Whether a .gcda file has a counter that is not zero."""
    with open(path, 'rb') as file:
        words = file.read()
    at = 16          # magic, version, stamp, checksum
    while at + 8 <= len(words):
        tag, length = struct.unpack_from('<Ii', words, at)
        if tag == ARCS and length > 0:
            return True
        at += 8 + max(length, 0)
    return False


def source_of(path, build):
    """crawler/html/links.c of .../crawler/CMakeFiles/crawler.dir/html/links.c.gcda, or None outside the rooms."""
    found = re.fullmatch(r'(.*?)/?CMakeFiles/[^/]*\.dir/(.*)\.gcda', os.path.relpath(path, build))
    if not found:
        return None
    name = os.path.normpath(os.path.join(found[1], found[2].replace('__/', '../')))
    return name if name.split('/')[0] in ROOMS else None


def tests_of(build):
    shown = subprocess.run(['ctest', '--show-only=json-v1'], cwd=build, capture_output=True, check=True).stdout
    for test in json.loads(shown)['tests']:
        properties = {p['name']: p['value'] for p in test['properties']}
        inside = os.path.basename(test['command'][0]).startswith(('inside_', 'house_')) or 'house/' in str(test['command'])
        if not inside and not LEFT_OUT & set(properties.get('LABELS', ())):
            yield test['name'], test['command'], properties


def run(name, command, properties, build, scratch):
    """(its name, CPU seconds, source files that ran)"""
    counters = os.path.join(scratch, name)
    environment = dict(os.environ, LD_PRELOAD=os.path.join(scratch, 'unconfined.so'), TMPDIR=scratch)
    environment.update(pair.split('=', 1) for pair in properties.get('ENVIRONMENT', ()))
    environment['GCOV_PREFIX'] = counters
    child = subprocess.Popen(command, cwd=properties.get('WORKING_DIRECTORY', build), env=environment,
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, child.returncode, used = os.wait4(child.pid, 0)
    files = set()
    for directory, _, counted in os.walk(counters):
        for file in counted:
            path = os.path.join(directory, file)
            source = source_of(path[len(counters):], build)
            if source and source not in files and ran(path):
                files.add(source)
    shutil.rmtree(counters, ignore_errors=True)
    return name, used.ru_utime + used.ru_stime, files


def main():
    build = os.path.realpath(sys.argv[1])
    root = os.path.dirname(os.path.dirname(build))
    reached = {}
    with tempfile.TemporaryDirectory(dir='/dev/shm' if os.path.isdir('/dev/shm') else None) as scratch, \
            concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        subprocess.run(['cc', '-shared', '-fPIC', '-x', 'c', '-', '-o', os.path.join(scratch, 'unconfined.so')],
                       input=UNCONFINED, text=True, check=True)
        for name, cost, files in pool.map(lambda test: run(*test, build, scratch), tests_of(build)):
            print(f'{name} {cost:.2f} s, {len(files)} files', file=sys.stderr)
            for source in files:
                reached.setdefault(source, []).append((round(cost, 2), name))
    print('# Which contract tests reach a source file\n\nMade by `tests/map.py`: of the tests without the labels slow and '
          'night the three that take\nthe least CPU time, in seconds. What none of them reaches, slow ones do (the cluster, '
          'reports on papers), or no\nprogram on this processor.\n')
    listed = subprocess.run(['git', 'ls-files'] + [f'{room}/*.c' for room in ROOMS], cwd=root, capture_output=True,
                            text=True, check=True).stdout.split()
    for source in listed:
        tests = [f'{name} ({cost:.2f})' for cost, name in sorted(reached.get(source, ()))[:3]]
        print(textwrap.fill(f'- `{source}`: {", ".join(tests) or "none"}', 118, subsequent_indent='  ',
                            break_long_words=False, break_on_hyphens=False))


if __name__ == '__main__':
    main()
