/* Files of blocks, written: whole, or block by block.
 *
 * Always: a checksum is of the bytes that are written behind it, and the header is of the checksums, so a file that is
 * cut or mixed is noticed. A whole file is gone through twice, first for its checksums, so that a callback that cannot
 * go back gets its header first. A file that grows has its header written last: without it the file is invalid.
 *
 * After a crash: the old file or the new one, whole, and perhaps a temporary one, which the next writer replaces.
 *
 * Called by filter_file.c, chain.c, rebuild.c and the files of windows, counters, key sets and the corpus. */
#include "mlbf/file/block_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

#include "mlbf/file/block_header.h"
#include "mlbf/file/disk_io.h"

static uint64_t parts_bytes(const mlbf_span *parts, size_t count)
{
  uint64_t bytes = 0;
  for (size_t i = 0; i < count; i++)
    bytes += parts[i].size;
  return bytes;
}

/* Of each MiB of the parts, which need not end where a MiB does. */
static void sum_parts(const mlbf_span *parts, size_t count, XXH3_state_t *state, uint64_t *checksums)
{
  uint64_t filled = 0;
  XXH3_64bits_reset(state);
  for (size_t i = 0; i < count; i++) {
    const char *bytes = parts[i].bytes;
    for (uint64_t left = parts[i].size; left > 0;) {
      uint64_t room = MLBF_BLOCK_BYTES - filled, size = left < room ? left : room;
      XXH3_64bits_update(state, bytes, size);
      bytes += size;
      left -= size;
      filled += size;
      if (filled == MLBF_BLOCK_BYTES) {
        *checksums++ = XXH3_64bits_digest(state);
        XXH3_64bits_reset(state);
        filled = 0;
      }
    }
  }
  if (filled)
    *checksums = XXH3_64bits_digest(state);
}

static mlbf_status write_parts(mlbf_write *write, void *context, const mlbf_block_file *file, const mlbf_span *parts,
                               size_t count, const uint64_t *checksums)
{
  block_header header;
  uint64_t bytes = parts_bytes(parts, count);
  block_header_fill(file, bytes, checksums, &header);
  bool is_written = write(context, &header, sizeof header);
  for (size_t i = 0; is_written && i < count; i++)
    is_written = parts[i].size == 0 || write(context, parts[i].bytes, parts[i].size);
  return is_written && write(context, checksums, mlbf_block_count(bytes) * sizeof *checksums) ? MLBF_OK : MLBF_IO;
}

mlbf_status mlbf_block_file_write(mlbf_write *write, void *context, const mlbf_block_file *file, const mlbf_span *parts,
                                  size_t count)
{
  uint64_t bytes = parts_bytes(parts, count);
  assert(bytes > 0);
  if (!mlbf_block_file_is_all_sound(file))
    return MLBF_DAMAGED;
  uint64_t *checksums = malloc(mlbf_block_count(bytes) * sizeof *checksums);
  XXH3_state_t *state = XXH3_createState();
  mlbf_status status = MLBF_NO_MEMORY;
  if (checksums && state) {
    sum_parts(parts, count, state, checksums);
    status = write_parts(write, context, file, parts, count, checksums);
  }
  int why = errno;
  free(checksums);
  XXH3_freeState(state);
  errno = why;
  return status;
}

static bool write_file(void *context, const void *bytes, uint64_t size)
{
  return mlbf_disk_write(*(const int *)context, bytes, size);
}

typedef struct saved {
  const mlbf_block_file *file;
  const mlbf_span *parts;
  size_t count;
} saved;

static mlbf_status save(int file_number, const void *context)
{
  const saved *s = context;
  return mlbf_block_file_write(write_file, &file_number, s->file, s->parts, s->count);
}

mlbf_status mlbf_block_file_save(int directory, const char *path, const mlbf_block_file *file, const mlbf_span *parts,
                                 size_t count)
{
  return mlbf_disk_replace(directory, path, mlbf_keying_mode(&file->keying), save, &(saved){file, parts, count});
}

/* ---- block by block ---- */

mlbf_status mlbf_block_writer_begin(mlbf_block_writer *w, const char *path, unsigned mode, uint64_t body_bytes)
{
  *w = (mlbf_block_writer){.file = -1, .blocks = mlbf_block_count(body_bytes)};
  w->checksums = malloc(w->blocks * sizeof *w->checksums);
  if (!w->checksums)
    return MLBF_NO_MEMORY;
  if (snprintf(w->path, sizeof w->path, "%s", path) >= (int)sizeof w->path ||
      snprintf(w->temporary, sizeof w->temporary, "%s.tmp", path) >= (int)sizeof w->temporary) {
    errno = ENAMETOOLONG;
    return MLBF_IO;
  }
  w->file = mlbf_disk_create(AT_FDCWD, w->temporary, mode);
  return w->file >= 0 && lseek(w->file, MLBF_HEADER_BYTES, SEEK_SET) > 0 ? MLBF_OK : MLBF_IO;
}

bool mlbf_block_writer_put(mlbf_block_writer *w, const void *block, uint64_t bytes)
{
  assert(w->file >= 0 && w->block < w->blocks);
  assert(bytes == MLBF_BLOCK_BYTES || (w->block + 1 == w->blocks && bytes > 0 && bytes < MLBF_BLOCK_BYTES));
  w->checksums[w->block++] = XXH3_64bits(block, bytes);
  return mlbf_disk_write(w->file, block, bytes);
}

static bool put_in_place(mlbf_block_writer *w, const mlbf_block_file *file)
{
  block_header header;
  block_header_fill(file, file->body_bytes, w->checksums, &header);
  return mlbf_disk_write(w->file, w->checksums, w->blocks * sizeof *w->checksums) && lseek(w->file, 0, SEEK_SET) == 0 &&
         mlbf_disk_write(w->file, &header, sizeof header) && fsync(w->file) == 0 && rename(w->temporary, w->path) == 0;
}

mlbf_status mlbf_block_writer_finish(mlbf_block_writer *w, const mlbf_block_file *file)
{
  assert(w->block == w->blocks && w->blocks == mlbf_block_count(file->body_bytes));
  if (!put_in_place(w, file))
    return MLBF_IO;
  w->is_done = true;
  return mlbf_disk_sync_directory_of(w->path) ? MLBF_OK : MLBF_IO;
}

void mlbf_block_writer_end(mlbf_block_writer *w)
{
  int why = errno;
  if (w->checksums && w->file >= 0) {
    close(w->file);
    if (!w->is_done)
      unlink(w->temporary);
  }
  free(w->checksums);
  w->checksums = NULL;
  errno = why;
}
