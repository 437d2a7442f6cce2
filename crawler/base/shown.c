/* See shown.h. The guard is a stream (fopencookie) in the place of stdout or stderr: so it stands before what the C
 * library says, too (getopt_long, assert), and before commands that do not know of it. */
#include "crawler/base/shown.h"

#include "crawler/base/clip.h"
#include "crawler/base/utf8.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEQUENCE_MAX = 4, ESCAPED = 4 /* "\xNN" */ };

/* ---- a character -------------------------------------------------------------------------------------------- */

/* Bytes of the character there that is shown as it is; 0: its first byte is not. */
static size_t plain_size(const char *at, size_t left)
{
  char sequence[SEQUENCE_MAX + 1] = "";
  if ((unsigned char)*at < 0x80)
    return !utf8_is_control((unsigned char)*at);
  memcpy(sequence, at, left < SEQUENCE_MAX ? left : SEQUENCE_MAX);
  size_t size = utf8_sequence(sequence);
  return size && !utf8_is_control(utf8_code(sequence, size)) ? size : 0;
}

/* The bytes from `at` on that are shown as they are. */
static size_t plain_run(const char *at, size_t left)
{
  size_t size = 0;
  for (size_t next; size < left && (next = plain_size(at + size, left - size)); size += next)
    continue;
  return size;
}

static char *escape(unsigned char byte, char *to)
{
  static const char digits[] = "0123456789ABCDEF";
  *to++ = '\\';
  *to++ = 'x';
  *to++ = digits[byte >> 4];
  *to++ = digits[byte & 15];
  return to;
}

/* ---- a word of a line --------------------------------------------------------------------------------------- */

void shown_put_bytes(FILE *to, const char *text, size_t size)
{
  char escaped[ESCAPED];
  while (size) {
    size_t plain = plain_run(text, size);
    fwrite(text, 1, plain, to);
    text += plain;
    size -= plain;
    if (!size)
      return;
    escape((unsigned char)*text++, escaped);
    fwrite(escaped, 1, sizeof escaped, to);
    size--;
  }
}

void shown_put(FILE *to, const char *text)
{
  shown_put_bytes(to, text, strlen(text));
}

void shown_puts(const char *text)
{
  shown_put(stdout, text);
  putchar('\n');
}

char *shown_text(const char *text, char *to, size_t room)
{
  char *out = to, *end = to + room - 1;
  for (size_t left = strlen(text); left;) {
    size_t plain = plain_size(text, left), needs = plain ? plain : ESCAPED, taken = plain ? plain : 1;
    if (needs > (size_t)(end - out))
      break;
    out = plain ? mempcpy(out, text, plain) : escape((unsigned char)*text, out);
    text += taken;
    left -= taken;
  }
  *out = '\0';
  return to;
}

bool shown_differs(const char *text)
{
  size_t size = strlen(text);
  return plain_run(text, size) < size;
}

/* ---- before a terminal -------------------------------------------------------------------------------------- */

typedef struct guard {
  int fd;
  bool is_utf8;
  size_t held_size;
  char held[SEQUENCE_MAX + 1]; /* the beginning of a character whose rest is still to come */
} guard;

static guard guards[] = {{.fd = STDOUT_FILENO}, {.fd = STDERR_FILENO}};
static bool is_stdout_guarded;

/* Bytes of a sequence, as its first byte has it; CR waits to see whether LF follows. */
static size_t wanted_size(unsigned char first)
{
  return first == '\r' ? 2 : first < 0xC2 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 1;
}

static bool write_all(int fd, const char *bytes, size_t size)
{
  while (size) {
    ssize_t written = write(fd, bytes, size);
    if (written >= 0) {
      bytes += written;
      size -= (size_t)written;
    } else if (errno == EAGAIN) {
      poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

/* May what is held become more than one byte that is escaped? */
static bool is_waiting(const guard *g)
{
  for (size_t i = 1; i < g->held_size; i++)
    if (((unsigned char)g->held[i] & 0xC0) != 0x80)
      return false;
  return g->held_size && g->held_size < wanted_size((unsigned char)g->held[0]);
}

/* The first character that is held, or a byte that is part of none. */
static char *show_held(guard *g, char *out)
{
  char first = g->held[0];
  size_t plain = first == '\n' || first == '\t' ? 1 : plain_size(g->held, g->held_size), taken = plain ? plain : 1;
  bool is_shown = plain == 1 || (plain && g->is_utf8);
  if (is_shown)
    out = mempcpy(out, g->held, plain);
  else if (first != '\r' || g->held_size < 2 || g->held[1] != '\n')
    for (size_t i = 0; i < taken; i++)
      out = escape((unsigned char)g->held[i], out);
  g->held_size -= taken;
  memmove(g->held, g->held + taken, g->held_size);
  return out;
}

/* See fopencookie(3): 0 is an error. */
static ssize_t guard_write(void *cookie, const char *bytes, size_t size)
{
  enum { PIECE = 4096 };
  guard *g = cookie;
  char shown[PIECE], *out = shown;
  for (size_t i = 0; i < size; i++) {
    g->held[g->held_size++] = bytes[i];
    while (g->held_size && !is_waiting(g))
      out = show_held(g, out);
    bool is_full = out + (SEQUENCE_MAX + 1) * ESCAPED > shown + sizeof shown;
    if ((is_full || i + 1 == size) && !write_all(g->fd, shown, (size_t)(out - shown)))
      return 0;
    out = is_full ? shown : out;
  }
  return (ssize_t)size;
}

/* A character whose rest never came. */
static void end_guard(guard *g)
{
  char shown[SEQUENCE_MAX * ESCAPED], *out = shown;
  while (g->held_size)
    out = show_held(g, out);
  write_all(g->fd, shown, (size_t)(out - shown));
}

static void end_guards(void)
{
  fflush(stdout);
  for (size_t i = 0; i < sizeof guards / sizeof *guards; i++)
    end_guard(&guards[i]);
}

/* NULL: no terminal, or no memory for a guard, without which nothing is written to one. */
static FILE *open_guard(guard *g, int buffering)
{
  const cookie_io_functions_t calls = {.write = guard_write};
  if (!isatty(g->fd))
    return NULL;
  FILE *stream = fopencookie(g, "w", calls);
  if (!stream || setvbuf(stream, NULL, buffering, 0) != 0)
    abort();
  g->is_utf8 = clip_is_utf8();
  return stream;
}

void shown_guard_terminals(void)
{
  FILE *out = open_guard(&guards[0], _IOLBF), *err = open_guard(&guards[1], _IONBF);
  is_stdout_guarded = out;
  if (out)
    stdout = out;
  if (err)
    stderr = err;
  if (out || err)
    atexit(end_guards);
}

bool shown_is_guarded(void)
{
  return is_stdout_guarded;
}
