/* Filters on disk: FORMAT.md has every byte, header.c the first 4096, this file the rest.
 *
 *   | header, 4096 bytes | body, the arrays as in memory | one checksum for each MiB of body |
 *          |  ^ covers the table's checksum                       ^
 *          |  +---------------------------------------------------+
 *          + ends with its own checksum
 *
 * Loading copies the body and checks all of it. Mapping copies nothing and checks a block when it is first
 * touched (guard.c); what is inserted into a mapped filter stays in memory, the file is as it was. */
#include "mlbf/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "mlbf/header.h"

/* Writing */

bool mlbf_file_write(int file, const void *bytes, uint64_t size)
{
  const char *from = bytes;
  while (size > 0) {
    ssize_t written = write(file, from, size < INT_MAX ? size : INT_MAX / 2);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    from += written;
    size -= (uint64_t)written;
  }
  return true;
}

bool mlbf_file_sync_directory_of(const char *path)
{
  char directory[PATH_MAX];
  const char *slash = strrchr(path, '/');
  int size = slash ? (int)(slash - path) + (slash == path) : 1;
  if (snprintf(directory, sizeof directory, "%.*s", size, slash ? path : ".") >= (int)sizeof directory)
    return false;
  int file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0)
    return false;
  bool is_synced = fsync(file) == 0;
  close(file);
  return is_synced;
}

static mlbf_status write_image(int file, const mlbf_filter *filter, uint32_t slice, uint32_t slice_count)
{
  uint64_t blocks = mlbf_block_count(filter->body_bytes);
  uint64_t *table = malloc(blocks * sizeof *table);
  if (!table)
    return MLBF_NO_MEMORY;
  for (uint64_t i = 0; i < blocks; i++)
    table[i] = mlbf_block_checksum(filter->body, filter->body_bytes, i);
  mlbf_header header;
  mlbf_header_fill(filter, table, slice, slice_count, &header);
  bool is_written = mlbf_file_write(file, &header, sizeof header) &&
                    mlbf_file_write(file, filter->body, filter->body_bytes) &&
                    mlbf_file_write(file, table, blocks * sizeof *table);
  free(table);
  return is_written ? MLBF_OK : MLBF_IO;
}

/* All slices into the open temporary file, which is closed whatever happens. */
static mlbf_status write_slices(int file, const mlbf_filter *const *slices, uint32_t count)
{
  mlbf_status status = MLBF_OK;
  for (uint32_t i = 0; status == MLBF_OK && i < count; i++)
    status = write_image(file, slices[i], i, count);
  if (status == MLBF_OK && fsync(file) != 0)
    status = MLBF_IO;
  int why = errno;
  if (close(file) != 0 && status == MLBF_OK)
    return MLBF_IO;
  errno = why;
  return status;
}

mlbf_status mlbf_file_save(const mlbf_filter *const *slices, uint32_t count, const char *path)
{
  char temporary[PATH_MAX];
  if (snprintf(temporary, sizeof temporary, "%s.tmp", path) >= (int)sizeof temporary) {
    errno = ENAMETOOLONG;
    return MLBF_IO;
  }
  for (uint32_t i = 0; i < count; i++) /* a new checksum must not be put over old damage */
    if (slices[i]->guard && !mlbf_guard_check_all(slices[i]->guard))
      return MLBF_DAMAGED;
  int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    return MLBF_IO;
  mlbf_status status = write_slices(file, slices, count);
  if (status == MLBF_OK && rename(temporary, path) != 0)
    status = MLBF_IO;
  if (status == MLBF_OK)
    return mlbf_file_sync_directory_of(path) ? MLBF_OK : MLBF_IO;
  int why = errno;
  unlink(temporary);
  errno = why;
  return status;
}

mlbf_status mlbf_save(const mlbf_filter *filter, const char *path)
{
  return mlbf_file_save(&filter, 1, path);
}

/* Reading */

static mlbf_status read_at(int file, void *bytes, uint64_t size, uint64_t offset)
{
  char *to = bytes;
  while (size > 0) {
    ssize_t got = pread(file, to, size < INT_MAX ? size : INT_MAX / 2, (off_t)offset);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return MLBF_IO;
    if (got == 0)
      return MLBF_DAMAGED; /* it shrank since we looked */
    to += got;
    offset += (uint64_t)got;
    size -= (uint64_t)got;
  }
  return MLBF_OK;
}

/* One image of an open file: its checked header, plan and table of checksums. */
typedef struct file_image {
  int file;
  uint64_t offset;
  mlbf_header header;
  mlbf_plan plan;
  uint64_t *table;
} file_image;

static mlbf_status read_table(file_image *image)
{
  uint64_t bytes = image->header.block_count * sizeof *image->table;
  uint64_t *table = malloc(bytes);
  if (!table)
    return MLBF_NO_MEMORY;
  mlbf_status status = read_at(image->file, table, bytes, image->offset + MLBF_HEADER_BYTES + image->header.body_bytes);
  if (status == MLBF_OK && XXH3_64bits(table, bytes) != image->header.table_checksum)
    status = MLBF_DAMAGED;
  if (status == MLBF_OK)
    image->table = table;
  else
    free(table);
  return status;
}

/* Header and table of the image at `offset`; the caller frees the table after MLBF_OK. */
static mlbf_status open_image(int file, uint64_t offset, file_image *image)
{
  struct stat info;
  if (fstat(file, &info) != 0)
    return MLBF_IO;
  if (!S_ISREG(info.st_mode))
    return MLBF_NOT_A_FILTER;
  uint64_t size = (uint64_t)info.st_size;
  if (size < offset || size - offset < MLBF_HEADER_BYTES)
    return offset ? MLBF_DAMAGED : MLBF_NOT_A_FILTER;
  image->file = file;
  image->offset = offset;
  mlbf_status status = read_at(file, &image->header, MLBF_HEADER_BYTES, offset);
  if (status == MLBF_OK)
    status = mlbf_header_check(&image->header, size - offset, &image->plan);
  bool is_last = image->header.slice + 1 == image->header.slice_count;
  if (status == MLBF_OK && is_last && offset + mlbf_image_bytes(&image->header) != size)
    status = MLBF_DAMAGED;
  return status == MLBF_OK ? read_table(image) : status;
}

static mlbf_status read_body(const file_image *image, void *body)
{
  const mlbf_header *header = &image->header;
  mlbf_status status = read_at(image->file, body, header->body_bytes, image->offset + MLBF_HEADER_BYTES);
  for (uint64_t i = 0; status == MLBF_OK && i < header->block_count; i++)
    if (mlbf_block_checksum(body, header->body_bytes, i) != image->table[i])
      status = MLBF_DAMAGED;
  return status;
}

static mlbf_status load_image(const file_image *image, mlbf_filter **filter)
{
  mlbf_filter *loaded = NULL;
  mlbf_status status = mlbf_filter_make(&image->plan, image->header.seed, image->header.profile, &loaded);
  if (status != MLBF_OK)
    return status;
  mlbf_header_restore(&image->header, loaded);
  status = read_body(image, loaded->body);
  if (status == MLBF_OK)
    *filter = loaded;
  else
    mlbf_free(loaded);
  return status;
}

/* A private mapping: writes stay in memory. Not reserved, since most pages are never written. */
static mlbf_status map_image(file_image *image, mlbf_filter **filter)
{
  uint64_t bytes = mlbf_image_bytes(&image->header);
  char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, image->file, 0);
  if (memory == MAP_FAILED)
    return errno == ENOMEM ? MLBF_NO_MEMORY : MLBF_IO;
  madvise(memory, bytes, MADV_RANDOM);
  void *body = memory + MLBF_HEADER_BYTES;
  mlbf_guard *guard = mlbf_guard_create(body, image->header.body_bytes, image->table);
  mlbf_status status = MLBF_NO_MEMORY;
  if (guard) {
    image->table = NULL; /* the guard's now */
    mlbf_memory mapped = { memory, bytes };
    status = mlbf_filter_make_over(&image->plan, image->header.seed, image->header.profile, mapped, body, guard,
                                   filter);
  }
  if (status == MLBF_OK) {
    mlbf_header_restore(&image->header, *filter);
    return MLBF_OK;
  }
  mlbf_guard_free(guard);
  munmap(memory, bytes);
  return status;
}

mlbf_status mlbf_file_load_slice(int file, uint64_t *offset, uint32_t slice, uint32_t *slice_count,
                                 mlbf_filter **filter)
{
  file_image image = { .table = NULL };
  mlbf_status status = open_image(file, *offset, &image);
  if (status == MLBF_OK && (image.header.slice != slice || (slice > 0 && image.header.slice_count != *slice_count)))
    status = MLBF_DAMAGED;
  if (status == MLBF_OK)
    status = load_image(&image, filter);
  free(image.table);
  if (status == MLBF_OK) {
    *offset += mlbf_image_bytes(&image.header);
    *slice_count = image.header.slice_count;
  }
  return status;
}

static mlbf_status open_alone(const char *path, bool is_mapped, mlbf_filter **filter)
{
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return MLBF_IO;
  file_image image = { .table = NULL };
  mlbf_status status = open_image(file, 0, &image);
  if (status == MLBF_OK && image.header.slice_count != 1)
    status = MLBF_MISMATCH;
  if (status == MLBF_OK)
    status = is_mapped ? map_image(&image, filter) : load_image(&image, filter);
  int why = errno;
  free(image.table);
  close(file);
  errno = why;
  return status;
}

mlbf_status mlbf_load(const char *path, mlbf_filter **filter)
{
  return open_alone(path, false, filter);
}

mlbf_status mlbf_map(const char *path, mlbf_filter **filter)
{
  return open_alone(path, true, filter);
}
