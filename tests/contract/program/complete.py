"""What a shell makes of a line and the tab key: complete.py SHELL LINE DIRECTORY, in a terminal as a person has it.

DIRECTORY has bash's, zsh's and fish's files. Prints what stands on the terminal in the end."""
import os
import pty
import select
import sys
import time

shell, line, where = sys.argv[1:]
setup = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], f"bind 'set bell-style none'; source {where}/strata"),
    "zsh": (["zsh", "-f", "-i"], f"unsetopt beep; fpath=({where} $fpath); autoload -U compinit; compinit -u -D"),
}
words, first = setup[shell]
child, terminal = pty.fork()
if child == 0:
    os.environ.update(TERM="dumb", PS1="", COLUMNS="200")
    os.execvp(words[0], words)


def read_until(wanted, seconds):
    text, end = b"", time.monotonic() + seconds
    while time.monotonic() < end and wanted not in text:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                text += os.read(terminal, 65536)
            except OSError:
                break
    return text


os.write(terminal, (first + "; echo rea''dy\n").encode())
if b"ready" not in read_until(b"ready\r\n", 60):
    sys.exit(f"{shell} does not get ready")
# What was completed is then echoed by the shell itself, as words of a command.
os.write(terminal, ("strata() { printf 'w<%s>' \"$@\"; echo en''d; }\n" + line + "\t\n").encode())
text = read_until(b"end\r\n", 30)
sys.stdout.write(text.decode(errors="replace"))
os.close(terminal)
