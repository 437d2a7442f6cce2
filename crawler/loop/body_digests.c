/* See body_digests.h. */
#include "crawler/loop/body_digests.h"

#include "crawler/base/crawl_dir.h"
#include "crawler/base/message.h"
#include "mlbf/digest.h"
#include "frontier/base/own_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct body_digests {
  char path[CRAWL_PATH_SIZE];
  int file;
  off_t end;          /* of the lines that are whole */
  atomic_size_t held; /* bytes of all copies, which come on several threads */
  char message[CRAWL_PATH_SIZE + 128];
};

/* ---- the file -------------------------------------------------------------------------------------------- */

/* Behind the last line feed; -1: it cannot be read. */
static off_t end_of_lines(int file)
{
  char piece[4096];
  off_t end = lseek(file, 0, SEEK_END);
  while (end > 0) {
    off_t begin = end > (off_t)sizeof piece ? end - (off_t)sizeof piece : 0;
    if (pread(file, piece, (size_t)(end - begin), begin) != end - begin)
      return -1;
    const char *feed = memrchr(piece, '\n', (size_t)(end - begin));
    if (feed)
      return begin + (feed - piece) + 1;
    end = begin;
  }
  return end;
}

body_digests *body_digests_open(const char *directory)
{
  body_digests *b = calloc(1, sizeof *b);
  if (!b) {
    say_error("crawl", "out of memory");
    return NULL;
  }
  crawl_dir_file(directory, "digests.sdbf", b->path);
  b->file = own_file_open(b->path, O_RDWR | O_CREAT, 0666);
  b->end = b->file >= 0 ? end_of_lines(b->file) : -1;
  if (b->end >= 0 && ftruncate(b->file, b->end) == 0)
    return b;
  say_error("crawl", "%s: %s", b->path, own_file_words(errno));
  body_digests_close(b);
  return NULL;
}

void body_digests_close(body_digests *b)
{
  if (!b)
    return;
  if (b->file >= 0)
    close(b->file);
  free(b);
}

const char *body_digests_message(const body_digests *b)
{
  return b->message;
}

/* One write, so that death leaves all of the line or nothing. A full disk may tear it: then what is there of it is cut
 * off, now, when the next one is written over it, or by the next run. */
static bool write_line(body_digests *b, const char *line, size_t size)
{
  ssize_t written = pwrite(b->file, line, size, b->end);
  if (written == (ssize_t)size) {
    b->end += written;
    return true;
  }
  int why = written < 0 ? errno : ENOSPC;
  (void)!ftruncate(b->file, b->end);
  snprintf(b->message, sizeof b->message, "%s: %s", b->path, strerror(why));
  errno = why;
  return false;
}

/* ---- names ----------------------------------------------------------------------------------------------- */

static const char escaped[] = "%:|";
static const char *const codes[] = {"%25", "%3A", "%7C"};
enum { CODE = 3 };

/* To be freed; NULL: no memory. */
static char *name_of(const char *page)
{
  char *name = malloc(CODE * strlen(page) + 1), *to = name;
  for (; name && *page; page++) {
    const char *found = strchr(escaped, *page);
    if (found)
      to = stpcpy(to, codes[found - escaped]);
    else
      *to++ = *page;
  }
  if (name)
    *to = '\0';
  return name;
}

/* Which of `escaped` is written here; NULL: none. */
static const char *code_at(const char *at)
{
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    if (strncmp(at, codes[i], CODE) == 0)
      return &escaped[i];
  return NULL;
}

void body_digests_url_of_name(char *name)
{
  char *to = name;
  for (const char *at = name; *at;) {
    const char *code = code_at(at);
    *to++ = code ? *code : *at;
    at += code ? CODE : 1;
  }
  *to = '\0';
}

/* ---- bodies ---------------------------------------------------------------------------------------------- */

void body_digests_drop(body_digests *b, body_copy *copy)
{
  assert(b->held >= copy->room && copy->size <= copy->room);
  b->held -= copy->room;
  free(copy->bytes);
  *copy = (body_copy){.bytes = NULL};
}

/* Copies grow on several threads: what is over the limit, even for a moment, is not had. */
static bool reserve(body_digests *b, size_t more)
{
  if (atomic_fetch_add(&b->held, more) + more <= BODY_DIGESTS_MEMORY)
    return true;
  b->held -= more;
  return false;
}

static bool make_room(body_digests *b, body_copy *copy, size_t size)
{
  size_t least = copy->size + size, room = 2 * least;
  if (least <= copy->room)
    return true;
  if (!reserve(b, room - copy->room)) {
    room = least;
    if (!reserve(b, room - copy->room))
      return false;
  }
  char *larger = realloc(copy->bytes, room);
  if (!larger) {
    b->held -= room - copy->room;
    return false;
  }
  copy->bytes = larger;
  copy->room = room;
  return true;
}

void body_digests_take(body_digests *b, body_copy *copy, const char *bytes, size_t size)
{
  if (copy->is_given_up)
    return;
  if (!make_room(b, copy, size)) {
    body_digests_drop(b, copy);
    copy->is_given_up = true;
    return;
  }
  memcpy(copy->bytes + copy->size, bytes, size);
  copy->size += size;
  assert(copy->size <= copy->room);
}

/* The digest's line with its line feed, to be freed; NULL: no memory. */
static char *line_of(const body_copy *copy, const char *page, size_t *size)
{
  const mlbf_digest_options options = {.size = sizeof(mlbf_digest_options),
                                       .blocks = copy->size > MLBF_DIGEST_STREAM_MAX};
  mlbf_digest *digest = NULL;
  char *name = name_of(page), *text = NULL, *line = NULL;
  if (name && mlbf_digest_create(&options, copy->bytes, copy->size, &digest) == MLBF_OK)
    text = mlbf_digest_text(digest, name);
  *size = text ? strlen(text) + 1 : 0;
  if (text && (line = realloc(text, *size + 1)))
    memcpy(line + *size - 1, "\n", 2);
  else
    free(text);
  mlbf_digest_free(digest);
  free(name);
  return line;
}

mlbf_status body_digests_add(body_digests *b, const body_copy *copy, const char *page)
{
  size_t size;
  if (copy->is_given_up)
    return MLBF_NO_MEMORY;
  if (copy->size < MLBF_DIGEST_SIZE_MIN)
    return MLBF_OK;
  char *line = line_of(copy, page, &size);
  bool is_written = line && write_line(b, line, size);
  int why = errno;
  free(line);
  errno = why;
  return is_written ? MLBF_OK : line ? MLBF_IO : MLBF_NO_MEMORY;
}
