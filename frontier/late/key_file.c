/* Reads files of keys: key_file.h.
 *
 *     cursor:   pages   1 ... first [.. page ..] first + loaded ...  last        the piece in memory
 *                                   ^ keys in order, at the `at`-th
 *
 * Always: each page in memory has its checksum, as many keys as belong there, and these are in order, also from page
 * to page; so a cursor that steps gives keys in order, whatever is in the file. Where reading goes on behind the piece,
 * the next one is twice as large, up to what the cursor has room for; elsewhere it is one page.
 *
 * A search keeps two bounds, and each page that it reads moves one of them. The first pages are guessed as of keys that
 * are spread evenly; if that does not find it, the rest is halved. */
#include "frontier/late/key_page.h"

#include "frontier/base/own_file.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { GUESSES = 4, NEAR = 4 /* pages behind the piece: what lies between is read along */ };

struct key_file {
  int fd;
  key_file_kind kind;
  uint64_t directory, number, count, last; /* page */
  char path[];
};

struct key_cursor {
  const key_file *file;
  uint64_t first; /* page in memory */
  size_t loaded, room;
  uint64_t page; /* where the cursor is; behind the last one at the end */
  size_t at;
  numbered_key item;
  key_page pages[];
};

/* ---- files ------------------------------------------------------------------------------------------------- */

static frontier_status say(const key_file *f, frontier_status status, const char *what, uint64_t page,
                           char message[FRONTIER_MESSAGE_SIZE])
{
  snprintf(message, FRONTIER_MESSAGE_SIZE, "%.300s: page %" PRIu64 " %s", f->path, page, what);
  return status;
}

/* What the disk cannot read any more is damaged, too. */
static frontier_status read_pages(const key_file *f, uint64_t page, key_page *to, size_t count,
                                  char message[FRONTIER_MESSAGE_SIZE])
{
  char *bytes = (char *)to;
  size_t size = count * KEY_PAGE, done = 0;
  while (done < size) {
    ssize_t got = pread(f->fd, bytes + done, size - done, (off_t)(page * KEY_PAGE + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return say(f, errno == EIO ? FRONTIER_DAMAGED : FRONTIER_IO, strerror(errno), page, message);
    if (got == 0)
      return say(f, FRONTIER_DAMAGED, "is missing", page + done / KEY_PAGE, message);
    done += (size_t)got;
  }
  return FRONTIER_OK;
}

static frontier_status open_path(key_file *f, char message[FRONTIER_MESSAGE_SIZE])
{
  f->fd = own_file_open(f->path, O_RDONLY, 0);
  if (f->fd >= 0)
    return FRONTIER_OK;
  snprintf(message, FRONTIER_MESSAGE_SIZE, "%.300s: %s", f->path, own_file_words(errno));
  switch (errno) {
  case ENOENT: return FRONTIER_NOT_FOUND;
  case ELOOP:
  case ENXIO:
  case EIO: return FRONTIER_DAMAGED;
  default: return FRONTIER_IO;
  }
}

static frontier_status read_head(key_file *f, char message[FRONTIER_MESSAGE_SIZE])
{
  struct stat file;
  key_page page;
  key_file_head head;
  frontier_status status = read_pages(f, 0, &page, 1, message);
  if (status != FRONTIER_OK)
    return status;
  memcpy(&head, &page, sizeof head);
  if (head.checksum != key_page_checksum(&head, f->directory, f->number, 0) ||
      memcmp(head.magic, key_file_magic, sizeof head.magic) != 0 || head.version != KEY_FILE_VERSION ||
      head.kind != (uint32_t)f->kind || head.directory != f->directory || head.number != f->number)
    return say(f, FRONTIER_DAMAGED, "is not that of this file", 0, message);
  size_t per_page = keys_per_page(f->kind);
  f->count = head.count;
  f->last = head.count / per_page + (head.count % per_page != 0);
  if (fstat(f->fd, &file) != 0)
    return say(f, FRONTIER_IO, strerror(errno), 0, message);
  if (file.st_size % KEY_PAGE != 0 || (uint64_t)file.st_size / KEY_PAGE != f->last + 1)
    return say(f, FRONTIER_DAMAGED, "gives another size of the file", 0, message);
  return FRONTIER_OK;
}

frontier_status key_file_open(const key_place *place, key_file_kind kind, uint64_t number, key_file **out,
                              char message[FRONTIER_MESSAGE_SIZE])
{
  char name[KEY_FILE_NAME];
  key_file_name(kind, number, name);
  size_t size = strlen(place->directory) + 1 + strlen(name) + 1;
  key_file *f = malloc(sizeof *f + size);
  if (!f) {
    snprintf(message, FRONTIER_MESSAGE_SIZE, "out of memory for a file of keys");
    return FRONTIER_NO_MEMORY;
  }
  *f = (key_file){.fd = -1, .kind = kind, .directory = place->id, .number = number};
  snprintf(f->path, size, "%s/%s", place->directory, name);
  frontier_status status = open_path(f, message);
  if (status == FRONTIER_OK)
    status = read_head(f, message);
  if (status == FRONTIER_OK)
    *out = f;
  else
    key_file_close(f);
  return status;
}

void key_file_close(key_file *file)
{
  if (file && file->fd >= 0)
    close(file->fd);
  free(file);
}

uint64_t key_file_count(const key_file *file)
{
  return file->count;
}

uint64_t key_file_bytes(const key_file *file)
{
  return (file->last + 1) * KEY_PAGE;
}

uint64_t key_file_number(const key_file *file)
{
  return file->number;
}

void key_file_unlink(const key_place *place, key_file_kind kind, uint64_t number)
{
  char name[KEY_FILE_NAME], path[PATH_MAX];
  key_file_name(kind, number, name);
  if (snprintf(path, sizeof path, "%s/%s", place->directory, name) < (int)sizeof path)
    unlink(path);
}

/* Is it the name of such a file that need not be there? */
static bool is_left_over(const char *name, key_file_kind kind, const uint64_t *kept, size_t count)
{
  char own[KEY_FILE_NAME];
  const char *dot = strchr(name, '.');
  uint64_t number = dot ? strtoull(dot + 1, NULL, 10) : 0;
  key_file_name(kind, number, own);
  if (strncmp(name, own, strlen(own)) != 0)
    return false;
  if (strcmp(name + strlen(own), ".tmp") == 0)
    return true;
  for (size_t i = 0; i < count; i++)
    if (kept[i] == number)
      return false;
  return name[strlen(own)] == '\0';
}

void key_files_sweep(const key_place *place, key_file_kind kind, const uint64_t *kept, size_t count)
{
  DIR *directory = opendir(place->directory);
  if (!directory)
    return;
  for (const struct dirent *entry; (entry = readdir(directory)) != NULL;)
    if (is_left_over(entry->d_name, kind, kept, count))
      unlinkat(dirfd(directory), entry->d_name, 0);
  closedir(directory);
}

/* ---- cursors ----------------------------------------------------------------------------------------------- */

key_cursor *key_cursor_open(const key_file *file, size_t pages)
{
  assert(pages > 0);
  key_cursor *c = malloc(sizeof *c + pages * sizeof *c->pages);
  if (c) {
    c->file = file;
    c->room = pages;
    c->loaded = c->at = 0;
    c->first = c->page = 1;
    c->item.number = 0;
  }
  return c;
}

void key_cursor_close(key_cursor *cursor)
{
  free(cursor);
}

static size_t keys_on(const key_file *f, uint64_t page)
{
  size_t per_page = keys_per_page(f->kind);
  return page < f->last ? per_page : (size_t)(f->count - (f->last - 1) * per_page);
}

static inline mlbf_hash128 key_at(const key_cursor *c, const key_page *page, size_t at)
{
  return c->file->kind == KEY_FILE_RUN ? page->keys[at] : page->numbered[at].key;
}

__extension__ typedef unsigned __int128 wide;

static inline wide wide_of(mlbf_hash128 key)
{
  return (wide)key.high << 64 | key.low;
}

static bool are_in_order(const key_file *f, const key_page *page, size_t count)
{
  bool is_wrong = false;
  if (f->kind == KEY_FILE_RUN)
    for (size_t i = 1; i < count; i++)
      is_wrong |= wide_of(page->keys[i]) < wide_of(page->keys[i - 1]);
  else
    for (size_t i = 1; i < count; i++)
      is_wrong |= wide_of(page->numbered[i].key) < wide_of(page->numbered[i - 1].key);
  return !is_wrong;
}

static frontier_status check_page(const key_cursor *c, uint64_t number, char message[FRONTIER_MESSAGE_SIZE])
{
  const key_file *f = c->file;
  const key_page *page = c->pages + (number - c->first);
  size_t count = keys_on(f, number);
  if (page->checksum != key_page_checksum(page, f->directory, f->number, number) || page->count != count)
    return say(f, FRONTIER_DAMAGED, "is damaged", number, message);
  return are_in_order(f, page, count) ? FRONTIER_OK
                                      : say(f, FRONTIER_DAMAGED, "has keys out of order", number, message);
}

/* A new piece: pages from `begin` on. On failure it is gone from memory. */
static frontier_status load(key_cursor *c, uint64_t begin, size_t count, char message[FRONTIER_MESSAGE_SIZE])
{
  const key_file *f = c->file;
  bool goes_on = c->loaded && begin == c->first + c->loaded;
  mlbf_hash128 before = {0};
  if (goes_on)
    before = key_at(c, c->pages + c->loaded - 1, keys_on(f, begin - 1) - 1);
  c->loaded = 0;
  c->first = begin;
  frontier_status status = read_pages(f, begin, c->pages, count, message);
  for (size_t i = 0; i < count && status == FRONTIER_OK; i++) {
    status = check_page(c, begin + i, message);
    if (status == FRONTIER_OK && (i || goes_on) && key_compare(before, key_at(c, c->pages + i, 0)) > 0)
      status = say(f, FRONTIER_DAMAGED, "has keys out of order", begin + i, message);
    before = key_at(c, c->pages + i, keys_on(f, begin + i) - 1);
  }
  if (status == FRONTIER_OK)
    c->loaded = count;
  return status;
}

static inline bool is_loaded(const key_cursor *c, uint64_t page)
{
  return page - c->first < c->loaded;
}

/* This page in memory, and what is likely to be read next. */
static frontier_status need(key_cursor *c, uint64_t page, char message[FRONTIER_MESSAGE_SIZE])
{
  if (is_loaded(c, page))
    return FRONTIER_OK;
  uint64_t begin = c->first + c->loaded, count = 1;
  if (c->loaded && page >= begin && page - begin < NEAR && page - begin < c->room) {
    count = 2 * c->loaded > page - begin ? 2 * c->loaded : page - begin + 1;
    count = count < c->room ? count : c->room;
  } else
    begin = page;
  count = count <= c->file->last - begin ? count : c->file->last - begin + 1;
  return load(c, begin, (size_t)count, message);
}

frontier_status key_cursor_get(key_cursor *cursor, const numbered_key **item, char message[FRONTIER_MESSAGE_SIZE])
{
  if (cursor->page > cursor->file->last) {
    *item = NULL;
    return FRONTIER_OK;
  }
  frontier_status status = need(cursor, cursor->page, message);
  if (status != FRONTIER_OK)
    return status;
  const key_page *page = cursor->pages + (cursor->page - cursor->first);
  if (cursor->file->kind == KEY_FILE_RUN) {
    cursor->item.key = page->keys[cursor->at];
    *item = &cursor->item;
  } else
    *item = page->numbered + cursor->at;
  return FRONTIER_OK;
}

void key_cursor_step(key_cursor *cursor)
{
  assert(cursor->page <= cursor->file->last);
  if (++cursor->at < keys_on(cursor->file, cursor->page))
    return;
  cursor->at = 0;
  cursor->page++;
}

frontier_status key_cursor_some(key_cursor *cursor, const mlbf_hash128 **keys, size_t *count,
                                char message[FRONTIER_MESSAGE_SIZE])
{
  assert(cursor->file->kind == KEY_FILE_RUN);
  *count = 0;
  if (cursor->page > cursor->file->last)
    return FRONTIER_OK;
  frontier_status status = need(cursor, cursor->page, message);
  if (status != FRONTIER_OK)
    return status;
  *keys = cursor->pages[cursor->page - cursor->first].keys + cursor->at;
  *count = keys_on(cursor->file, cursor->page) - cursor->at;
  return FRONTIER_OK;
}

void key_cursor_skip(key_cursor *cursor)
{
  cursor->at = 0;
  cursor->page++;
}

/* ---- searching --------------------------------------------------------------------------------------------- */

typedef struct search {
  mlbf_hash128 key;
  uint64_t low, high;   /* the page is one of these; `high` is known to be far enough, or the end */
  uint64_t page, first; /* one that was looked at, and the high half of its first key */
  unsigned looks;
} search;

/* How many pages further a key so much larger is, where keys are spread evenly. */
static uint64_t pages_between(const key_file *f, uint64_t distance)
{
  return (uint64_t)((wide)distance * f->count >> 64) / keys_per_page(f->kind);
}

static uint64_t guess(const key_cursor *c, const search *s)
{
  if (is_loaded(c, s->low))
    return s->low;
  if (s->looks > GUESSES)
    return s->low + (s->high - s->low) / 2;
  uint64_t page;
  if (s->key.high >= s->first)
    page = s->page + pages_between(c->file, s->key.high - s->first);
  else {
    uint64_t back = pages_between(c->file, s->first - s->key.high) + 1;
    page = s->page > back ? s->page - back : 1;
  }
  return page < s->low ? s->low : page < s->high ? page : s->high - 1;
}

/* What this page, in memory, says of where the key is. */
static void look(const key_cursor *c, search *s, uint64_t number)
{
  const key_page *page = c->pages + (number - c->first);
  mlbf_hash128 first = key_at(c, page, 0);
  if (key_compare(key_at(c, page, keys_on(c->file, number) - 1), s->key) < 0)
    s->low = number + 1;
  else {
    s->high = number;
    if (key_compare(first, s->key) < 0)
      s->low = number;
  }
  s->page = number;
  s->first = first.high;
}

/* The first key of a page that is not below; there is one. */
static size_t place_on(const key_cursor *c, uint64_t number, mlbf_hash128 key)
{
  const key_page *page = c->pages + (number - c->first);
  size_t at = 0, count = keys_on(c->file, number);
  while (count > 1) {
    size_t half = count / 2;
    at += key_compare(key_at(c, page, at + half - 1), key) < 0 ? half : 0;
    count -= half;
  }
  return at;
}

frontier_status key_cursor_seek(key_cursor *cursor, mlbf_hash128 key, char message[FRONTIER_MESSAGE_SIZE])
{
  search s = {.key = key, .low = 1, .high = cursor->file->last + 1, .page = 1};
  frontier_status status = FRONTIER_OK;
  if (is_loaded(cursor, cursor->page))
    look(cursor, &s, cursor->page);
  while (s.low < s.high) {
    uint64_t page = guess(cursor, &s);
    s.looks += !is_loaded(cursor, page);
    status = need(cursor, page, message);
    if (status != FRONTIER_OK)
      return status;
    look(cursor, &s, page);
  }
  if (s.low <= cursor->file->last)
    status = need(cursor, s.low, message);
  if (status != FRONTIER_OK)
    return status;
  cursor->page = s.low;
  cursor->at = s.low <= cursor->file->last ? place_on(cursor, s.low, key) : 0;
  return FRONTIER_OK;
}
