/* Filters on disk: FORMAT.md has every byte, header.c the first 4096, this file the rest.
 *
 *   | header, 4096 bytes | body, the arrays as in memory | one checksum for each MiB of body |
 *          |  ^ covers the table's checksum                       ^
 *          |  +---------------------------------------------------+
 *          + ends with its own checksum
 *
 * Loading copies the body and checks all of it. Mapping copies nothing, and mlbf_verify checks it; insertions into a
 * mapped filter stay in memory, the file is not changed. */
#include "mlbf/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "mlbf/file/disk_io.h"
#include "mlbf/file/header.h"

/* Writing */

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
  bool is_written = mlbf_disk_write(file, &header, sizeof header) &&
                    mlbf_disk_write(file, filter->body, filter->body_bytes) &&
                    mlbf_disk_write(file, table, blocks * sizeof *table);
  free(table);
  return is_written ? MLBF_OK : MLBF_IO;
}

/* All slices of one file. */
typedef struct file_slices {
  const mlbf_filter *const *slices;
  uint32_t count;
} file_slices;

static mlbf_status write_slices(int file, const void *context)
{
  const file_slices *of = context;
  mlbf_status status = MLBF_OK;
  for (uint32_t i = 0; status == MLBF_OK && i < of->count; i++)
    status = write_image(file, of->slices[i], i, of->count);
  return status;
}

mlbf_status mlbf_file_save(const mlbf_filter *const *slices, uint32_t count, const char *path)
{
  for (uint32_t i = 0; i < count; i++) /* a new checksum must not be put over old damage */
    if (!mlbf_filter_is_sound(slices[i]))
      return MLBF_DAMAGED;
  return mlbf_disk_replace(AT_FDCWD, path, mlbf_keying_mode(&slices[0]->keying), write_slices,
                           &(file_slices){slices, count});
}

mlbf_status mlbf_save(const mlbf_filter *filter, const char *path)
{
  return mlbf_file_save(&filter, 1, path);
}

/* Reading */

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
  uint64_t behind_body = image->offset + MLBF_HEADER_BYTES + image->header.body_bytes;
  mlbf_status status = mlbf_disk_read(image->file, table, bytes, behind_body);
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
  mlbf_status status = mlbf_disk_read(file, &image->header, MLBF_HEADER_BYTES, offset);
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
  mlbf_status status = mlbf_disk_read(image->file, body, header->body_bytes, image->offset + MLBF_HEADER_BYTES);
  for (uint64_t i = 0; status == MLBF_OK && i < header->block_count; i++)
    if (mlbf_block_checksum(body, header->body_bytes, i) != image->table[i])
      status = MLBF_DAMAGED;
  return status;
}

/* Every filter is keyed. */
static mlbf_status take_keying(const file_image *image, const uint8_t *secret, mlbf_keying *keying)
{
  if (image->header.key.origin == MLBF_SECRET_NONE)
    return MLBF_DAMAGED;
  return mlbf_keying_take(&image->header.key, image->header.seed, secret, keying);
}

static mlbf_status load_image(const file_image *image, const uint8_t *secret, mlbf_filter **filter)
{
  mlbf_filter *loaded = NULL;
  mlbf_keying keying;
  mlbf_status status = take_keying(image, secret, &keying);
  if (status == MLBF_OK)
    status = mlbf_filter_make(&image->plan, &keying, image->header.profile, &loaded);
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
static mlbf_status map_image(file_image *image, const uint8_t *secret, mlbf_filter **filter)
{
  mlbf_keying keying;
  mlbf_status status = take_keying(image, secret, &keying);
  if (status != MLBF_OK)
    return status;
  uint64_t bytes = mlbf_image_bytes(&image->header);
  char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, image->file, 0);
  if (memory == MAP_FAILED)
    return errno == ENOMEM ? MLBF_NO_MEMORY : MLBF_IO;
  madvise(memory, bytes, MADV_RANDOM);
  void *body = memory + MLBF_HEADER_BYTES;
  mlbf_guard *guard = mlbf_guard_create(body, image->header.body_bytes, image->table);
  status = MLBF_NO_MEMORY;
  if (guard) {
    image->table = NULL; /* the guard's now */
    mlbf_memory mapped = {memory, bytes};
    status = mlbf_filter_make_over(&image->plan, &keying, image->header.profile, mapped, body, guard, filter);
  }
  if (status == MLBF_OK) {
    mlbf_header_restore(&image->header, *filter);
    return MLBF_OK;
  }
  mlbf_guard_free(guard);
  munmap(memory, bytes);
  return status;
}

mlbf_status mlbf_file_load_slice(int file, const uint8_t *secret, uint64_t *offset, uint32_t slice,
                                 uint32_t *slice_count, mlbf_filter **filter)
{
  file_image image = {.table = NULL};
  mlbf_status status = open_image(file, *offset, &image);
  if (status == MLBF_OK && (image.header.slice != slice || (slice > 0 && image.header.slice_count != *slice_count)))
    status = MLBF_DAMAGED;
  if (status == MLBF_OK)
    status = load_image(&image, secret, filter);
  free(image.table);
  if (status == MLBF_OK) {
    *offset += mlbf_image_bytes(&image.header);
    *slice_count = image.header.slice_count;
  }
  return status;
}

static mlbf_status open_alone(const char *path, const uint8_t *secret, bool is_mapped, mlbf_filter **filter)
{
  int file = mlbf_disk_open(path);
  if (file < 0)
    return MLBF_IO;
  file_image image = {.table = NULL};
  mlbf_status status = open_image(file, 0, &image);
  if (status == MLBF_OK && image.header.slice_count != 1)
    status = MLBF_MISMATCH;
  if (status == MLBF_OK)
    status = is_mapped ? map_image(&image, secret, filter) : load_image(&image, secret, filter);
  int why = errno;
  free(image.table);
  close(file);
  errno = why;
  return status;
}

mlbf_status mlbf_load(const char *path, mlbf_filter **filter)
{
  return open_alone(path, NULL, false, filter);
}

mlbf_status mlbf_load_with(const char *path, const uint8_t *secret, mlbf_filter **filter)
{
  return open_alone(path, secret, false, filter);
}

mlbf_status mlbf_map(const char *path, mlbf_filter **filter)
{
  return open_alone(path, NULL, true, filter);
}

mlbf_status mlbf_map_with(const char *path, const uint8_t *secret, mlbf_filter **filter)
{
  return open_alone(path, secret, true, filter);
}
