/* One volume: a file of documents, and the row of each. A document's row follows from the documents before it, so the
 * rows can be rebuilt from the documents at any time; a full volume stores them only to open fast.
 *
 *     being filled --64 rows, the next document has no room--> rows made --> .docs synced --> .rows written --> full
 *
 * Always (assert_volume): rows are begun in order, each at the end of the one before, and none is longer than a buffer.
 * Rows in memory know the documents up to words_end and no other. A full volume has mapped rows that were checked, and
 * never changes. .rows is written only after a sync of .docs that succeeded; after one that failed all documents are
 * written again first.
 *
 * Called by corpus.c, which has one buffer of a row for all volumes.
 *
 * After a crash: .docs may end in a torn document, which opening passes over or cuts off. .docs.new may be left, and
 * NAME.tmp of a .rows. A volume without .rows is read from its documents. */
#include "mlbf/similar/corpus_volume.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "mlbf/file/disk_io.h"

enum { ENDIAN_MARK = 0x01020304 };
enum { N_SHINGLES, N_BITS, N_HASHES, N_DOCUMENTS, N_DOCS_BYTES, NUMBERS };

static const char magic[8] = {'M', 'L', 'B', 'C', '\r', '\n', 0x1a, '\n'};

/* Of a .docs file, byte for byte. */
typedef struct docs_header {
  char magic[8];
  uint32_t version, endian_mark;
  uint64_t row_shingles, row_bits;
  uint32_t hashes, rows;
  uint64_t row_bytes, zero, checksum;
} docs_header;

_Static_assert(sizeof(docs_header) == CORPUS_HEADER_BYTES, "the header has no padding");

/* Behind the words, in the body of a .rows file. */
typedef struct rows_index {
  uint64_t row_at[MLBF_ROWS + 1], row_first[MLBF_ROWS], bits_set[MLBF_ROWS];
} rows_index;

static const uint64_t words_bytes = CORPUS_ROW_BITS * sizeof(uint64_t);
static const uint64_t docs_bytes_most = CORPUS_HEADER_BYTES + (uint64_t)MLBF_ROWS * CORPUS_ROW_BYTES;

enum { NAME_SIZE = 24 };

static void name_of(uint32_t number, const char *suffix, char name[NAME_SIZE])
{
  snprintf(name, NAME_SIZE, "%05u%s", (unsigned)number, suffix);
}

static int open_file(const corpus_directory *directory, uint32_t number, const char *suffix, int flags)
{
  char name[NAME_SIZE];
  name_of(number, suffix, name);
  return mlbf_disk_open_in(directory->file, name, flags);
}

int corpus_volume_file(const corpus_volume *v, const char *suffix, int flags)
{
  return open_file(v->directory, v->number, suffix, flags);
}

bool corpus_has_volume(const corpus_directory *directory, uint32_t number)
{
  int file = open_file(directory, number, ".docs", O_RDONLY);
  bool is_there = file >= 0 || errno != ENOENT;
  if (file >= 0)
    close(file);
  return is_there;
}

/* `name`: the file's, with a slash before it, or "". */
static mlbf_status set_error(corpus_directory *directory, const char *name, mlbf_status status, const char *what)
{
  int why = errno;
  const char *text = what ? what : status == MLBF_IO ? mlbf_disk_text(errno) : mlbf_status_text(status);
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s%s", directory->path, name);
  snprintf(directory->message, sizeof directory->message, "%.400s: %s", path, text);
  errno = why;
  return status;
}

mlbf_status corpus_directory_error(corpus_directory *directory, mlbf_status status, const char *what)
{
  return set_error(directory, "", status, what);
}

mlbf_status corpus_volume_error(const corpus_volume *v, const char *suffix, mlbf_status status, const char *what)
{
  char name[1 + NAME_SIZE] = "/";
  name_of(v->number, suffix, name + 1);
  return set_error(v->directory, name, status, what);
}

mlbf_status corpus_volume_damaged(const corpus_volume *v, uint64_t offset)
{
  char what[64];
  snprintf(what, sizeof what, "damaged at byte %llu", (unsigned long long)offset);
  return corpus_volume_error(v, ".docs", MLBF_DAMAGED, what);
}

/* ---- rows ----------------------------------------------------------------------------------------------- */

static bool row_has_room(const corpus_volume *v, uint64_t shingles, uint64_t bytes)
{
  return v->rows > 0 && v->row_shingles + shingles + CORPUS_NAME_SHINGLES <= CORPUS_ROW_SHINGLES &&
         v->row_at[v->rows] - v->row_at[v->rows - 1] + bytes <= CORPUS_ROW_BYTES;
}

bool corpus_volume_has_room(const corpus_volume *v, uint64_t shingles, uint64_t bytes)
{
  return !v->is_full && (v->rows < MLBF_ROWS || row_has_room(v, shingles, bytes));
}

static void row_begin(corpus_volume *v)
{
  assert(v->rows < MLBF_ROWS);
  v->row_first[v->rows] = v->documents;
  v->row_at[v->rows + 1] = v->row_at[v->rows];
  v->row_shingles = 0;
  v->rows++;
}

void corpus_volume_add(corpus_volume *v, const corpus_record *r)
{
  assert(!v->is_full && corpus_volume_has_room(v, r->count, r->bytes));
  if (!row_has_room(v, r->count, r->bytes))
    row_begin(v);
  v->row_shingles += r->count + CORPUS_NAME_SHINGLES;
  v->row_at[v->rows] += r->bytes;
  v->documents++;
  assert_volume(v);
}

static void begin_volume(corpus_directory *directory, uint32_t number, corpus_volume *v)
{
  *v = (corpus_volume){
    .directory = directory, .number = number, .row_at = {CORPUS_HEADER_BYTES}, .words_end = CORPUS_HEADER_BYTES};
}

static void insert_record(corpus_volume *v, unsigned row, const corpus_record *r)
{
  assert(v->words && row < v->rows && !v->is_full);
  uint64_t name[CORPUS_NAME_SHINGLES];
  corpus_name_shingles(r->name, name);
  v->bits_set[row] += mlbf_rows_insert(v->words, corpus_shape, row, r->shingles, r->count);
  v->bits_set[row] += mlbf_rows_insert(v->words, corpus_shape, row, name, CORPUS_NAME_SHINGLES);
}

/* What is new of one row. */
static mlbf_status insert_row(corpus_volume *v, unsigned row, unsigned char *buffer)
{
  assert(v->words_end >= v->row_at[row] && v->words_end < v->row_at[row + 1]);
  uint64_t size, at = v->words_end - v->row_at[row];
  corpus_record r;
  mlbf_status status = corpus_volume_read_row(v, row, buffer, &size);
  if (status != MLBF_OK)
    return status;
  for (; at < size && corpus_record_read(buffer + at, size - at, v->row_at[row] + at, &r); at += r.bytes)
    insert_record(v, row, &r);
  v->words_end = v->row_at[row] + at;
  assert(at <= size);
  return at == size ? MLBF_OK : corpus_volume_damaged(v, v->words_end);
}

mlbf_status corpus_volume_need_rows(corpus_volume *v, unsigned char *buffer)
{
  mlbf_status status = MLBF_OK;
  if (v->is_full || v->words_end == v->row_at[v->rows])
    return MLBF_OK;
  if (!v->words)
    status = mlbf_block_file_make(MLBF_FILE_ROWS, &mlbf_keying_none, NULL, words_bytes + sizeof(rows_index),
                                  &v->rows_file);
  if (status != MLBF_OK)
    return corpus_directory_error(v->directory, status, NULL);
  v->words = (void *)v->rows_file.body;
  for (unsigned row = 0; status == MLBF_OK && row < v->rows; row++)
    if (v->words_end < v->row_at[row + 1])
      status = insert_row(v, row, buffer);
  return status;
}

void corpus_volume_drop(corpus_volume *v)
{
  mlbf_block_file_drop(&v->rows_file);
  v->words = NULL;
}

/* ---- documents ------------------------------------------------------------------------------------------ */

static docs_header make_header(void)
{
  docs_header h = {.version = CORPUS_VERSION,
                   .endian_mark = ENDIAN_MARK,
                   .row_shingles = CORPUS_ROW_SHINGLES,
                   .row_bits = CORPUS_ROW_BITS,
                   .hashes = CORPUS_HASHES,
                   .rows = MLBF_ROWS,
                   .row_bytes = CORPUS_ROW_BYTES};
  memcpy(h.magic, magic, sizeof magic);
  h.checksum = XXH3_64bits(&h, offsetof(docs_header, checksum));
  return h;
}

static mlbf_status check_header(int file, const struct stat *info)
{
  const docs_header ours = make_header();
  docs_header h;
  if (!S_ISREG(info->st_mode) || info->st_size < CORPUS_HEADER_BYTES)
    return MLBF_NOT_A_FILTER;
  mlbf_status status = mlbf_disk_read(file, &h, sizeof h, 0);
  if (status != MLBF_OK)
    return status;
  if (memcmp(&h, &ours, sizeof h) == 0)
    return MLBF_OK;
  if (memcmp(h.magic, magic, sizeof magic) != 0)
    return MLBF_NOT_A_FILTER;
  return h.checksum == XXH3_64bits(&h, offsetof(docs_header, checksum)) ? MLBF_VERSION : MLBF_DAMAGED;
}

/* What is behind the documents: nothing, the torn end of a power cut, or, if another document is in it, damage. */
static bool follows_another(const unsigned char *bytes, uint64_t at, uint64_t size)
{
  corpus_record r;
  for (; at < size; at += 8)
    if (corpus_record_read(bytes + at, size - at, at, &r))
      return true;
  return false;
}

static mlbf_status add_documents(corpus_volume *v, const unsigned char *bytes, uint64_t size)
{
  corpus_record r;
  uint64_t at = CORPUS_HEADER_BYTES;
  while (corpus_record_read(bytes + at, size - at, at, &r) && corpus_volume_has_room(v, r.count, r.bytes)) {
    corpus_volume_add(v, &r);
    at += r.bytes;
  }
  assert(at == v->row_at[v->rows]);
  return follows_another(bytes, at, size) ? corpus_volume_damaged(v, at) : MLBF_OK;
}

static mlbf_status read_documents(corpus_volume *v, int file, uint64_t size)
{
  if (size > docs_bytes_most + CORPUS_RECORD_MAX)
    return corpus_volume_error(v, ".docs", MLBF_DAMAGED, "longer than it can be");
  unsigned char *bytes = malloc(size);
  if (!bytes)
    return corpus_volume_error(v, ".docs", MLBF_NO_MEMORY, NULL);
  mlbf_status status = mlbf_disk_read(file, bytes, size, 0);
  status = status == MLBF_OK ? add_documents(v, bytes, size) : corpus_volume_error(v, ".docs", status, NULL);
  free(bytes);
  return status;
}

static mlbf_status cut(const corpus_volume *v, uint64_t size, uint64_t *cut_bytes)
{
  uint64_t end = v->row_at[v->rows];
  assert(size >= end);
  if (size == end)
    return MLBF_OK;
  int file = corpus_volume_file(v, ".docs", O_WRONLY);
  bool is_cut = file >= 0 && ftruncate(file, (off_t)end) == 0;
  mlbf_status status = is_cut ? MLBF_OK : corpus_volume_error(v, ".docs", MLBF_IO, NULL);
  if (file >= 0)
    close(file);
  *cut_bytes += is_cut ? size - end : 0;
  return status;
}

/* Under another name first: there is no volume whose header is half written. */
static bool make_documents(int directory, const char *made, const char *name)
{
  docs_header header = make_header();
  int file = mlbf_disk_create(directory, made, 0666);
  bool is_written = file >= 0 && mlbf_disk_write(file, &header, sizeof header) && fdatasync(file) == 0;
  int why = errno;
  if (file >= 0)
    close(file);
  errno = why;
  return is_written && renameat(directory, made, directory, name) == 0 && fsync(directory) == 0;
}

mlbf_status corpus_volume_create(corpus_directory *directory, uint32_t number, corpus_volume *v)
{
  char made[NAME_SIZE], name[NAME_SIZE];
  name_of(number, ".docs.new", made);
  name_of(number, ".docs", name);
  begin_volume(directory, number, v);
  if (make_documents(directory->file, made, name))
    return MLBF_OK;
  return corpus_volume_error(v, ".docs.new", MLBF_IO, NULL);
}

/* ---- rows and documents on disk -------------------------------------------------------------------------- */

static uint64_t rows_body_bytes(const mlbf_block_file *file)
{
  const uint64_t *n = file->numbers;
  for (int i = NUMBERS; i < MLBF_NUMBERS; i++)
    if (n[i])
      return 0;
  bool is_ours = n[N_SHINGLES] == CORPUS_ROW_SHINGLES && n[N_BITS] == CORPUS_ROW_BITS && n[N_HASHES] == CORPUS_HASHES &&
                 n[N_DOCUMENTS] > 0 && n[N_DOCS_BYTES] <= docs_bytes_most;
  return is_ours ? words_bytes + sizeof(rows_index) : 0;
}

static bool is_sound(const rows_index *index, const mlbf_block_file *file)
{
  bool is_fine = index->row_at[0] == CORPUS_HEADER_BYTES && index->row_first[0] == 0 &&
                 index->row_at[MLBF_ROWS] == file->numbers[N_DOCS_BYTES];
  for (int i = 0; i < MLBF_ROWS; i++)
    is_fine = is_fine && index->row_at[i + 1] > index->row_at[i] &&
              index->row_at[i + 1] - index->row_at[i] <= CORPUS_ROW_BYTES && index->row_at[i] % 8 == 0 &&
              index->row_first[i] < file->numbers[N_DOCUMENTS];
  return is_fine;
}

/* Instead of what the volume has in memory. MLBF_IO with ENOENT: there is no such file. */
static mlbf_status map_rows(corpus_volume *v)
{
  mlbf_block_file mapped;
  int file = corpus_volume_file(v, ".rows", O_RDONLY);
  if (file < 0)
    return corpus_volume_error(v, ".rows", MLBF_IO, NULL);
  mlbf_status status = mlbf_block_file_map_open(file, MLBF_FILE_ROWS, NULL, rows_body_bytes, &mapped);
  int why = errno;
  close(file);
  errno = why;
  if (status != MLBF_OK)
    return corpus_volume_error(v, ".rows", status, NULL);
  const rows_index *index = (const void *)(mapped.body + words_bytes);
  status = mlbf_block_file_verify(&mapped);
  if (status == MLBF_OK && !is_sound(index, &mapped))
    status = MLBF_DAMAGED;
  if (status != MLBF_OK) {
    mlbf_block_file_drop(&mapped);
    return corpus_volume_error(v, ".rows", status, NULL);
  }
  corpus_volume_drop(v);
  *v = (corpus_volume){.directory = v->directory,
                       .number = v->number,
                       .rows = MLBF_ROWS,
                       .documents = mapped.numbers[N_DOCUMENTS],
                       .is_full = true,
                       .words = (void *)mapped.body,
                       .rows_file = mapped};
  memcpy(v->row_at, index->row_at, sizeof v->row_at);
  memcpy(v->row_first, index->row_first, sizeof v->row_first);
  memcpy(v->bits_set, index->bits_set, sizeof v->bits_set);
  assert_volume(v);
  return MLBF_OK;
}

static mlbf_status open_rows(corpus_volume *v, int file, uint64_t size)
{
  mlbf_status status = map_rows(v);
  if (status == MLBF_OK && v->row_at[MLBF_ROWS] != size) {
    corpus_volume_drop(v);
    return corpus_volume_error(v, ".docs", MLBF_DAMAGED, "not as long as its .rows file says");
  }
  return status != MLBF_IO || errno != ENOENT ? status : read_documents(v, file, size);
}

mlbf_status corpus_volume_open(corpus_directory *directory, uint32_t number, bool may_cut, corpus_volume *v,
                               uint64_t *cut_bytes)
{
  struct stat info;
  begin_volume(directory, number, v);
  int file = corpus_volume_file(v, ".docs", O_RDONLY);
  if (file < 0)
    return corpus_volume_error(v, ".docs", MLBF_IO, NULL);
  mlbf_status status = fstat(file, &info) == 0 ? check_header(file, &info) : MLBF_IO;
  if (status != MLBF_OK)
    status = corpus_volume_error(v, ".docs", status, status == MLBF_NOT_A_FILTER ? "no file of documents" : NULL);
  else
    status = open_rows(v, file, (uint64_t)info.st_size);
  if (status == MLBF_OK && may_cut)
    status = cut(v, (uint64_t)info.st_size, cut_bytes);
  int why = errno;
  close(file);
  errno = why;
  return status;
}

static mlbf_status write_row_again(int file, const corpus_volume *v, unsigned row, unsigned char *bytes)
{
  uint64_t begin = v->row_at[row], size = v->row_at[row + 1] - begin;
  corpus_record r;
  mlbf_status status = mlbf_disk_read(file, bytes, size, begin);
  if (status != MLBF_OK)
    return status;
  for (uint64_t at = 0; at < size; at += r.bytes)
    if (!corpus_record_read(bytes + at, size - at, begin + at, &r))
      return MLBF_DAMAGED;
  return lseek(file, (off_t)begin, SEEK_SET) >= 0 && mlbf_disk_write(file, bytes, size) ? MLBF_OK : MLBF_IO;
}

/* What a failed sync did not write the kernel may drop at any time, and says so only once. Mostly it is there still,
 * and each document's checksum tells: so all are written again. */
static mlbf_status write_again(int file, const corpus_volume *v, unsigned char *buffer)
{
  mlbf_status status = MLBF_OK;
  for (unsigned row = 0; status == MLBF_OK && row < v->rows; row++)
    status = write_row_again(file, v, row, buffer);
  return status;
}

/* So that all documents are on disk. */
static mlbf_status sync_documents(corpus_volume *v, unsigned char *buffer)
{
  int file = corpus_volume_file(v, ".docs", O_RDWR);
  if (file < 0)
    return MLBF_IO;
  mlbf_status status = v->sync_failed ? write_again(file, v, buffer) : MLBF_OK;
  if (status == MLBF_OK) {
    v->sync_failed = fdatasync(file) != 0;
    status = v->sync_failed ? MLBF_IO : MLBF_OK;
  }
  int why = errno;
  close(file);
  errno = why;
  return status;
}

mlbf_status corpus_volume_seal(corpus_volume *v, unsigned char *buffer)
{
  char name[NAME_SIZE];
  assert(!v->is_full && v->rows == MLBF_ROWS);
  assert_volume(v);
  mlbf_status status = corpus_volume_need_rows(v, buffer);
  if (status != MLBF_OK)
    return status;
  assert(v->rows_file.body && v->words_end == v->row_at[MLBF_ROWS]);
  rows_index *index = (void *)(v->rows_file.body + words_bytes);
  memcpy(index->row_at, v->row_at, sizeof index->row_at);
  memcpy(index->row_first, v->row_first, sizeof index->row_first);
  memcpy(index->bits_set, v->bits_set, sizeof index->bits_set);
  const uint64_t numbers[NUMBERS] = {CORPUS_ROW_SHINGLES, CORPUS_ROW_BITS, CORPUS_HASHES, v->documents,
                                     v->row_at[MLBF_ROWS]};
  memcpy(v->rows_file.numbers, numbers, sizeof numbers);
  status = sync_documents(v, buffer);
  if (status != MLBF_OK)
    return corpus_volume_error(v, ".docs", status, NULL);
  name_of(v->number, ".rows", name);
  status = mlbf_block_file_save(v->directory->file, name, &v->rows_file,
                                &(mlbf_span){v->rows_file.body, v->rows_file.body_bytes}, 1);
  return status == MLBF_OK ? map_rows(v) : corpus_volume_error(v, ".rows", status, NULL);
}

mlbf_status corpus_volume_read_row(const corpus_volume *v, unsigned row, unsigned char *buffer, uint64_t *size)
{
  assert_volume(v);
  assert(row < v->rows && v->row_at[row + 1] - v->row_at[row] <= CORPUS_ROW_BYTES);
  int file = corpus_volume_file(v, ".docs", O_RDONLY);
  if (file < 0)
    return corpus_volume_error(v, ".docs", MLBF_IO, NULL);
  *size = v->row_at[row + 1] - v->row_at[row];
  mlbf_status status = mlbf_disk_read(file, buffer, *size, v->row_at[row]);
  if (status != MLBF_OK)
    corpus_volume_error(v, ".docs", status, NULL);
  close(file);
  return status;
}
