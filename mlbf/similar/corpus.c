/* Volumes of a corpus, one after the other: opened, added to, read through. corpus.h draws the files.
 *
 *     add    last volume full? --> seal it: make its rows, fdatasync(.docs), write .rows --> begin the next: .docs.new,
 *            the document into the tail; a full one is written            renamed
 *     ask    write the tail --> make the rows of the last volume, or what is new of them --> test all rows
 *
 * Always: volumes[i] has the number i + 1, and all but the last are full, or were once. The rows of a full one are a
 * file that was checked as it was mapped. Other rows are in memory, and made of those documents of their file whose
 * checksum holds, so they know none that the file does not have. The tail are whole records, the last of the last
 * volume; row_at counts them. `buffer` holds one row.
 *
 * One thread at a time, without a lock: in a crawl the thread that crawls (crawler/loop/fingerprint_index.c).
 *
 * After a crash: the last .docs may end in a torn document. Opening for writing cuts it off, opening for reading passes
 * it over. A full volume without .rows gets them when it is opened for writing, or with the next document. A .docs.new
 * is written over by the next one of its number. */
#include "mlbf/similar/corpus_inside.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mlbf/file/disk_io.h"

/* ---- opening -------------------------------------------------------------------------------------------- */

static bool make_room(mlbf_corpus *c)
{
  if (c->count < c->room)
    return true;
  size_t room = 2 * c->room + 4;
  corpus_volume *larger = realloc(c->volumes, room * sizeof *larger);
  if (!larger)
    return false;
  c->volumes = larger;
  c->room = room;
  assert(c->count < c->room);
  return true;
}

/* One that is full and has no rows on disk: death came before them. */
static mlbf_status open_next(mlbf_corpus *c, uint32_t number)
{
  bool is_last = !corpus_has_volume(&c->directory, number + 1);
  if (!make_room(c))
    return corpus_no_memory(c);
  corpus_volume *v = &c->volumes[c->count];
  mlbf_status status = corpus_volume_open(&c->directory, number, is_last && !c->is_read_only, v, &c->cut_bytes);
  if (status != MLBF_OK)
    return status;
  c->count++;
  return is_last || v->is_full || c->is_read_only || v->rows < MLBF_ROWS ? MLBF_OK : corpus_volume_seal(v, c->buffer);
}

/* Made if it is not there and may be; ours, if it is to be written. */
static bool open_directory(mlbf_corpus *c)
{
  struct stat info;
  if (!c->is_read_only && mkdir(c->directory.path, 0777) != 0 && errno != EEXIST)
    return false;
  c->directory.file = open(c->directory.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (c->directory.file < 0) { /* ENOTDIR: of a link, too */
    errno = errno == ENOTDIR && lstat(c->directory.path, &info) == 0 && S_ISLNK(info.st_mode) ? ELOOP : errno;
    return false;
  }
  if (fstat(c->directory.file, &info) != 0)
    return false;
  errno = EPERM;
  return c->is_read_only || info.st_uid == geteuid();
}

static mlbf_status open_volumes(mlbf_corpus *c)
{
  mlbf_status status = MLBF_OK;
  if (!open_directory(c))
    return corpus_directory_error(&c->directory, MLBF_IO, NULL);
  for (uint32_t number = 1; status == MLBF_OK && corpus_has_volume(&c->directory, number); number++)
    status = open_next(c, number);
  return status;
}

mlbf_status mlbf_corpus_open(const char *directory, bool read_only, mlbf_corpus **out,
                             char message[MLBF_CORPUS_MESSAGE_SIZE])
{
  mlbf_corpus *c = calloc(1, sizeof *c);
  mlbf_status status = c ? MLBF_OK : MLBF_NO_MEMORY;
  snprintf(message, MLBF_CORPUS_MESSAGE_SIZE, "out of memory");
  if (c) {
    c->file = c->directory.file = -1;
    c->is_read_only = read_only;
    c->buffer = malloc(CORPUS_ROW_BYTES);
    c->tail = read_only ? NULL : malloc(CORPUS_TAIL_BYTES);
    bool is_short = snprintf(c->directory.path, PATH_MAX, "%s", directory) < PATH_MAX - 16;
    status = !c->buffer || (!c->tail && !read_only) ? corpus_no_memory(c)
             : !is_short                            ? MLBF_BAD_ARGUMENT
                                                    : open_volumes(c);
    snprintf(message, MLBF_CORPUS_MESSAGE_SIZE, "%s", is_short ? c->directory.message : "the path is too long");
  }
  int why = errno;
  if (status == MLBF_OK)
    *out = c;
  else
    mlbf_corpus_close(c);
  errno = why;
  return status;
}

void mlbf_corpus_close(mlbf_corpus *c)
{
  if (!c)
    return;
  mlbf_corpus_flush(c);
  corpus_near_close(c);
  for (size_t i = 0; i < c->count; i++)
    corpus_volume_drop(&c->volumes[i]);
  if (c->file >= 0)
    close(c->file);
  if (c->directory.file >= 0)
    close(c->directory.file);
  free(c->volumes);
  free(c->buffer);
  free(c->tail);
  free(c);
}

const char *mlbf_corpus_message(const mlbf_corpus *c)
{
  return c->directory.message;
}

void mlbf_corpus_stats_read(const mlbf_corpus *c, mlbf_corpus_stats *stats)
{
  *stats = (mlbf_corpus_stats){
    .volumes = c->count, .cut_bytes = c->cut_bytes, .near_bytes = c->near ? corpus_near_bytes(c->near) : 0};
  for (size_t i = 0; i < c->count; i++) {
    stats->documents += c->volumes[i].documents;
    stats->document_bytes += c->volumes[i].row_at[c->volumes[i].rows];
    stats->row_bytes += c->volumes[i].rows_file.body_bytes;
  }
}

/* ---- adding --------------------------------------------------------------------------------------------- */

static void close_file(mlbf_corpus *c)
{
  if (c->file >= 0)
    close(c->file);
  c->file = -1;
}

/* The last volume takes such a document, or a new one is begun behind it. */
static mlbf_status have_room(mlbf_corpus *c, uint64_t shingles, uint64_t bytes)
{
  assert(!c->is_read_only && c->count <= c->room);
  corpus_volume *last = c->count ? &c->volumes[c->count - 1] : NULL;
  mlbf_status status = MLBF_OK;
  if (last && corpus_volume_has_room(last, shingles, bytes))
    return MLBF_OK;
  if (last && !last->is_full)
    status = mlbf_corpus_flush(c);
  if (last && !last->is_full && status == MLBF_OK)
    status = corpus_volume_seal(last, c->buffer);
  if (status != MLBF_OK)
    return status;
  close_file(c);
  if (!make_room(c))
    return corpus_no_memory(c);
  status = corpus_volume_create(&c->directory, (uint32_t)c->count + 1, &c->volumes[c->count]);
  c->count += status == MLBF_OK;
  return status;
}

/* Of the last volume, for flushing: that never has to open one. */
static mlbf_status open_file(mlbf_corpus *c)
{
  assert(c->count > 0);
  const corpus_volume *last = &c->volumes[c->count - 1];
  if (c->file < 0)
    c->file = corpus_volume_file(last, ".docs", O_WRONLY);
  return c->file >= 0 ? MLBF_OK : corpus_volume_error(last, ".docs", MLBF_IO, NULL);
}

/* What a crash cuts short has no checksum that holds. */
mlbf_status mlbf_corpus_flush(mlbf_corpus *c)
{
  if (!c->tail_bytes)
    return MLBF_OK;
  const corpus_volume *v = &c->volumes[c->count - 1];
  assert(!c->is_read_only && !v->is_full && v->row_at[v->rows] >= CORPUS_HEADER_BYTES + c->tail_bytes);
  uint64_t end = v->row_at[v->rows] - c->tail_bytes;
  if (lseek(c->file, (off_t)end, SEEK_SET) < 0)
    return corpus_volume_error(v, ".docs", MLBF_IO, NULL);
  if (mlbf_disk_write(c->file, c->tail, c->tail_bytes)) {
    c->tail_bytes = 0;
    return MLBF_OK;
  }
  mlbf_status status = corpus_volume_error(v, ".docs", MLBF_IO, NULL);
  int why = errno;
  (void)!ftruncate(c->file, (off_t)end); /* else the next try overwrites it, or the next opening cuts it off */
  errno = why;
  return status;
}

mlbf_status corpus_prepare(mlbf_corpus *c, mlbf_span name, const mlbf_shingles *shingles, corpus_record *r)
{
  if (c->is_read_only || name.size == 0 || name.size > MLBF_CORPUS_NAME_MAX || shingles->count == 0 ||
      shingles->count > MLBF_CORPUS_SHINGLES_MAX || shingles->whole_count > MLBF_SHINGLES_WHOLE)
    return corpus_directory_error(&c->directory, MLBF_BAD_ARGUMENT,
                                  "no name, no shingles, too many of them, or read-only");
  size_t whole = shingles->whole ? shingles->whole_count : 0;
  uint64_t bytes = corpus_record_bytes(name.size, shingles->count, whole);
  mlbf_status status = have_room(c, shingles->count, bytes);
  if (status == MLBF_OK)
    status = open_file(c);
  if (status == MLBF_OK && c->tail_bytes + bytes > CORPUS_TAIL_BYTES)
    status = mlbf_corpus_flush(c);
  if (status != MLBF_OK)
    return status;
  const corpus_volume *v = &c->volumes[c->count - 1];
  uint64_t at = v->row_at[v->rows];
  assert(at % 8 == 0 && bytes <= CORPUS_RECORD_MAX && v->number == c->count);
  corpus_record_write(c->tail + c->tail_bytes, at, name, shingles, r);
  assert(r->bytes == bytes);
  return MLBF_OK;
}

mlbf_status corpus_commit(mlbf_corpus *c, const corpus_record *r, const uint64_t *keys, size_t key_count)
{
  corpus_volume *v = &c->volumes[c->count - 1];
  mlbf_status status = corpus_near_index(c, keys, key_count, v->number, v->row_at[v->rows]);
  if (status != MLBF_OK) /* keys that are there already lead to another document, which is found unlike */
    return status;
  c->tail_bytes += r->bytes;
  assert(c->tail_bytes <= CORPUS_TAIL_BYTES);
  corpus_volume_add(v, r);
  return MLBF_OK;
}

/* ---- reading through ------------------------------------------------------------------------------------ */

mlbf_status corpus_need_rows(mlbf_corpus *c)
{
  mlbf_status status = mlbf_corpus_flush(c);
  for (size_t i = 0; i < c->count && status == MLBF_OK; i++)
    status = corpus_volume_need_rows(&c->volumes[i], c->buffer);
  return status;
}

mlbf_status corpus_load_row(mlbf_corpus *c, const corpus_volume *v, unsigned row, uint64_t *size)
{
  return corpus_volume_read_row(v, row, c->buffer, size);
}

bool corpus_next_record(mlbf_corpus *c, const corpus_volume *v, unsigned row, uint64_t size, uint64_t *at,
                        corpus_record *r, mlbf_status *status)
{
  uint64_t offset = v->row_at[row] + *at;
  assert(row < v->rows && *at <= size && size <= CORPUS_ROW_BYTES);
  if (*at == size)
    return false;
  if (corpus_record_read(c->buffer + *at, size - *at, offset, r)) {
    *at += r->bytes;
    return true;
  }
  *status = corpus_volume_damaged(v, offset);
  return false;
}

mlbf_status mlbf_corpus_each(mlbf_corpus *c, mlbf_corpus_visitor *visit, void *context)
{
  mlbf_status status = mlbf_corpus_flush(c);
  corpus_record r;
  for (size_t i = 0; i < c->count && status == MLBF_OK; i++)
    for (unsigned row = 0; row < c->volumes[i].rows; row++) {
      uint64_t size, at = 0;
      status = corpus_load_row(c, &c->volumes[i], row, &size);
      if (status != MLBF_OK)
        return status;
      while (corpus_next_record(c, &c->volumes[i], row, size, &at, &r, &status))
        if (!visit(context, r.name, r.shingles, r.count))
          return MLBF_OK;
      if (status != MLBF_OK)
        return status;
    }
  return MLBF_OK;
}
