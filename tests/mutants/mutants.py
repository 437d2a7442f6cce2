#!/usr/bin/env python3
"""Plants one bug at a time, and looks whether the tests of the contract find it.

    mutants.py DIRECTORY [NAME...]     all mutants, or those named (mlbf-doubled, frontier-early ...)

A mutant stands in tests/mutants/ROOM.patch: a line `=== ROOM-NAME`, a sentence that tells what is broken, lines
`Found-by: TEST [CASE]`, the cheapest first, and a patch of the product. DIRECTORY gets a copy of the tracked files, built with the preset check. The named tests
have to pass there. Then each patch is applied, what its tests run is built, and the tests run until one fails: the bug is
found. A patch that does not apply or does not compile is an error. Found mutants are remembered by a hash of the tree and
the patch, so that a run that was stopped goes on where it was. Exit 1 if a bug is missed or could not be planted."""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


class Mutant:
    def __init__(self, name, text):
        self.name, self.text = name, text
        self.hash = hashlib.sha256(text.encode()).hexdigest()
        self.finders = [tuple((line + ' ').split(' ')[:2]) for line in re.findall(r'(?m)^Found-by: (.+)$', text)]
        self.files = re.findall(r'(?m)^\+\+\+ b/(\S+)', text)
        if not self.finders or not self.files:
            sys.exit('%s: no Found-by, or no file' % name)


def all_mutants():
    for path in sorted(name for name in os.listdir(HERE) if name.endswith('.patch')):
        with open(os.path.join(HERE, path), encoding='utf-8') as file:
            parts = re.split(r'(?m)^=== (\S+)\n', file.read())
        yield from (Mutant(*part) for part in zip(parts[1::2], parts[2::2]))


class Tree:
    """A copy of the tracked files in which bugs are planted, and its build."""

    def __init__(self, directory):
        self.path = os.path.join(directory, 'tree')
        self.build = os.path.join(self.path, 'build', 'check')
        self.log = os.path.join(directory, 'log')
        self.patch = os.path.join(directory, 'patch')
        # Seeds that no commit chooses: a mutant that was found is found again.
        self.env = dict(os.environ, CCACHE_BASEDIR=self.path, CCACHE_NOHASHDIR='1', STRATA_COMMIT='1')
        self.env.pop('STRATA_NIGHT', None)
        self.hash = self.copy()
        if not os.path.exists(os.path.join(self.build, 'build.ninja')):
            self.run('cmake', '--preset', 'check') or sys.exit('cmake fails, see ' + self.log)
        self.run('ninja', '-C', self.build) or sys.exit('the tree does not build, see ' + self.log)
        words = ['ctest', '--test-dir', self.build, '--show-only=json-v1']
        listed = json.loads(subprocess.check_output(words, env=self.env))['tests']
        self.commands = {test['name']: test.get('command', []) for test in listed}

    def chosen(self, test, case):
        """The contract's tests of that name. A case in C is a test of ctest's, FILE.CASE; those in Python are one test, and
        STRATA_TEST chooses."""
        return [name for name, words in self.commands.items() if '/tests/inside_' not in ''.join(words[:1])
                and (name in (test, test + '.' + case) or (not case and name.startswith(test + '.')))]

    def copy(self):
        """Makes the copy equal to the tracked files; returns a hash of all but the mutants."""
        names = subprocess.check_output(['git', '-C', ROOT, 'ls-files', '-z'], text=True).split('\0')
        names = sorted(name for name in names if os.path.isfile(os.path.join(ROOT, name)))
        total = hashlib.sha256()
        for name in names:
            with open(os.path.join(ROOT, name), 'rb') as file:
                content = file.read()
            self.put(name, content)
            if not name.startswith('tests/mutants/'):
                total.update(('%s %d\n' % (name, len(content))).encode() + content)
        kept = set(names)
        for parent, directories, files in os.walk(self.path):
            if parent == self.path and 'build' in directories:
                directories.remove('build')
            for name in files:
                path = os.path.join(parent, name)
                if os.path.relpath(path, self.path) not in kept:
                    os.remove(path)
        return total.hexdigest()

    def put(self, name, content):
        """A file that differs gets a new time, so that what is made of it is made again."""
        path = os.path.join(self.path, name)
        if os.path.isfile(path):
            with open(path, 'rb') as file:
                if file.read() == content:
                    return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as file:
            file.write(content)
        shutil.copymode(os.path.join(ROOT, name), path)

    def take_back(self, names):
        for name in names:
            with open(os.path.join(ROOT, name), 'rb') as file:
                self.put(name, file.read())

    def run(self, *words, **more_env):
        with open(self.log, 'ab') as log:
            log.write(('\n$ %s\n' % ' '.join(words)).encode())
            log.flush()
            return subprocess.run(words, cwd=self.path, env=dict(self.env, **more_env), stdout=log,
                                  stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False).returncode == 0

    def make(self, finders):
        """Builds what the tests run: the words of their commands that lie in the build."""
        targets = {os.path.relpath(word, self.build) for finder in finders for test in self.chosen(*finder)
                   for word in self.commands[test] if word.startswith(self.build + os.sep) and not os.path.isdir(word)}
        return self.run('ninja', '-C', self.build, *sorted(targets))

    def passes(self, test, case):
        """A test that is skipped has not passed: it could find nothing."""
        env = {'STRATA_TEST': case} if case else {}
        pattern = '^(%s)$' % '|'.join(re.escape(name) for name in self.chosen(test, case))
        began = os.path.getsize(self.log)
        if not self.run('ctest', '--test-dir', self.build, '--output-on-failure', '-R', pattern, **env):
            return False
        with open(self.log, encoding='utf-8', errors='replace') as log:
            log.seek(began)
            return '***Skipped' not in log.read()


class Memory:
    """What is known of this tree: a line for each."""

    def __init__(self, path, tree_hash):
        self.path = path
        self.tree_hash = tree_hash
        self.known = {}
        if os.path.exists(path):
            with open(path, encoding='utf-8') as file:
                for line in file:
                    key, _, value = line.rstrip('\n').partition('\t')
                    self.known[key] = value

    def key(self, *words):
        return hashlib.sha256('\n'.join([self.tree_hash, *words]).encode()).hexdigest()

    def get(self, *words):
        return self.known.get(self.key(*words))

    def keep(self, value, *words):
        with open(self.path, 'a', encoding='utf-8') as file:
            file.write('%s\t%s\n' % (self.key(*words), value))
        return value


def red_without_mutant(tree, memory, mutants):
    """The named tests that are not there, or do not pass in the tree as it is."""
    finders = sorted({finder for mutant in mutants if not memory.get(mutant.hash) for finder in mutant.finders})
    red = {finder for finder in finders if not tree.chosen(*finder)}
    for finder in finders:
        if finder in red or memory.get(*finder):
            continue
        if tree.passes(*finder) or tree.passes(*finder):
            memory.keep('passes', *finder)
        else:
            red.add(finder)
    return red


def hunt(tree, mutant, red):
    """`found by` a test, or why not."""
    for finder in mutant.finders:
        if finder in red:
            return 'does not pass without it: ' + ' '.join(finder).strip()
    with open(tree.patch, 'w', encoding='utf-8') as file:
        file.write(mutant.text)
    if not tree.run('patch', '-p1', '--fuzz=0', '--no-backup-if-mismatch', '-r', '-', '-i', tree.patch):
        return 'does not apply'
    if not tree.make(mutant.finders):
        return 'does not compile'
    for test, case in mutant.finders:
        if not tree.passes(test, case):
            return 'found by ' + ' '.join([test, case]).strip()
    return 'missed'


def main(words):
    if not words:
        sys.exit(__doc__)
    directory = os.path.abspath(words[0])
    os.makedirs(os.path.join(directory, 'tree'), exist_ok=True)
    mutants = [mutant for mutant in all_mutants() if mutant.name in words[1:] or not words[1:]]
    unknown = set(words[1:]) - {mutant.name for mutant in mutants}
    if unknown:
        sys.exit('there is no mutant %s' % ' '.join(sorted(unknown)))
    tree = Tree(directory)
    memory = Memory(os.path.join(directory, 'known'), tree.hash)
    red = red_without_mutant(tree, memory, mutants)
    bad, room = [], None
    for mutant in mutants:
        told = memory.get(mutant.hash)
        if not told:
            began = time.monotonic()
            try:
                told = hunt(tree, mutant, red)
            finally:
                tree.take_back(mutant.files)
            told = '%-50s %4.0f s' % (told, time.monotonic() - began)
            if told.startswith('found'):
                memory.keep(told, mutant.hash)
        if not told.startswith('found'):
            bad.append(mutant.name)
        if room != mutant.name.partition('-')[0]:
            room = mutant.name.partition('-')[0]
            print(room)
        print('  %-36s %s' % (mutant.name, told), flush=True)
    print('%d of %d found%s' % (len(mutants) - len(bad), len(mutants), '; not: ' + ' '.join(bad) if bad else ''))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
