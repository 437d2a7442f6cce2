"""Directories that may not be read: each command says so, in one sentence."""
import os
import shutil
import subprocess

from answers import page, reply

NOBODY = 65534


def _run(site, *words):
    """The program as somebody who is not root."""
    program = site.path('strata')
    if not os.path.exists(program):
        shutil.copy(site.program, program)
        os.chmod(site.scratch.name, 0o755)
        os.chmod(program, 0o755)
    as_nobody = dict(user=NOBODY, group=NOBODY, extra_groups=[]) if os.geteuid() == 0 else {}
    return subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                          cwd=site.scratch.name, **as_nobody)


def a_crawl_of_somebody_else(site):
    """who may not look into a crawl's directory is told that, and not that there is no crawl"""
    site.serve({'/': page('/a'), '/a': reply('a text of some words, ' * 50)})
    site.crawl('--warc').exits(0)
    site.path('draft.txt', 'a text of some words, ' * 50)
    for closed in ('', 'contents'):
        os.chmod(os.path.join(site.dir, closed), 0)
        commands = [('like', 'draft.txt'), ('stat',), ('export',), ('report',), ('show', site.url('/a'))]
        for name, *more in commands[:1 if closed else None]:
            run = _run(site, name, site.dir, *more)
            lines = run.stderr.splitlines()
            assert run.returncode == 1 and not run.stdout, (name, run)
            assert len(lines) == 1 and 'Permission denied' in lines[0] and 'not the directory of a crawl' not in lines[0], (name, lines)
        os.chmod(os.path.join(site.dir, closed), 0o755)


def a_file_to_compare(site):
    """nor is a directory, or what may not be read, a file without text"""
    site.serve({'/': reply('a text of some words, ' * 50)})
    site.crawl().exits(0)
    os.chmod(site.path('draft.txt', 'text'), 0)
    for name, said in (('draft.txt', 'Permission denied'), ('.', 'Is a directory'), ('none', 'No such file')):
        run = _run(site, 'like', site.dir, name)
        assert run.returncode == 1 and run.stderr.count('\n') == 1 and name in run.stderr and said in run.stderr, run
