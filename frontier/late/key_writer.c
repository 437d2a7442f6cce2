/* Makes a file of keys: key_file.h.
 *
 *     NAME.tmp: page 0, then pieces of 128 KiB --> fdatasync --> renamed to NAME --> fsync of the directory
 *
 * Each MiB begins its way to the disk as soon as it is written, so that fdatasync has little left to wait for.
 *
 * After a crash: NAME.tmp in any state, or NAME whole. */
#include "frontier/late/key_page.h"

#include "frontier/base/own_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BEGIN_SYNC = 1 << 20 };

struct key_writer {
  int fd;
  bool is_named; /* the file has its name */
  key_file_kind kind;
  uint64_t directory, number, count;
  uint64_t given, page; /* keys added; pages that are full */
  uint64_t begun;       /* bytes that are on their way to the disk */
  size_t in_page;
  mlbf_hash128 last;
  char path[PATH_MAX], temporary[PATH_MAX], folder[PATH_MAX];
  key_page piece[KEY_WRITER_PAGES];
};

static frontier_status failed(const key_writer *w, const char *doing, char message[FRONTIER_MESSAGE_SIZE])
{
  int error = errno;
  snprintf(message, FRONTIER_MESSAGE_SIZE, "%.300s: %s: %s", w->temporary, doing, own_file_words(error));
  return error == ENOSPC || error == EDQUOT || error == EFBIG ? FRONTIER_NO_SPACE : FRONTIER_IO;
}

void key_file_name(key_file_kind kind, uint64_t number, char name[KEY_FILE_NAME])
{
  snprintf(name, KEY_FILE_NAME, "%s.%" PRIu64, kind == KEY_FILE_RUN ? "keys" : "doubts", number);
}

static bool set_paths(key_writer *w, const char *directory)
{
  char name[KEY_FILE_NAME];
  key_file_name(w->kind, w->number, name);
  return snprintf(w->folder, PATH_MAX, "%s", directory) < PATH_MAX &&
         snprintf(w->path, PATH_MAX, "%s/%s", directory, name) < PATH_MAX &&
         snprintf(w->temporary, PATH_MAX, "%s/%s.tmp", directory, name) < PATH_MAX;
}

/* ---- pages ------------------------------------------------------------------------------------------------- */

static bool write_all(int fd, const void *bytes, size_t size)
{
  const char *from = bytes;
  while (size) {
    ssize_t written = write(fd, from, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    from += written;
    size -= (size_t)written;
  }
  return true;
}

/* The full pages of the piece. */
static bool write_piece(key_writer *w, size_t pages)
{
  if (!write_all(w->fd, w->piece, pages * KEY_PAGE))
    return false;
  uint64_t size = w->page * KEY_PAGE;
  if (size - w->begun >= BEGIN_SYNC) {
    (void)sync_file_range(w->fd, (off_t)w->begun, (off_t)(size - w->begun), SYNC_FILE_RANGE_WRITE);
    w->begun = size;
  }
  return true;
}

static void seal(key_writer *w, key_page *page)
{
  page->count = w->in_page;
  page->checksum = key_page_checksum(page, w->directory, w->number, w->page++);
  w->in_page = 0;
}

static frontier_status write_head(key_writer *w, char message[FRONTIER_MESSAGE_SIZE])
{
  key_file_head *head = (key_file_head *)w->piece;
  *head = (key_file_head){.version = KEY_FILE_VERSION,
                          .kind = (uint32_t)w->kind,
                          .directory = w->directory,
                          .number = w->number,
                          .count = w->count};
  memcpy(head->magic, key_file_magic, sizeof head->magic);
  head->checksum = key_page_checksum(head, w->directory, w->number, w->page++);
  return write_piece(w, 1) ? FRONTIER_OK : failed(w, "writing", message);
}

/* ---- all of it --------------------------------------------------------------------------------------------- */

frontier_status key_writer_begin(const key_place *place, key_file_kind kind, uint64_t number, uint64_t count,
                                 key_writer **out, char message[FRONTIER_MESSAGE_SIZE])
{
  key_writer *w = malloc(sizeof *w);
  if (!w) {
    snprintf(message, FRONTIER_MESSAGE_SIZE, "out of memory for a file of keys");
    return FRONTIER_NO_MEMORY;
  }
  w->fd = -1;
  w->is_named = false;
  w->kind = kind;
  w->directory = place->id;
  w->number = number;
  w->count = count;
  w->given = w->page = w->begun = w->in_page = 0;
  w->last = (mlbf_hash128){0};
  frontier_status status = FRONTIER_OK;
  errno = ENAMETOOLONG;
  if (!set_paths(w, place->directory) || (w->fd = own_file_create(w->temporary, place->mode)) < 0)
    status = failed(w, "making it", message);
  else
    status = write_head(w, message);
  if (status == FRONTIER_OK)
    *out = w;
  else
    key_writer_end(w);
  return status;
}

static void put(const key_writer *w, key_page *page, const mlbf_hash128 *keys, const uint64_t *numbers, size_t count)
{
  if (!numbers)
    memcpy(page->keys + w->in_page, keys, count * sizeof *keys);
  else
    for (size_t i = 0; i < count; i++)
      page->numbered[w->in_page + i] = (numbered_key){keys[i], numbers[i]};
}

/* Unused where there are no asserts. */
__attribute__((unused)) static bool are_in_order(const mlbf_hash128 *last, const mlbf_hash128 *keys, size_t count)
{
  for (size_t i = 0; i < count; last = keys + i++)
    if (key_compare(*last, keys[i]) > 0)
      return false;
  return true;
}

frontier_status key_writer_add(key_writer *w, const mlbf_hash128 *keys, const uint64_t *numbers, size_t count,
                               char message[FRONTIER_MESSAGE_SIZE])
{
  assert(count <= w->count - w->given && (numbers != NULL) == (w->kind == KEY_FILE_DOUBTS));
  assert(are_in_order(&w->last, keys, count));
  size_t room = keys_per_page(w->kind);
  for (size_t done = 0, some; done < count; done += some) {
    size_t at = (w->page - 1) % KEY_WRITER_PAGES;
    some = count - done < room - w->in_page ? count - done : room - w->in_page;
    put(w, w->piece + at, keys + done, numbers ? numbers + done : NULL, some);
    w->in_page += some;
    if (w->in_page < room)
      continue;
    seal(w, w->piece + at);
    if (at + 1 == KEY_WRITER_PAGES && !write_piece(w, KEY_WRITER_PAGES))
      return failed(w, "writing", message);
  }
  if (count)
    w->last = keys[count - 1];
  w->given += count;
  return FRONTIER_OK;
}

static bool sync_folder(const key_writer *w)
{
  int fd = open(w->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool is_synced = fd >= 0 && fsync(fd) == 0;
  int why = errno;
  if (fd >= 0)
    close(fd);
  errno = why;
  return is_synced;
}

frontier_status key_writer_finish(key_writer *w, char message[FRONTIER_MESSAGE_SIZE])
{
  assert(w->given == w->count);
  size_t pages = (w->page - 1) % KEY_WRITER_PAGES, item = (KEY_PAGE - KEY_PAGE_HEAD) / keys_per_page(w->kind);
  if (w->in_page) {
    uint8_t *bytes = (uint8_t *)(w->piece + pages);
    size_t end = KEY_PAGE_HEAD + w->in_page * item;
    memset(bytes + end, 0, KEY_PAGE - end);
    seal(w, w->piece + pages++);
  }
  if (!write_piece(w, pages))
    return failed(w, "writing", message);
  if (fdatasync(w->fd) != 0)
    return failed(w, "fdatasync", message);
  if (rename(w->temporary, w->path) != 0)
    return failed(w, "renaming it", message);
  w->is_named = true;
  if (!sync_folder(w))
    return failed(w, "fsync of its directory", message);
  close(w->fd);
  free(w);
  return FRONTIER_OK;
}

void key_writer_end(key_writer *w)
{
  if (!w)
    return;
  if (w->fd >= 0) {
    close(w->fd);
    unlink(w->is_named ? w->path : w->temporary);
  }
  free(w);
}
