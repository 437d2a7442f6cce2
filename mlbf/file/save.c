/* See saving.h. Block after block with its checksum, then the table of checksums, and the header last: without it the
 * file is invalid. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mlbf/file/disk_io.h"
#include "mlbf/file/header.h"
#include "mlbf/file/saving.h"

static void assert_saving(const mlbf_saving *s)
{
  assert(s->file >= 0 && s->block <= s->blocks && s->blocks > 0);
  assert(s->blocks == mlbf_block_count(s->filter->body_bytes)); /* it may not grow meanwhile */
  assert(s->filter->keys >= s->as_it_was.keys);
  (void)s;
}

static mlbf_status prepare(mlbf_saving *s, const mlbf_filter *filter, const char *path)
{
  s->filter = filter;
  s->as_it_was = *filter;
  s->blocks = mlbf_block_count(filter->body_bytes);
  s->table = malloc(s->blocks * sizeof *s->table);
  if (!s->table)
    return MLBF_NO_MEMORY;
  if (snprintf(s->path, sizeof s->path, "%s", path) >= (int)sizeof s->path ||
      snprintf(s->temporary, sizeof s->temporary, "%s.tmp", path) >= (int)sizeof s->temporary) {
    errno = ENAMETOOLONG;
    return MLBF_IO;
  }
  s->file = mlbf_disk_create(AT_FDCWD, s->temporary, mlbf_keying_mode(&filter->keying));
  return s->file >= 0 && lseek(s->file, MLBF_HEADER_BYTES, SEEK_SET) > 0 ? MLBF_OK : MLBF_IO;
}

mlbf_status mlbf_save_begin(const mlbf_filter *filter, const char *path, mlbf_saving **saving)
{
  mlbf_saving *s = calloc(1, sizeof *s);
  if (!s)
    return MLBF_NO_MEMORY;
  s->file = -1;
  mlbf_status status = prepare(s, filter, path);
  if (status == MLBF_OK)
    *saving = s;
  else
    mlbf_save_end(s);
  return status;
}

void mlbf_save_end(mlbf_saving *s)
{
  int why = errno;
  if (!s)
    return;
  if (s->file >= 0) {
    close(s->file);
    if (!s->is_done)
      unlink(s->temporary);
  }
  free(s->table);
  free(s);
  errno = why;
}

bool mlbf_saving_block(mlbf_saving *s)
{
  assert_saving(s);
  assert(s->block < s->blocks);
  uint64_t begin = s->block * MLBF_BLOCK_BYTES, left = s->filter->body_bytes - begin;
  s->table[s->block] = mlbf_block_checksum(s->filter->body, s->filter->body_bytes, s->block);
  s->block++;
  return mlbf_disk_write(s->file, (const char *)s->filter->body + begin,
                         left < MLBF_BLOCK_BYTES ? left : MLBF_BLOCK_BYTES);
}

static bool put_in_place(mlbf_saving *s)
{
  mlbf_header header;
  assert(s->block == s->blocks);
  mlbf_header_fill(&s->as_it_was, s->table, 0, 1, &header);
  return mlbf_disk_write(s->file, s->table, s->blocks * sizeof *s->table) && lseek(s->file, 0, SEEK_SET) == 0 &&
         mlbf_disk_write(s->file, &header, sizeof header) && fsync(s->file) == 0 && rename(s->temporary, s->path) == 0;
}

mlbf_status mlbf_saving_finish(mlbf_saving *s, bool *is_done)
{
  if (!put_in_place(s))
    return MLBF_IO;
  s->is_done = true;
  if (!mlbf_disk_sync_directory_of(s->path))
    return MLBF_IO;
  *is_done = true;
  return MLBF_OK;
}
