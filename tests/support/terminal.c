/* See terminal.h. */
#include "tests/support/terminal.h"

#include "tests/site/process.h"

#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

/* ---- a terminal --------------------------------------------------------------------------------------------- */

/* Passes bytes on as they are; its end for the program is the file `path`. */
static void open_terminal(int *master, int *slave, char path[64])
{
  struct termios raw;
  if (openpty(master, slave, path, NULL, NULL) != 0 || tcgetattr(*slave, &raw) != 0) {
    perror("openpty");
    abort();
  }
  cfmakeraw(&raw);
  tcsetattr(*slave, TCSANOW, &raw);
}

/* Until the program has ended and nothing is left. */
static void read_all(int master, pid_t pid, text *came)
{
  char piece[4096];
  for (double end = process_clock() + PROCESS_SECONDS_MAX; process_clock() < end;) {
    bool has_ended = process_has_ended(pid);
    struct pollfd ready = {.fd = master, .events = POLLIN};
    if (poll(&ready, 1, has_ended ? 0 : 2) == 0) {
      if (has_ended)
        return;
      continue;
    }
    ssize_t got = read(master, piece, sizeof piece);
    if (got <= 0)
      return;
    text_add_bytes(came, piece, (size_t)got);
  }
}

int terminal_run(const char *const argv[], const char *in, text *came)
{
  int master, slave;
  char path[64];
  process_end end;
  open_terminal(&master, &slave, path);
  pid_t pid = process_start(argv, &(process_files){.in = in, .out = path, .err = path});
  read_all(master, pid, came); /* `slave` stays open: what was sent is not lost when the program ends */
  bool in_time = process_wait(pid, &end);
  close(master);
  close(slave);
  return in_time ? end.code : -1;
}

/* ---- what came ---------------------------------------------------------------------------------------------- */

/* Bytes of the panel's own there; 0: none. */
static size_t panel_bytes(const char *at)
{
  static const char *const fixed[] = {"\033[K", "\033[J", "\033[1m", "\033[31m", "\033[90m", "\033[0m", "\r"};
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
    if (strncmp(at, fixed[i], strlen(fixed[i])) == 0)
      return strlen(fixed[i]);
  size_t digits = strncmp(at, "\033[", 2) == 0 ? strspn(at + 2, "0123456789") : 0;
  return digits && at[2 + digits] == 'A' ? 2 + digits + 1 : 0;
}

void terminal_drop_panel(text *came)
{
  size_t kept = 0;
  for (size_t i = 0; i < came->size;) {
    size_t own = panel_bytes(came->bytes + i);
    if (!own)
      came->bytes[kept++] = came->bytes[i++];
    i += own;
  }
  came->size = kept;
  if (came->bytes)
    came->bytes[kept] = '\0';
}
