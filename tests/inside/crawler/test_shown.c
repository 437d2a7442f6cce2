/* Text from outside, as people see it: every character, every cut, and a terminal that gets it in any pieces. */
#include "crawler/base/message.h"
#include "crawler/base/shown.h"
#include "tests/support/test.h"
#include "tests/support/unclean.h"

#include <errno.h>
#include <pty.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

// NOLINTBEGIN(misc-misleading-bidirectional): what is tested is that they mislead nobody

static const struct row {
  const char *text, *shown;
} rows[] = {
  {"", ""},
  {"http://h/a?b=c", "http://h/a?b=c"},
  {"a\\x41", "a\\x41"},
  {"\x1b[2J\x07\x7f", "\\x1B[2J\\x07\\x7F"},
  {"one\ntwo\r\n\tthree", "one\\x0Atwo\\x0D\\x0A\\x09three"},
  {"caf\xc3\xa9 \xe6\x97\xa5 \xf0\x9f\x90\x8c", "caf\xc3\xa9 \xe6\x97\xa5 \xf0\x9f\x90\x8c"},
  {"\xc2\x9b"
   "31m",
   "\\xC2\\x9B31m"},
  {"\xc2\x80\xc2\x9f\xc2\xa0", "\\xC2\\x80\\xC2\\x9F\xc2\xa0"},
  {"\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f", "\\xD8\\x9C\\xE2\\x80\\x8E\\xE2\\x80\\x8F"},
  {"\xe2\x80\xae"
   "gpj.exe\xe2\x81\xa6",
   "\\xE2\\x80\\xAEgpj.exe\\xE2\\x81\\xA6"},
  {"\xe2\x80\xa8\xe2\x80\xa9", "\\xE2\\x80\\xA8\\xE2\\x80\\xA9"},
  {"\xe2\x80\x8d\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa", "\xe2\x80\x8d\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa"},
  {"\x9b"
   "2J\xff",
   "\\x9B2J\\xFF"},
  {"\xc0\x9b\xed\xa0\x80", "\\xC0\\x9B\\xED\\xA0\\x80"},
  {"cut \xe2\x82", "cut \\xE2\\x82"},
};

CASE(rows_of_text)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char shown[128], *put = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&put, &size);
    shown_put(to, rows[i].text);
    fclose(to);
    assert_string_equal(shown_text(rows[i].text, shown, sizeof shown), rows[i].shown);
    assert_string_equal(put, rows[i].shown);
    assert_int_equal(shown_differs(rows[i].text), strcmp(rows[i].text, rows[i].shown) != 0);
    free(put);
  }
}

/* Every code point, against a judge that shares no code. */
CASE(every_character)
{
  unsigned differing = 0;
  for (uint32_t code = 1; code <= 0x10FFFF; code++) {
    char text[5] = "", shown[32];
    if (code < 0x80) {
      text[0] = (char)code;
    } else {
      size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      uint32_t rest = code;
      for (size_t i = size - 1; i > 0; i--, rest >>= 6)
        text[i] = (char)(0x80 | (rest & 0x3F));
      text[0] = (char)(rest | (uint32_t)(size == 2 ? 0xC0 : size == 3 ? 0xE0 : 0xF0));
    }
    size_t size = strlen(text);
    bool is_line = code == '\n' || code == '\t', is_clean = first_unclean(text, size, false) == size && !is_line;
    if ((strcmp(shown_text(text, shown, sizeof shown), text) == 0) != is_clean)
      fail_msg("U+%04X is shown as %s", code, shown);
    assert_int_equal(first_unclean(shown, strlen(shown), false), strlen(shown));
    differing += !is_clean;
  }
  assert_int_equal(differing, 31 + 1 + 32 + 1 + 2 + 5 + 2 + 4 + 0x800); /* C0, DEL, C1, marks, separators, surrogates */
}

CASE(no_room)
{
  static const char text[] = "a\xc3\xa9\x1b"
                             "b";
  static const char *const cut[] = {"", "a", "a", "a\xc3\xa9", "a\xc3\xa9", "a\xc3\xa9", "a\xc3\xa9", "a\xc3\xa9\\x1B"};
  for (size_t room = 1; room <= sizeof cut / sizeof *cut; room++) {
    char *exact = malloc(room); /* so that the sanitizer sees a byte too much */
    assert_non_null(exact);
    assert_string_equal(shown_text(text, exact, room), cut[room - 1]);
    free(exact);
  }
}

/* ---- before a terminal -------------------------------------------------------------------------------------- */

/* `size` bytes at a time to stdout or stderr, then the end of the program. */
static _Noreturn void write_pieces(int terminal, const char *locale, const char *bytes, size_t left, size_t size,
                                   bool is_error)
{
  setenv("LC_ALL", locale, 1);
  if (dup2(terminal, STDOUT_FILENO) < 0 || dup2(terminal, STDERR_FILENO) < 0)
    _exit(9);
  shown_guard_terminals();
  FILE *to = is_error ? stderr : stdout;
  for (size_t taken; left; left -= taken, bytes += taken) {
    taken = left < size ? left : size;
    fwrite(bytes, 1, taken, to);
    fflush(to);
  }
  exit(0);
}

/* What such a program sent to a terminal. */
static size_t send_pieces(const char *locale, const char *bytes, size_t left, size_t size, bool is_error,
                          char came[512])
{
  int master, slave, status = -1;
  struct termios raw;
  assert_int_equal(openpty(&master, &slave, NULL, NULL, NULL), 0);
  tcgetattr(slave, &raw);
  cfmakeraw(&raw);
  tcsetattr(slave, TCSANOW, &raw);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0)
    write_pieces(slave, locale, bytes, left, size, is_error);
  assert_true(child > 0 && waitpid(child, &status, 0) == child);
  assert_int_equal(status, 0);
  assert_int_equal(write(slave, "", 1), 1); /* the end */
  size_t got = 0;
  while (!got || came[got - 1]) {
    ssize_t more = read(master, came + got, 512 - got);
    assert_true(more > 0);
    got += (size_t)more;
  }
  close(master);
  close(slave);
  return got - 1;
}

CASE(any_pieces)
{
  static const struct {
    const char *locale, *text, *shown;
  } cases[] = {
    {"C.UTF-8", "a\r\nb\tc\r\n", "a\nb\tc\n"},
    {"C.UTF-8", "lone \r end\r", "lone \\x0D end\\x0D"},
    {"C.UTF-8", "\x1b[31m caf\xc3\xa9 \xf0\x9f\x90\x8c \xc2\x9b \xe2\x80\xae",
     "\\x1B[31m caf\xc3\xa9 \xf0\x9f\x90\x8c \\xC2\\x9B \\xE2\\x80\\xAE"},
    {"C.UTF-8", "\xe2\n\xe2\x82\n\xf0\x9f\x90\xc3\xa9\xe2\x82\xac",
     "\\xE2\n\\xE2\\x82\n\\xF0\\x9F\\x90\xc3\xa9\xe2\x82\xac"},
    {"C.UTF-8", "broken off \xf0\x9f\x90", "broken off \\xF0\\x9F\\x90"},
    {"C", "caf\xc3\xa9\x9b\n", "caf\\xC3\\xA9\\x9B\n"},
    {"de_DE.ISO-8859-1", "\xdb\x9b", "\\xDB\\x9B"}, /* U+06DB: there 9B is CSI */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (size_t size = 1; size <= 16; size++)
      for (int is_error = 0; is_error < 2; is_error++) {
        char came[512];
        send_pieces(cases[i].locale, cases[i].text, strlen(cases[i].text), size, is_error, came);
        assert_string_equal(came, cases[i].shown);
      }
}

/* Only terminals have a guard: what a file gets is what was written. */
CASE(a_file_gets_every_byte)
{
  static const char bytes[] = "\x1b[2J\x9b\r\n\xe2\x80\xae\xff";
  char name[] = "/tmp/strata-shown-XXXXXX", back[64] = "";
  int file = mkstemp(name), status = -1;
  assert_true(file >= 0);
  unlink(name);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0)
    write_pieces(file, "C.UTF-8", bytes, sizeof bytes - 1, 1, false);
  assert_true(child > 0 && waitpid(child, &status, 0) == child);
  assert_int_equal(pread(file, back, sizeof back, 0), sizeof bytes - 1);
  assert_memory_equal(back, bytes, sizeof bytes - 1);
  close(file);
}
// NOLINTEND(misc-misleading-bidirectional)
