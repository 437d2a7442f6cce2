#include "mlbf/file/table.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "mlbf/file/disk_io.h"
#include "mlbf/file/header.h"

enum { TABLE_VERSION = 2, ENDIAN_MARK = 0x01020304, CHECKSUM_AT = MLBF_HEADER_BYTES - 8 };

static const char magic[8] = {'M', 'L', 'B', 'T', '\r', '\n', 0x1a, '\n'};

static const uint64_t body_most = UINT64_C(1) << 48;

/* The bytes of the file's header. */
typedef struct table_header {
  char magic[8];
  uint32_t version, endian_mark, kind, profile_size;
  uint64_t seed, body_bytes, block_count, table_checksum;
  uint64_t numbers[MLBF_TABLE_NUMBERS];
  char profile[MLBF_PROFILE_SIZE];
  mlbf_key_fields key;
  char zeros[MLBF_HEADER_BYTES - 56 - 8 * MLBF_TABLE_NUMBERS - MLBF_PROFILE_SIZE - sizeof(mlbf_key_fields) - 8];
  uint64_t checksum;
} table_header;

_Static_assert(sizeof(table_header) == MLBF_HEADER_BYTES, "the header has no padding");

mlbf_status mlbf_table_make(mlbf_table_kind kind, const mlbf_keying *keying, const char *profile, uint64_t body_bytes,
                            mlbf_table *table)
{
  const char *name = profile ? profile : "";
  size_t name_size = strlen(name);
  if (body_bytes == 0 || body_bytes > body_most || name_size >= MLBF_PROFILE_SIZE)
    return MLBF_BAD_ARGUMENT;
  void *body = mlbf_body_allocate(body_bytes);
  if (!body)
    return MLBF_NO_MEMORY;
  *table = (mlbf_table){
    .kind = kind, .keying = *keying, .body = body, .body_bytes = body_bytes, .memory = {body, body_bytes}};
  memcpy(table->profile, name, name_size);
  return MLBF_OK;
}

void mlbf_table_drop(mlbf_table *table)
{
  mlbf_guard_free(table->guard);
  mlbf_body_free(table->memory.begin, table->memory.bytes);
  *table = (mlbf_table){.body = NULL};
}

mlbf_status mlbf_table_verify(mlbf_table *table)
{
  if (table->guard && !mlbf_guard_check_all(table->guard))
    return MLBF_DAMAGED;
  mlbf_guard_free(table->guard);
  table->guard = NULL;
  return MLBF_OK;
}

bool mlbf_table_touch(const mlbf_table *table, uint64_t begin, uint64_t size)
{
  assert(begin <= table->body_bytes && size <= table->body_bytes - begin);
  for (uint64_t at = begin; table->guard && at < begin + size; at = (at / MLBF_BLOCK_BYTES + 1) * MLBF_BLOCK_BYTES)
    if (!mlbf_guard_touch(table->guard, (const uint64_t *)(const void *)(table->body + at / 8 * 8)))
      return false;
  return true;
}

/* Writing */

/* Bytes on their way to the file, in full blocks with a checksum each: some tables are many small parts. */
typedef struct table_sink {
  int file;
  uint64_t *table, written;
  unsigned char *block;
  uint64_t filled;
} table_sink;

static bool sink_flush(table_sink *sink)
{
  if (sink->filled == 0)
    return true;
  assert(sink->written % MLBF_BLOCK_BYTES == 0 && sink->filled <= MLBF_BLOCK_BYTES); /* only the last may be short */
  sink->table[sink->written / MLBF_BLOCK_BYTES] = XXH3_64bits(sink->block, sink->filled);
  bool is_written = mlbf_disk_write(sink->file, sink->block, sink->filled);
  sink->written += sink->filled;
  sink->filled = 0;
  return is_written;
}

static bool sink_put(table_sink *sink, const unsigned char *bytes, uint64_t size)
{
  while (size > 0) {
    uint64_t room = MLBF_BLOCK_BYTES - sink->filled, part = size < room ? size : room;
    memcpy(sink->block + sink->filled, bytes, part);
    sink->filled += part;
    bytes += part;
    size -= part;
    if (sink->filled == MLBF_BLOCK_BYTES && !sink_flush(sink))
      return false;
  }
  return true;
}

typedef struct table_image {
  const mlbf_table *table;
  const mlbf_span *parts;
  size_t count;
} table_image;

static void fill_header(const mlbf_table *table, uint64_t body_bytes, const uint64_t *checksums, table_header *header)
{
  *header = (table_header){.version = TABLE_VERSION,
                           .endian_mark = ENDIAN_MARK,
                           .kind = table->kind,
                           .profile_size = (uint32_t)strlen(table->profile),
                           .seed = table->keying.seed,
                           .body_bytes = body_bytes,
                           .block_count = mlbf_block_count(body_bytes)};
  mlbf_keying_put(&table->keying, &header->key);
  memcpy(header->magic, magic, sizeof magic);
  memcpy(header->numbers, table->numbers, sizeof header->numbers);
  memcpy(header->profile, table->profile, header->profile_size);
  header->table_checksum = XXH3_64bits(checksums, header->block_count * sizeof *checksums);
  header->checksum = XXH3_64bits(header, CHECKSUM_AT);
}

/* The body first, behind room for the header, which has its checksums. */
static bool write_parts(table_sink *sink, const table_image *image, uint64_t body_bytes)
{
  table_header header = {.version = 0};
  bool is_written = mlbf_disk_write(sink->file, &header, sizeof header);
  for (size_t i = 0; is_written && i < image->count; i++)
    is_written = sink_put(sink, image->parts[i].bytes, image->parts[i].size);
  is_written = is_written && sink_flush(sink);
  uint64_t checksum_bytes = mlbf_block_count(body_bytes) * sizeof *sink->table;
  is_written = is_written && mlbf_disk_write(sink->file, sink->table, checksum_bytes);
  fill_header(image->table, body_bytes, sink->table, &header);
  return is_written && lseek(sink->file, 0, SEEK_SET) == 0 && mlbf_disk_write(sink->file, &header, sizeof header);
}

static mlbf_status write_image(int file, const void *context)
{
  const table_image *image = context;
  uint64_t body_bytes = 0;
  for (size_t i = 0; i < image->count; i++)
    body_bytes += image->parts[i].size;
  table_sink sink = {.file = file,
                     .table = calloc(mlbf_block_count(body_bytes) + 1, sizeof *sink.table),
                     .block = malloc(MLBF_BLOCK_BYTES)};
  mlbf_status status = MLBF_NO_MEMORY;
  if (sink.table && sink.block)
    status = write_parts(&sink, image, body_bytes) ? MLBF_OK : MLBF_IO;
  int why = errno;
  free(sink.table);
  free(sink.block);
  errno = why;
  return status;
}

mlbf_status mlbf_table_save_in(int directory, const mlbf_table *table, const mlbf_span *parts, size_t count,
                               const char *path)
{
  if (table->guard && !mlbf_guard_check_all(table->guard)) /* a new checksum must not be put over old damage */
    return MLBF_DAMAGED;
  return mlbf_disk_replace(directory, path, mlbf_keying_mode(&table->keying), write_image,
                           &(table_image){table, parts, count});
}

mlbf_status mlbf_table_save(const mlbf_table *table, const mlbf_span *parts, size_t count, const char *path)
{
  return mlbf_table_save_in(AT_FDCWD, table, parts, count, path);
}

/* Reading */

static bool is_zero(const char *bytes, size_t size)
{
  while (size > 0 && bytes[size - 1] == 0)
    size--;
  return size == 0;
}

static mlbf_status check_header(const table_header *header, mlbf_table_kind kind, uint64_t file_bytes)
{
  if (memcmp(header->magic, magic, sizeof magic) != 0)
    return MLBF_NOT_A_FILTER;
  if (header->version != TABLE_VERSION || header->endian_mark != ENDIAN_MARK)
    return MLBF_VERSION;
  uint64_t body = header->body_bytes, room = file_bytes - MLBF_HEADER_BYTES;
  bool is_sound = header->checksum == XXH3_64bits(header, CHECKSUM_AT) && header->profile_size < MLBF_PROFILE_SIZE &&
                  !memchr(header->profile, 0, header->profile_size) &&
                  is_zero(header->profile + header->profile_size, MLBF_PROFILE_SIZE - header->profile_size) &&
                  is_zero(header->zeros, sizeof header->zeros) && body > 0 && body <= room &&
                  header->block_count == mlbf_block_count(body) &&
                  room - body == header->block_count * sizeof(uint64_t);
  if (!is_sound)
    return MLBF_DAMAGED;
  return header->kind == kind ? MLBF_OK : MLBF_MISMATCH;
}

static mlbf_status read_checksums(int file, const table_header *header, uint64_t **checksums)
{
  uint64_t bytes = header->block_count * sizeof(uint64_t), *read = malloc(bytes);
  if (!read)
    return MLBF_NO_MEMORY;
  mlbf_status status = mlbf_disk_read(file, read, bytes, MLBF_HEADER_BYTES + header->body_bytes);
  if (status == MLBF_OK && XXH3_64bits(read, bytes) != header->table_checksum)
    status = MLBF_DAMAGED;
  if (status == MLBF_OK)
    *checksums = read;
  else
    free(read);
  return status;
}

static mlbf_status load_body(int file, const uint64_t *checksums, mlbf_table *table)
{
  void *body = mlbf_body_allocate(table->body_bytes);
  if (!body)
    return MLBF_NO_MEMORY;
  mlbf_status status = mlbf_disk_read(file, body, table->body_bytes, MLBF_HEADER_BYTES);
  for (uint64_t i = 0; status == MLBF_OK && i < mlbf_block_count(table->body_bytes); i++)
    if (mlbf_block_checksum(body, table->body_bytes, i) != checksums[i])
      status = MLBF_DAMAGED;
  if (status != MLBF_OK) {
    mlbf_body_free(body, table->body_bytes);
    return status;
  }
  table->body = body;
  table->memory = (mlbf_memory){body, table->body_bytes};
  return MLBF_OK;
}

/* A private mapping, as of a filter (file.c). Takes the checksums over, if it succeeds. */
static mlbf_status map_body(int file, uint64_t *checksums, mlbf_table *table)
{
  uint64_t bytes = MLBF_HEADER_BYTES + table->body_bytes;
  unsigned char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file, 0);
  if (memory == MAP_FAILED)
    return errno == ENOMEM ? MLBF_NO_MEMORY : MLBF_IO;
  mlbf_guard *guard = mlbf_guard_create(memory + MLBF_HEADER_BYTES, table->body_bytes, checksums);
  if (!guard) {
    munmap(memory, bytes);
    return MLBF_NO_MEMORY;
  }
  table->body = memory + MLBF_HEADER_BYTES;
  table->guard = guard;
  table->memory = (mlbf_memory){memory, bytes};
  return MLBF_OK;
}

mlbf_status mlbf_table_read(int file, mlbf_table_kind kind, const uint8_t *secret, bool is_mapped,
                            mlbf_table_sizer body_bytes, mlbf_table *table)
{
  struct stat info;
  table_header header;
  uint64_t *checksums = NULL;
  if (fstat(file, &info) != 0)
    return MLBF_IO;
  if (!S_ISREG(info.st_mode) || info.st_size < MLBF_HEADER_BYTES)
    return MLBF_NOT_A_FILTER;
  mlbf_status status = mlbf_disk_read(file, &header, sizeof header, 0);
  if (status == MLBF_OK)
    status = check_header(&header, kind, (uint64_t)info.st_size);
  if (status != MLBF_OK)
    return status;
  mlbf_table made = {.kind = kind, .body_bytes = header.body_bytes};
  status = mlbf_keying_take(&header.key, header.seed, secret, &made.keying);
  if (status != MLBF_OK)
    return status;
  memcpy(made.numbers, header.numbers, sizeof made.numbers);
  memcpy(made.profile, header.profile, sizeof made.profile);
  if (body_bytes(&made) != made.body_bytes)
    return MLBF_DAMAGED;
  status = read_checksums(file, &header, &checksums);
  if (status == MLBF_OK)
    status = is_mapped ? map_body(file, checksums, &made) : load_body(file, checksums, &made);
  if (status == MLBF_OK)
    *table = made;
  if (!made.guard)
    free(checksums);
  return status;
}

mlbf_status mlbf_table_open(const char *path, mlbf_table_kind kind, const uint8_t *secret, bool is_mapped,
                            mlbf_table_sizer body_bytes, mlbf_table *table)
{
  int file = mlbf_disk_open(path);
  if (file < 0)
    return MLBF_IO;
  mlbf_status status = mlbf_table_read(file, kind, secret, is_mapped, body_bytes, table);
  int why = errno;
  close(file);
  errno = why;
  return status;
}
