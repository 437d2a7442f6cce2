/* Files of blocks, in memory, read and mapped.
 *
 * Always: a body is `body_bytes` long, which its kind's numbers give; `checksums` is not NULL only while a mapped body
 * has blocks that are not compared yet, and then the first `verified` are. Of a loaded one all are compared before the
 * caller has it. Memory for a body is taken from the system untouched, so a header that lies costs addresses, and
 * memory only for bytes that came.
 *
 * Called by filter_file.c, chain.c, rebuild.c and the files of windows, counters, key sets and the corpus. */
#include "mlbf/file/block_file.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "mlbf/file/block_header.h"
#include "mlbf/file/disk_io.h"

enum { FORMAT_VERSION = 3, ENDIAN_MARK = 0x01020304, CHECKSUM_AT = MLBF_HEADER_BYTES - 8 };

static const char magic[8] = {'M', 'L', 'B', 'F', '\r', '\n', 0x1a, '\n'}; /* as PNG's: text modes destroy it */

static const uint64_t body_most = UINT64_C(1) << 48;

uint64_t mlbf_block_count(uint64_t body_bytes)
{
  return body_bytes / MLBF_BLOCK_BYTES + (body_bytes % MLBF_BLOCK_BYTES != 0);
}

uint64_t mlbf_block_checksum(const void *body, uint64_t body_bytes, uint64_t block)
{
  uint64_t begin = block * MLBF_BLOCK_BYTES, left = body_bytes - begin;
  assert(begin < body_bytes);
  return XXH3_64bits((const char *)body + begin, left < MLBF_BLOCK_BYTES ? left : MLBF_BLOCK_BYTES);
}

/* ---- memory ---- */

/* Straight from the system, cleared, and in huge pages where it has them: a filter is one large random-access table,
 * and a TLB miss costs as much as the cache miss. Pages of a smaller one fit the TLB, and to clear a huge page takes
 * longer than all that a short crawl does in it. */
enum { HUGE_LEAST = 8 << 20 };

static void *allocate(uint64_t bytes)
{
  void *body = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (body == MAP_FAILED)
    return NULL;
  if (bytes >= HUGE_LEAST)
    madvise(body, bytes, MADV_HUGEPAGE); /* a wish; without it the filter is slower, not wrong */
  return body;
}

static void release(void *body, uint64_t bytes)
{
  if (body)
    munmap(body, bytes);
}

mlbf_status mlbf_block_file_make(mlbf_structure kind, const mlbf_keying *keying, const char *profile,
                                 uint64_t body_bytes, mlbf_block_file *file)
{
  const char *name = profile ? profile : "";
  size_t name_size = strlen(name);
  if (body_bytes == 0 || body_bytes > body_most || name_size >= MLBF_PROFILE_SIZE)
    return MLBF_BAD_ARGUMENT;
  void *body = allocate(body_bytes);
  if (!body)
    return MLBF_NO_MEMORY;
  *file = (mlbf_block_file){
    .kind = kind, .keying = *keying, .body = body, .body_bytes = body_bytes, .memory = {body, body_bytes}};
  memcpy(file->profile, name, name_size);
  return MLBF_OK;
}

void mlbf_block_file_drop(mlbf_block_file *file)
{
  free(file->checksums);
  release(file->memory.begin, file->memory.bytes);
  *file = (mlbf_block_file){.body = NULL};
}

/* ---- the header ---- */

void block_header_fill(const mlbf_block_file *file, uint64_t body_bytes, const uint64_t *checksums,
                       block_header *header)
{
  *header = (block_header){.version = FORMAT_VERSION,
                           .endian_mark = ENDIAN_MARK,
                           .kind = file->kind,
                           .profile_size = (uint32_t)strlen(file->profile),
                           .seed = file->keying.seed,
                           .body_bytes = body_bytes,
                           .block_count = mlbf_block_count(body_bytes)};
  mlbf_keying_encode(&file->keying, &header->key);
  memcpy(header->magic, magic, sizeof magic);
  memcpy(header->numbers, file->numbers, sizeof header->numbers);
  memcpy(header->profile, file->profile, header->profile_size);
  header->checksum_of_checksums = XXH3_64bits(checksums, header->block_count * sizeof *checksums);
  header->checksum = XXH3_64bits(header, CHECKSUM_AT);
}

static bool is_zero(const char *bytes, size_t size)
{
  while (size > 0 && bytes[size - 1] == 0)
    size--;
  return size == 0;
}

mlbf_status block_header_check(const block_header *header, mlbf_structure kind, uint64_t bytes_left)
{
  if (memcmp(header->magic, magic, sizeof magic) != 0)
    return MLBF_NOT_A_FILTER;
  if (header->version != FORMAT_VERSION || header->endian_mark != ENDIAN_MARK)
    return MLBF_VERSION;
  const uint64_t body = header->body_bytes;
  bool is_sound = header->checksum == XXH3_64bits(header, CHECKSUM_AT) && header->profile_size < MLBF_PROFILE_SIZE &&
                  !memchr(header->profile, 0, header->profile_size) &&
                  is_zero(header->profile + header->profile_size, MLBF_PROFILE_SIZE - header->profile_size) &&
                  is_zero(header->zeros, sizeof header->zeros) && body > 0 && body <= body_most &&
                  header->block_count == mlbf_block_count(body) && body <= bytes_left &&
                  header->block_count * sizeof(uint64_t) <= bytes_left - body;
  if (!is_sound)
    return MLBF_DAMAGED;
  if (header->kind == kind)
    return MLBF_OK;
  return kind == MLBF_FILE_FILTER ? MLBF_NOT_A_FILTER : MLBF_MISMATCH;
}

/* What the header says, as far as its kind believes it. */
static mlbf_status adopt_header(const block_header *header, const uint8_t *secret, mlbf_body_sizer *sizer,
                                mlbf_block_file *file)
{
  *file = (mlbf_block_file){.kind = (mlbf_structure)header->kind, .body_bytes = header->body_bytes};
  memcpy(file->numbers, header->numbers, sizeof file->numbers);
  memcpy(file->profile, header->profile, sizeof file->profile);
  mlbf_status status = mlbf_keying_decode(&header->key, header->seed, secret, &file->keying);
  if (status != MLBF_OK)
    return status;
  const uint64_t bytes = sizer(file);
  if (bytes == MLBF_BODY_OF_ANOTHER)
    return MLBF_MISMATCH;
  return bytes == file->body_bytes ? MLBF_OK : MLBF_DAMAGED;
}

/* ---- reading ---- */

int64_t mlbf_read_file(void *context, void *bytes, uint64_t size)
{
  ssize_t got;
  do
    got = read(*(const int *)context, bytes, size < INT_MAX ? size : INT_MAX / 2);
  while (got < 0 && errno == EINTR);
  return got;
}

/* A callback, and how much it may still give. */
typedef struct source {
  mlbf_read *read;
  void *context;
  uint64_t *bytes_left;
} source;

static mlbf_status read_all(const source *s, void *bytes, uint64_t size)
{
  for (char *at = bytes; size > 0;) {
    int64_t got = s->read(s->context, at, size);
    if (got < 0 || (uint64_t)got > size)
      return MLBF_IO;
    if (got == 0)
      return MLBF_DAMAGED;
    at += got;
    size -= (uint64_t)got;
    *s->bytes_left -= (uint64_t)got < *s->bytes_left ? (uint64_t)got : *s->bytes_left;
  }
  return MLBF_OK;
}

static mlbf_status read_body(const source *s, const block_header *header, uint64_t *checksums, mlbf_block_file *file)
{
  uint64_t blocks = header->block_count, *wanted = checksums + blocks;
  mlbf_status status = MLBF_OK;
  for (uint64_t i = 0; status == MLBF_OK && i < blocks; i++) {
    uint64_t begin = i * MLBF_BLOCK_BYTES, left = file->body_bytes - begin;
    status = read_all(s, file->body + begin, left < MLBF_BLOCK_BYTES ? left : MLBF_BLOCK_BYTES);
    if (status == MLBF_OK)
      checksums[i] = mlbf_block_checksum(file->body, file->body_bytes, i);
  }
  if (status == MLBF_OK)
    status = read_all(s, wanted, blocks * sizeof *wanted);
  if (status != MLBF_OK)
    return status;
  bool is_sound = XXH3_64bits(wanted, blocks * sizeof *wanted) == header->checksum_of_checksums &&
                  memcmp(wanted, checksums, blocks * sizeof *wanted) == 0;
  return is_sound ? MLBF_OK : MLBF_DAMAGED;
}

static mlbf_status load_body(const source *s, const block_header *header, mlbf_block_file *file)
{
  uint64_t *checksums = malloc(2 * header->block_count * sizeof *checksums);
  file->body = allocate(file->body_bytes);
  file->memory = (mlbf_memory){file->body, file->body_bytes};
  mlbf_status status = checksums && file->body ? read_body(s, header, checksums, file) : MLBF_NO_MEMORY;
  int why = errno;
  free(checksums);
  if (status != MLBF_OK)
    mlbf_block_file_drop(file);
  errno = why;
  return status;
}

mlbf_status mlbf_block_file_read(mlbf_read *read, void *context, uint64_t *bytes_left, mlbf_structure kind,
                                 const uint8_t *secret, mlbf_body_sizer *sizer, mlbf_block_file *file)
{
  block_header header;
  mlbf_block_file made;
  const source s = {read, context, bytes_left};
  mlbf_status status = read_all(&s, &header, sizeof header);
  if (status == MLBF_OK)
    status = block_header_check(&header, kind, *bytes_left);
  if (status == MLBF_OK)
    status = adopt_header(&header, secret, sizer, &made);
  if (status == MLBF_OK)
    status = load_body(&s, &header, &made);
  if (status == MLBF_OK)
    *file = made;
  return status;
}

/* A regular file with room for a header, and its size. */
static mlbf_status measure(int file_number, uint64_t *size)
{
  struct stat info;
  if (fstat(file_number, &info) != 0)
    return MLBF_IO;
  *size = (uint64_t)info.st_size;
  return S_ISREG(info.st_mode) && info.st_size >= MLBF_HEADER_BYTES ? MLBF_OK : MLBF_NOT_A_FILTER;
}

mlbf_status mlbf_block_file_load(const char *path, mlbf_structure kind, const uint8_t *secret, mlbf_body_sizer *sizer,
                                 mlbf_block_file *file)
{
  int number = mlbf_disk_open(path);
  uint64_t left = 0;
  mlbf_block_file made = {.body = NULL};
  if (number < 0)
    return MLBF_IO;
  mlbf_status status = measure(number, &left);
  if (status == MLBF_OK)
    status = mlbf_block_file_read(mlbf_read_file, &number, &left, kind, secret, sizer, &made);
  if (status == MLBF_OK && left > 0) {
    mlbf_block_file_drop(&made);
    status = MLBF_DAMAGED;
  }
  if (status == MLBF_OK)
    *file = made;
  int why = errno;
  close(number);
  errno = why;
  return status;
}

/* ---- mapping ---- */

static mlbf_status read_checksums(int file_number, const block_header *header, uint64_t **checksums)
{
  uint64_t bytes = header->block_count * sizeof(uint64_t), *made = malloc(bytes);
  if (!made)
    return MLBF_NO_MEMORY;
  mlbf_status status = mlbf_disk_read(file_number, made, bytes, MLBF_HEADER_BYTES + header->body_bytes);
  if (status == MLBF_OK && XXH3_64bits(made, bytes) != header->checksum_of_checksums)
    status = MLBF_DAMAGED;
  if (status == MLBF_OK)
    *checksums = made;
  else
    free(made);
  return status;
}

/* A private mapping: writes stay in memory. Not reserved, since most pages are never written. */
static mlbf_status map_body(int file_number, mlbf_block_file *file)
{
  uint64_t bytes = MLBF_HEADER_BYTES + file->body_bytes;
  unsigned char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file_number, 0);
  if (memory == MAP_FAILED)
    return errno == ENOMEM ? MLBF_NO_MEMORY : MLBF_IO;
  file->body = memory + MLBF_HEADER_BYTES;
  file->memory = (mlbf_memory){memory, bytes};
  return MLBF_OK;
}

mlbf_status mlbf_block_file_map_open(int file_number, mlbf_structure kind, const uint8_t *secret,
                                     mlbf_body_sizer *sizer, mlbf_block_file *file)
{
  block_header header;
  mlbf_block_file made;
  uint64_t size;
  mlbf_status status = measure(file_number, &size);
  if (status == MLBF_OK)
    status = mlbf_disk_read(file_number, &header, sizeof header, 0);
  if (status == MLBF_OK)
    status = block_header_check(&header, kind, size - MLBF_HEADER_BYTES);
  if (status == MLBF_OK)
    status = adopt_header(&header, secret, sizer, &made);
  if (status == MLBF_OK && MLBF_HEADER_BYTES + header.body_bytes + header.block_count * sizeof(uint64_t) != size)
    status = MLBF_DAMAGED;
  if (status == MLBF_OK)
    status = read_checksums(file_number, &header, &made.checksums);
  if (status != MLBF_OK)
    return status;
  status = map_body(file_number, &made);
  if (status == MLBF_OK)
    *file = made;
  else
    free(made.checksums);
  return status;
}

mlbf_status mlbf_block_file_map(const char *path, mlbf_structure kind, const uint8_t *secret, mlbf_body_sizer *sizer,
                                mlbf_block_file *file)
{
  int number = mlbf_disk_open(path);
  if (number < 0)
    return MLBF_IO;
  mlbf_status status = mlbf_block_file_map_open(number, kind, secret, sizer, file);
  int why = errno;
  close(number);
  errno = why;
  return status;
}

/* ---- verifying ---- */

bool mlbf_block_file_is_sound(const mlbf_block_file *file, uint64_t block)
{
  return !file->checksums || mlbf_block_checksum(file->body, file->body_bytes, block) == file->checksums[block];
}

bool mlbf_block_file_is_all_sound(const mlbf_block_file *file)
{
  if (!file->checksums)
    return true;
  uint64_t block = file->verified, end = mlbf_block_count(file->body_bytes);
  while (block < end && mlbf_block_file_is_sound(file, block))
    block++;
  return block == end;
}

void mlbf_block_file_read_ahead(const mlbf_block_file *file, uint64_t block)
{
  if (!file->checksums || block >= mlbf_block_count(file->body_bytes))
    return;
  uint64_t left = file->body_bytes - block * MLBF_BLOCK_BYTES;
  unsigned char *begin = file->body + block * MLBF_BLOCK_BYTES;
  begin -= (uintptr_t)begin % 4096; /* behind a header of a page: it is one, on most machines */
  madvise(begin, left < MLBF_BLOCK_BYTES ? left : MLBF_BLOCK_BYTES, MADV_WILLNEED); /* without it, it is slower */
}

mlbf_status mlbf_block_file_verify_some(mlbf_block_file *file, uint64_t bytes, bool *is_done)
{
  uint64_t blocks = mlbf_block_count(file->body_bytes), steps = bytes / MLBF_BLOCK_BYTES;
  *is_done = !file->checksums;
  for (uint64_t i = 0; file->checksums && file->verified < blocks && i <= steps; i++) {
    mlbf_block_file_read_ahead(file, file->verified + 1);
    if (!mlbf_block_file_is_sound(file, file->verified))
      return MLBF_DAMAGED;
    file->verified++;
  }
  if (file->checksums && file->verified == blocks) {
    free(file->checksums);
    file->checksums = NULL;
    *is_done = true;
  }
  return MLBF_OK;
}

mlbf_status mlbf_block_file_verify(mlbf_block_file *file)
{
  bool is_done;
  return mlbf_block_file_verify_some(file, UINT64_MAX, &is_done);
}
