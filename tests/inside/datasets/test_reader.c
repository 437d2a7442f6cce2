/* datasets/read/reader.h: rows of text and what must come out, then random text cut at random places against a model.
 * */
#include "datasets/read/reader.h"
#include "tests/support/test.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a reader said of a text, as one string: "[line][line]" and " bad 3:fault,..." for comparing. */
typedef struct account {
  char *text;
  size_t size;
  FILE *stream;
} account;

static void account_open(account *to)
{
  to->stream = open_memstream(&to->text, &to->size);
  assert_non_null(to->stream);
}

static void account_line(account *to, uint64_t number, const char *line, size_t size)
{
  fprintf(to->stream, "%llu[", (unsigned long long)number);
  fwrite(line, 1, size, to->stream);
  fputc(']', to->stream);
}

static void account_bad(account *to, uint64_t number, dataset_fault fault)
{
  fprintf(to->stream, " bad %llu %s", (unsigned long long)number, dataset_fault_text(fault));
}

/* Feed `bytes` to standard input in packets of 1..cut bytes, so that every read(2) ends where a packet does. */
static pid_t feed_stdin(const char *bytes, size_t size, size_t cut, unsigned seed)
{
  int ends[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    close(ends[0]);
    for (size_t at = 0, step; at < size; at += step) {
      step = 1 + (size_t)rand_r(&seed) % cut;
      if (step > size - at)
        step = size - at;
      if (write(ends[1], bytes + at, step) != (ssize_t)step)
        _exit(1);
    }
    _exit(0);
  }
  close(ends[1]);
  assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
  close(ends[0]);
  return child;
}

static char *read_account(const char *bytes, size_t size, size_t cut, unsigned seed)
{
  pid_t child = feed_stdin(bytes, size, cut, seed);
  account heard;
  account_open(&heard);

  dataset_reader *reader = dataset_open("-");
  assert_non_null(reader);
  const char *line;
  size_t length;
  dataset_status status;
  while ((status = dataset_next(reader, &line, &length)) == DATASET_OK)
    account_line(&heard, dataset_line_number(reader), line, length);
  assert_int_equal(status, DATASET_END);
  assert_int_equal(dataset_next(reader, &line, &length), DATASET_END); /* and stays there */

  const dataset_bad *bad = dataset_bad_lines(reader);
  for (uint64_t i = 0; i < bad->count && i < DATASET_BAD_SHOWN; i++)
    account_bad(&heard, bad->first[i].line, bad->first[i].fault);
  fprintf(heard.stream, " of %llu", (unsigned long long)bad->count);
  dataset_close(reader);

  int code;
  assert_int_equal(waitpid(child, &code, 0), child);
  assert_int_equal(code, 0);
  fclose(heard.stream);
  return heard.text;
}

/* The same by the obvious way: the whole text in memory, one line after another. */
static char *model_account(const char *bytes, size_t size)
{
  account said, faults;
  account_open(&said);
  account_open(&faults);
  uint64_t bad = 0, number = 0;
  for (size_t begin = 0, end; begin < size; begin = end + 1) {
    for (end = begin; end < size && bytes[end] != '\n';)
      end++;
    number++;
    size_t length = end - begin;
    if (length > 0 && bytes[begin + length - 1] == '\r')
      length--;
    bool too_long = length > DATASET_LINE_MAX;
    if (too_long || memchr(bytes + begin, 0, length) != NULL) {
      if (bad++ < DATASET_BAD_SHOWN)
        account_bad(&faults, number, too_long ? DATASET_TOO_LONG : DATASET_HAS_NUL);
    } else if (length > 0) {
      account_line(&said, number, bytes + begin, length);
    }
  }
  fclose(faults.stream);
  fprintf(said.stream, "%s of %llu", faults.text, (unsigned long long)bad);
  free(faults.text);
  fclose(said.stream);
  return said.text;
}

#define TEXT(literal) (literal), sizeof(literal) - 1

CASE(test_rows)
{
  static const struct {
    const char *bytes;
    size_t size;
    const char *account;
  } rows[] = {
    {TEXT(""), " of 0"},
    {TEXT("\n\r\n\n"), " of 0"},
    {TEXT("http://a/\nhttp://b/\n"), "1[http://a/]2[http://b/] of 0"},
    {TEXT("http://a/\r\nhttp://b/"), "1[http://a/]2[http://b/] of 0"},
    {TEXT("a\n\nb\n"), "1[a]3[b] of 0"},
    {TEXT("a\r\r\n\r"), "1[a\r] of 0"},
    {TEXT(" a b \n\xff\xfe\t\n"), "1[ a b ]2[\xff\xfe\t] of 0"},
    {TEXT("\xEF\xBB\xBFhttp://a/\n\xEF\xBB\xBFx\n"), "1[http://a/]2[\xEF\xBB\xBFx] of 0"},
    {TEXT("a\nb\0c\nd\n"), "1[a]3[d] bad 2 holds a NUL byte of 1"},
    {TEXT("\0\n\0\n\0\n\0\n\0\n\0\n\0"),
     " bad 1 holds a NUL byte bad 2 holds a NUL byte bad 3 holds a NUL byte bad 4 holds a NUL byte"
     " bad 5 holds a NUL byte of 7"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    for (size_t cut = 1; cut < 6; cut++) {
      char *heard = read_account(rows[i].bytes, rows[i].size, cut, 7);
      assert_string_equal(heard, rows[i].account);
      free(heard);
    }
}

/* Lines around the limit, with both line ends, and one of 1 MB between two good ones. */
CASE(test_long_lines)
{
  static const int around[] = {-1, 0, 1, 2, 3, 1000000};
  for (size_t i = 0; i < sizeof around / sizeof around[0]; i++)
    for (int ending = 0; ending < 3; ending++) {
      size_t length = DATASET_LINE_MAX + (size_t)around[i];
      char *text;
      size_t size;
      FILE *stream = open_memstream(&text, &size);
      fputs("before\n", stream);
      for (size_t j = 0; j < length; j++)
        fputc('a' + (int)(j % 26), stream);
      fputs(ending == 0 ? "" : ending == 1 ? "\nafter" : "\r\nafter\n", stream);
      fclose(stream);

      char *heard = read_account(text, size, 60000, 1 + (unsigned)i), *model = model_account(text, size);
      assert_string_equal(heard, model);
      assert_int_equal(strstr(heard, "bad 2 is longer than 65536 bytes of 1") != NULL, around[i] > 0);
      free(heard);
      free(model);
      free(text);
    }
}

CASE(test_random_texts_cut_anywhere)
{
  static const char alphabet[] = "ab/:\r\r\n\n\n\0%\xEF";
  for (unsigned seed = 1; seed <= 300; seed++) {
    unsigned dice = seed;
    char bytes[600];
    size_t size = (size_t)rand_r(&dice) % sizeof bytes;
    for (size_t i = 0; i < size; i++)
      bytes[i] = alphabet[(size_t)rand_r(&dice) % (sizeof alphabet - 1)];
    char *heard = read_account(bytes, size, 1 + seed % 97, seed), *model = model_account(bytes, size);
    if (strcmp(heard, model) != 0)
      fail_msg("seed %u: heard %s, the model says %s", seed, heard, model);
    free(heard);
    free(model);
  }
}

CASE(test_refused_rows_are_counted)
{
  pid_t child = feed_stdin(TEXT("good\nmailto:x\ngood\n"), 100, 1);
  dataset_reader *reader = dataset_open("-");
  const char *line;
  size_t size;
  while (dataset_next(reader, &line, &size) == DATASET_OK)
    if (size != 4)
      dataset_refuse(reader, DATASET_REFUSED);
  assert_int_equal(dataset_bad_lines(reader)->count, 1);
  assert_int_equal(dataset_bad_lines(reader)->first[0].line, 2);
  assert_int_equal(dataset_bad_lines(reader)->first[0].fault, DATASET_REFUSED);
  dataset_close(reader);
  waitpid(child, NULL, 0);
}

CASE(test_files_that_cannot_be_read)
{
  assert_null(dataset_open("/nonexistent/list"));
  assert_int_equal(errno, ENOENT);

  dataset_reader *reader = dataset_open("/"); /* a directory opens, and refuses to be read */
  assert_non_null(reader);
  const char *line = "untouched";
  size_t size = 9;
  assert_int_equal(dataset_next(reader, &line, &size), DATASET_IO);
  assert_int_equal(errno, EISDIR);
  assert_string_equal(line, "untouched");
  dataset_close(reader);
  dataset_close(NULL);
}

/* Refuses each read once. */
static bool refuse_first(void *context, int file)
{
  unsigned *calls = context;
  assert_int_equal(file, STDIN_FILENO);
  errno = ECANCELED;
  return ++*calls % 2 == 0;
}

/* Packets of at most 8 bytes, and the end. */
CASE(test_reads_are_announced)
{
  static const char bytes[] = "http:/a\nhttp:/b\nhttp:/c\n";
  unsigned calls = 0, lines = 0;
  pid_t child = feed_stdin(bytes, sizeof bytes - 1, 8, 0);
  dataset_reader *reader = dataset_open("-");
  assert_non_null(reader);
  dataset_before_read(reader, refuse_first, &calls);
  const char *line;
  size_t length;
  for (dataset_status status; (status = dataset_next(reader, &line, &length)) != DATASET_END;)
    if (status == DATASET_OK)
      lines++;
    else
      assert_true(status == DATASET_IO && errno == ECANCELED && calls % 2 == 1);
  assert_int_equal(lines, 3);
  assert_true(calls >= 8);
  dataset_close(reader);
  assert_int_equal(waitpid(child, NULL, 0), child);
}
