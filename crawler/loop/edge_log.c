/* See edge_log.h. */
#include "crawler/loop/edge_log.h"

#include "crawler/base/crawl_dir.h"
#include "crawler/base/nameless.h"
#include "frontier/base/own_file.h"
#include "frontier/base/record.h"
#include "frontier/base/vector.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  NUMBER = 2,          /* of the hash, apart from others with the same secret */
  WRITE_FROM = 1 << 20 /* bytes that wait; more are written before their commit, and cut off if it never comes */
};

static const char SETTING[] = "edges";

typedef struct edge {
  uint64_t target;
  uint8_t by;
} edge;

struct edge_log {
  frontier *frontier;
  mlbf_hasher *hasher;
  int fd;
  bool has_failed; /* the page's edges did not fit into memory */
  edge *page;
  size_t count, room;
  uint8_t *waiting;
  size_t waiting_size, waiting_room;
  uint64_t written, told; /* bytes of the file; those that the frontier knows of */
  char path[CRAWL_PATH_SIZE];
};

uint64_t edge_hash(const mlbf_hasher *hasher, const char *key, size_t size)
{
  return mlbf_hasher_hash(hasher, NUMBER, (mlbf_span){key, size}).low;
}

uint64_t edge_log_hash(const edge_log *e, const char *key, size_t size)
{
  return edge_hash(e->hasher, key, size);
}

/* ---- opening -------------------------------------------------------------------------------------------- */

static bool read_setting(frontier *f, uint64_t *bytes)
{
  const void *kept;
  size_t size;
  char text[24] = "";
  if (frontier_setting_get(f, SETTING, &kept, &size) != FRONTIER_OK || size >= sizeof text)
    return false;
  memcpy(text, kept, size);
  *bytes = strtoull(text, NULL, 10);
  return true;
}

bool edge_log_is_kept(frontier *f)
{
  uint64_t bytes;
  return read_setting(f, &bytes);
}

/* Known from the first commit on, so that no run goes on without it. */
static frontier_status tell(edge_log *e)
{
  char text[24];
  int size = snprintf(text, sizeof text, "%" PRIu64, e->written);
  frontier_status status = frontier_setting_put(e->frontier, SETTING, text, (size_t)size);
  if (status == FRONTIER_OK)
    e->told = e->written;
  return status;
}

/* What an earlier run wrote and did not commit goes. */
static bool cut(edge_log *e, char message[FRONTIER_MESSAGE_SIZE])
{
  struct stat info;
  if (fstat(e->fd, &info) != 0 || (uint64_t)info.st_size < e->written) {
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%.300s: it is shorter than the crawl says; links of pages are lost",
             e->path);
    return false;
  }
  if (ftruncate(e->fd, (off_t)e->written) == 0)
    return true;
  snprintf(message, FRONTIER_MESSAGE_SIZE, "%.300s: %s", e->path, strerror(errno));
  return false;
}

edge_log *edge_log_open(frontier *f, const char *directory, char message[FRONTIER_MESSAGE_SIZE])
{
  uint8_t secret[MLBF_SECRET_BYTES];
  edge_log *e = calloc(1, sizeof *e);
  snprintf(message, FRONTIER_MESSAGE_SIZE, "out of memory");
  if (!e)
    return NULL;
  e->frontier = f;
  frontier_secret(f, secret);
  e->hasher = mlbf_hasher_create(secret);
  crawl_dir_file(directory, "edges", e->path);
  e->fd = own_file_open(e->path, O_RDWR | O_CREAT, 0666);
  if (e->fd < 0)
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%.300s: %s", e->path, own_file_words(errno));
  bool is_old = read_setting(f, &e->written);
  e->told = e->written;
  if (e->fd >= 0 && e->hasher && cut(e, message) && (is_old || tell(e) == FRONTIER_OK))
    return e;
  edge_log_close(e);
  return NULL;
}

void edge_log_close(edge_log *e)
{
  if (!e)
    return;
  if (e->fd >= 0)
    close(e->fd);
  mlbf_hasher_free(e->hasher);
  free(e->page);
  free(e->waiting);
  free(e);
}

/* ---- a page ---------------------------------------------------------------------------------------------- */

void edge_log_begin(edge_log *e)
{
  e->count = 0;
  e->has_failed = false;
}

void edge_log_add(edge_log *e, uint64_t target, link_element by, bool is_mixed)
{
  if (HAS_ROOM(e->page, e->room, e->count + 1))
    e->page[e->count++] = (edge){target, (uint8_t)(by | (is_mixed ? EDGE_MIXED : 0))};
  else
    e->has_failed = true;
}

static int compare(const void *a, const void *b)
{
  const edge *x = a, *y = b;
  if (x->target != y->target)
    return x->target < y->target ? -1 : 1;
  return x->by - y->by;
}

static void drop_equal(edge_log *e)
{
  size_t kept = 0;
  qsort(e->page, e->count, sizeof *e->page, compare);
  for (size_t i = 0; i < e->count; i++)
    if (!i || compare(&e->page[i], &e->page[kept - 1]) != 0)
      e->page[kept++] = e->page[i];
  e->count = kept;
}

static bool write_waiting(edge_log *e)
{
  errno = ENOSPC;
  if (nameless_write(e->fd, (const char *)e->waiting, e->waiting_size, e->written) < e->waiting_size)
    return false;
  e->written += e->waiting_size;
  e->waiting_size = 0;
  return true;
}

bool edge_log_end(edge_log *e, uint64_t source, bool is_again)
{
  if (e->has_failed)
    return false;
  if (!e->count && !is_again)
    return true;
  if (e->waiting_size > WRITE_FROM)
    (void)write_waiting(e); /* else it waits, and the commit says why */
  drop_equal(e);
  if (!HAS_ROOM(e->waiting, e->waiting_room, e->waiting_size + EDGE_HEAD + e->count * EDGE_SIZE))
    return false;
  uint8_t *to = e->waiting + e->waiting_size;
  put_le(to, source, 8);
  put_le(to + 8, e->count, 4);
  to += EDGE_HEAD;
  for (size_t i = 0; i < e->count; i++, to += EDGE_SIZE) {
    put_le(to, e->page[i].target, 8);
    to[8] = e->page[i].by;
  }
  e->waiting_size += EDGE_HEAD + e->count * EDGE_SIZE;
  e->count = 0;
  return true;
}

frontier_status edge_log_settle(edge_log *e, char message[FRONTIER_MESSAGE_SIZE])
{
  bool is_new = e->waiting_size || e->written != e->told;
  if (is_new && (!write_waiting(e) || fdatasync(e->fd) != 0)) {
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%.300s: %s", e->path, strerror(errno));
    return errno == EIO ? FRONTIER_IO : FRONTIER_NO_SPACE;
  }
  return is_new ? tell(e) : FRONTIER_OK;
}
