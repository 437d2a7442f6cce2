/* Filters on disk: FORMAT.md has every byte, this file alone writes and reads them.
 *
 *   | header, 4096 bytes | body, the arrays as in memory | one checksum for each MiB of body |
 *          |  ^ covers the table's checksum                       ^
 *          |  +---------------------------------------------------+
 *          + ends with its own checksum
 *
 * Loading trusts nothing: a header whose checksum is right may still be an attacker's, so each field must
 * be one that mlbf_plan_make could have made, and the file must be exactly as long as they say. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "mlbf/inside.h"

enum {
  FORMAT_VERSION = 1,
  ENDIAN_MARK = 0x01020304,
  HEADER_BYTES = 4096,
  CHECKSUM_AT = HEADER_BYTES - 8,
  BLOCK_BYTES = 1 << 20,
  FLAG_SIGNALS = 1,
  FLAG_FULL_SAID = 2,
};

static const char magic[8] = { 'M', 'L', 'B', 'F', '\r', '\n', 0x1a, '\n' }; /* as PNG's: text modes destroy it */

typedef struct file_array {
  uint32_t layout, hashes;
  uint64_t bits, offset, reserved;
} file_array;

/* The header, byte for byte. */
typedef struct file_header {
  char magic[8];
  uint32_t version, endian_mark, kind, array_count;
  uint64_t seed, design_keys;
  double rate;
  uint64_t keys, body_bytes, block_count, table_checksum;
  uint32_t flags, profile_size;
  uint64_t deep_set;
  file_array arrays[MLBF_ARRAYS_MAX];
  double layer_distinct[MLBF_LAYERS_MAX];
  char profile[MLBF_PROFILE_SIZE];
  char zeros[CHECKSUM_AT - 96 - 32 * MLBF_ARRAYS_MAX - 8 * MLBF_LAYERS_MAX - MLBF_PROFILE_SIZE];
  uint64_t checksum;
} file_header;

_Static_assert(sizeof(file_header) == HEADER_BYTES, "the header has no padding");

/* Memory */

static uint64_t block_count(uint64_t body_bytes)
{
  return (body_bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
}

static uint64_t block_checksum(const void *body, uint64_t body_bytes, uint64_t block)
{
  uint64_t begin = block * BLOCK_BYTES, rest = body_bytes - begin;
  return XXH3_64bits((const char *)body + begin, rest < BLOCK_BYTES ? rest : BLOCK_BYTES);
}

static uint64_t header_checksum(const file_header *header)
{
  return XXH3_64bits(header, CHECKSUM_AT);
}

static void header_fill(const mlbf_filter *filter, const uint64_t *table, file_header *header)
{
  const mlbf_plan *plan = &filter->plan;
  *header = (file_header){
    .version = FORMAT_VERSION, .endian_mark = ENDIAN_MARK, .kind = plan->kind, .array_count = plan->array_count,
    .seed = filter->seed, .design_keys = plan->keys, .rate = plan->rate, .keys = filter->keys,
    .body_bytes = filter->body_bytes, .block_count = block_count(filter->body_bytes),
    .flags = (plan->signals ? FLAG_SIGNALS : 0) | (filter->full_said ? FLAG_FULL_SAID : 0),
    .profile_size = (uint32_t)strlen(filter->profile), .deep_set = filter->deep_set,
  };
  memcpy(header->magic, magic, sizeof magic);
  memcpy(header->profile, filter->profile, header->profile_size);
  memcpy(header->layer_distinct, filter->layer_distinct, sizeof header->layer_distinct);
  for (uint32_t i = 0; i < plan->array_count; i++)
    header->arrays[i] = (file_array){ plan->arrays[i].layout, plan->arrays[i].hashes, plan->arrays[i].bits,
                                      mlbf_body_offset(plan, i), 0 };
  header->table_checksum = XXH3_64bits(table, header->block_count * sizeof *table);
  header->checksum = header_checksum(header);
}

/* Writing */

static bool write_all(int file, const void *bytes, uint64_t size)
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

static bool sync_directory_of(const char *path)
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

static uint64_t *table_make(const mlbf_filter *filter)
{
  uint64_t blocks = block_count(filter->body_bytes);
  uint64_t *table = malloc(blocks * sizeof *table);
  for (uint64_t i = 0; table && i < blocks; i++)
    table[i] = block_checksum(filter->body, filter->body_bytes, i);
  return table;
}

static bool write_parts(int file, const mlbf_filter *filter, const uint64_t *table)
{
  file_header header;
  header_fill(filter, table, &header);
  return write_all(file, &header, sizeof header) && write_all(file, filter->body, filter->body_bytes) &&
         write_all(file, table, header.block_count * sizeof *table) && fsync(file) == 0;
}

mlbf_status mlbf_save(const mlbf_filter *filter, const char *path)
{
  char temporary[PATH_MAX];
  if (snprintf(temporary, sizeof temporary, "%s.tmp", path) >= (int)sizeof temporary) {
    errno = ENAMETOOLONG;
    return MLBF_IO;
  }
  uint64_t *table = table_make(filter);
  if (!table)
    return MLBF_NO_MEMORY;
  int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  bool is_written = file >= 0 && write_parts(file, filter, table);
  free(table);
  int why = errno;
  if (file >= 0 && close(file) != 0 && is_written) {
    is_written = false;
    why = errno;
  }
  if (is_written && rename(temporary, path) == 0)
    return sync_directory_of(path) ? MLBF_OK : MLBF_IO;
  if (is_written)
    why = errno;
  if (file >= 0)
    unlink(temporary);
  errno = why;
  return MLBF_IO;
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

static bool is_zero(const void *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++)
    if (((const char *)bytes)[i])
      return false;
  return true;
}

static bool is_count(double number)
{
  return isfinite(number) && number >= 0;
}

/* One array's shape: that it is one this library can place bits in. */
static bool array_is_sound(const file_array *array)
{
  bool is_lined = array->layout != MLBF_LAYOUT_CLASSIC;
  uint32_t limit = array->layout == MLBF_LAYOUT_LINE ? MLBF_LINE_HASHES_MAX : MLBF_HASHES_MAX;
  if (array->layout < MLBF_LAYOUT_CLASSIC || array->layout > MLBF_LAYOUT_TWO_LINES || array->reserved)
    return false;
  if (array->bits == 0 || array->bits > UINT64_C(1) << 48 || (is_lined && array->bits % MLBF_LINE_BITS))
    return false;
  if (array->hashes == 0 || array->hashes > limit)
    return false;
  return (array->layout != MLBF_LAYOUT_LANES || array->hashes == MLBF_LANES) &&
         (array->layout != MLBF_LAYOUT_TWO_LINES || array->hashes % 2 == 0);
}

/* Which layouts a kind puts where. */
static bool layouts_fit_kind(const file_header *header)
{
  const file_array *arrays = header->arrays;
  bool is_lined = arrays[0].layout != MLBF_LAYOUT_CLASSIC;
  bool has_signals = header->flags & FLAG_SIGNALS;
  if (has_signals && header->kind != MLBF_KIND_MLBF)
    return false;
  switch (header->kind) {
  case MLBF_KIND_BLOOM:
  case MLBF_KIND_BLOOM_PAPER:
    return header->array_count == 1 && !is_lined;
  case MLBF_KIND_LINE:
    return header->array_count == 1 && is_lined;
  case MLBF_KIND_MLBF:
    return header->array_count == (has_signals ? 3 : 2) && is_lined && arrays[1].layout == MLBF_LAYOUT_LINE &&
           (!has_signals || arrays[2].layout == MLBF_LAYOUT_CLASSIC);
  case MLBF_KIND_MLBF_PAPER:
    for (uint32_t i = 0; i < header->array_count; i++)
      if (arrays[i].layout != MLBF_LAYOUT_CLASSIC || arrays[i].bits != arrays[0].bits)
        return false;
    return header->array_count >= 2;
  default:
    return false;
  }
}

static bool numbers_are_sound(const file_header *header)
{
  if (header->flags & ~(uint32_t)(FLAG_SIGNALS | FLAG_FULL_SAID))
    return false;
  if (!(header->rate > 0 && header->rate < 1) || header->design_keys == 0)
    return false;
  for (uint32_t i = 0; i < MLBF_LAYERS_MAX; i++)
    if (!is_count(header->layer_distinct[i]))
      return false;
  return header->array_count < 3 || header->deep_set <= header->arrays[2].bits;
}

static bool profile_is_sound(const file_header *header)
{
  return header->profile_size < MLBF_PROFILE_SIZE && !memchr(header->profile, 0, header->profile_size) &&
         is_zero(header->profile + header->profile_size, MLBF_PROFILE_SIZE - header->profile_size) &&
         is_zero(header->zeros, sizeof header->zeros);
}

/* The plan in the header, if every field is one that could have been written. */
static bool header_plan(const file_header *header, uint64_t file_bytes, mlbf_plan *plan)
{
  if (header->array_count < 1 || header->array_count > MLBF_ARRAYS_MAX)
    return false;
  *plan = (mlbf_plan){ .kind = (mlbf_kind)header->kind, .keys = header->design_keys, .rate = header->rate,
                       .signals = header->flags & FLAG_SIGNALS, .array_count = header->array_count };
  for (uint32_t i = 0; i < header->array_count; i++) {
    const file_array *array = &header->arrays[i];
    if (!array_is_sound(array))
      return false;
    plan->arrays[i] = (mlbf_array_plan){ (mlbf_layout)array->layout, array->hashes, array->bits };
    plan->bits += array->bits;
    if (array->offset != mlbf_body_offset(plan, i))
      return false;
  }
  uint64_t body_bytes = mlbf_body_bytes(plan);
  size_t unused = (MLBF_ARRAYS_MAX - header->array_count) * sizeof header->arrays[0];
  return layouts_fit_kind(header) && numbers_are_sound(header) && profile_is_sound(header) &&
         is_zero(header->arrays + header->array_count, unused) && header->body_bytes == body_bytes &&
         header->block_count == block_count(body_bytes) &&
         file_bytes == HEADER_BYTES + body_bytes + header->block_count * sizeof(uint64_t);
}

static mlbf_status header_read(int file, file_header *header, mlbf_plan *plan)
{
  struct stat info;
  if (fstat(file, &info) != 0)
    return MLBF_IO;
  if (!S_ISREG(info.st_mode) || info.st_size < HEADER_BYTES)
    return MLBF_NOT_A_FILTER;
  mlbf_status status = read_at(file, header, sizeof *header, 0);
  if (status != MLBF_OK)
    return status;
  if (memcmp(header->magic, magic, sizeof magic) != 0)
    return MLBF_NOT_A_FILTER;
  if (header->version != FORMAT_VERSION || header->endian_mark != ENDIAN_MARK)
    return MLBF_VERSION;
  if (header->checksum != header_checksum(header) || !header_plan(header, (uint64_t)info.st_size, plan))
    return MLBF_DAMAGED;
  return MLBF_OK;
}

static mlbf_status filter_from_header(const file_header *header, const mlbf_plan *plan, mlbf_filter **filter)
{
  char profile[MLBF_PROFILE_SIZE];
  memcpy(profile, header->profile, sizeof profile);
  mlbf_status status = mlbf_filter_make(plan, header->seed, profile, filter);
  if (status != MLBF_OK)
    return status;
  (*filter)->keys = header->keys;
  (*filter)->full_said = header->flags & FLAG_FULL_SAID;
  (*filter)->deep_set = header->deep_set;
  memcpy((*filter)->layer_distinct, header->layer_distinct, sizeof header->layer_distinct);
  return MLBF_OK;
}

static mlbf_status table_read(int file, const file_header *header, uint64_t *table)
{
  uint64_t bytes = header->block_count * sizeof *table;
  mlbf_status status = read_at(file, table, bytes, HEADER_BYTES + header->body_bytes);
  if (status == MLBF_OK && XXH3_64bits(table, bytes) != header->table_checksum)
    return MLBF_DAMAGED;
  return status;
}

static mlbf_status body_read(int file, const file_header *header, const uint64_t *table, void *body)
{
  mlbf_status status = read_at(file, body, header->body_bytes, HEADER_BYTES);
  for (uint64_t i = 0; status == MLBF_OK && i < header->block_count; i++)
    if (block_checksum(body, header->body_bytes, i) != table[i])
      status = MLBF_DAMAGED;
  return status;
}

static mlbf_status load_open_file(int file, mlbf_filter **filter)
{
  file_header header;
  mlbf_plan plan;
  mlbf_filter *loaded = NULL;
  uint64_t *table = NULL;
  mlbf_status status = header_read(file, &header, &plan);
  if (status != MLBF_OK)
    return status;
  status = filter_from_header(&header, &plan, &loaded);
  if (status == MLBF_OK && !(table = malloc(header.block_count * sizeof *table)))
    status = MLBF_NO_MEMORY;
  if (status == MLBF_OK)
    status = table_read(file, &header, table);
  if (status == MLBF_OK)
    status = body_read(file, &header, table, loaded->body);
  free(table);
  if (status == MLBF_OK)
    *filter = loaded;
  else
    mlbf_free(loaded);
  return status;
}

mlbf_status mlbf_load(const char *path, mlbf_filter **filter)
{
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return MLBF_IO;
  mlbf_status status = load_open_file(file, filter);
  int why = errno;
  close(file);
  errno = why;
  return status;
}
