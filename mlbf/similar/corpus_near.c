/* Near-duplicates of a document as it is added.
 *
 *     least shingles --keyed hash--> 18 minima --three each--> 6 keys --near_table.h--> places --read--> near, or not
 *
 * What is compared are the least of all shingles of each (mlbf_shingles.whole), up to where both have them all: an even
 * sample, whatever windows the words around an edit made. A document that was added without them is found, and
 * compared, by those that were kept.
 *
 * Two documents that share the part J of all their shingles have equal minima with probability J, and an equal key with
 * 1 - (1 - J^3)^6: 0.9996 for J = 0.9, 0.992 for 0.82, the least of two that are near, and 0.15 for 0.3, which costs
 * one document read in vain. Of the edited copies in three manuals (bench/bench_near --trees) six keys of three
 * found as many as eleven of four, in half the memory.
 *
 * A table is never believed: what it leads to is read, and compared whole. So keys may lead to a document that was lost
 * in a power cut, to half of one, or to one that came in its place.
 *
 * Always: the table has a place for every document of the corpus that it was opened with or that was added since, but
 * for those of volumes beyond 2^16. `file` is of volume `number`'s documents. A document that is asked about is added
 * or not, and its keys lead nowhere new if not.
 *
 * Called by a crawl that looks for near-duplicates (crawler/loop/fingerprint_index.c).
 *
 * After a crash: near.table is that of the last close. It is used for the volumes that were full then, which were
 * synced and never change; all later documents are read. */
#include "mlbf/similar/corpus_inside.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mlbf/file/disk_io.h"
#include "mlbf/similar/near_table.h"

enum {
  MINIMA = 3, /* in a key */
  BINS = MINIMA * CORPUS_NEAR_KEYS,
  CANDIDATES_MOST = CORPUS_NEAR_KEYS * NEAR_SAME_MOST,
  READ_MOST = 11,    /* documents for one page */
  READ_FIRST = 8192, /* bytes; most records are no longer */
};

struct corpus_near {
  near_table table;
  mlbf_keying keying;
  uint64_t seeds[2]; /* of the secret; the second is odd */
  near_cover cover;  /* of the file */
  uint32_t number;   /* of the volume that is open to be read; 0: none */
  int file;
};

/* ---- keys ----------------------------------------------------------------------------------------------- */

/* A product folded to 64 bits, as in wyhash: two of the secret's numbers are in it. */
static uint64_t mix(const corpus_near *n, uint64_t x)
{
  __extension__ unsigned __int128 product = (unsigned __int128)(x ^ n->seeds[0]) * n->seeds[1];
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* The least of each bin. A bin that got none has another chance with other hashes, until none is empty: so equal
 * minima stay as likely as equal shingles. */
static void find_minima(const corpus_near *n, const uint64_t *shingles, size_t count, uint64_t minima[BINS])
{
  uint32_t empty = (1U << BINS) - 1;
  assert(count > 0);
  for (uint64_t round = 1; empty; round++) {
    uint64_t least[BINS];
    memset(least, 0xff, sizeof least);
    for (size_t i = 0; i < count; i++) {
      uint64_t hash = mix(n, shingles[i] + round * UINT64_C(0x9e3779b97f4a7c15));
      size_t bin = (hash >> 32) * BINS >> 32;
      assert(bin < BINS);
      least[bin] = hash < least[bin] ? hash : least[bin];
    }
    for (size_t bin = 0; bin < BINS; bin++)
      if (empty >> bin & 1 && least[bin] != UINT64_MAX) {
        minima[bin] = least[bin];
        empty &= ~(1U << bin);
      }
  }
}

size_t corpus_near_keys(const corpus_near *n, const corpus_record *r, uint64_t keys[CORPUS_NEAR_KEYS])
{
  uint64_t minima[BINS];
  if (r->count < MLBF_CORPUS_NEAR_SHINGLES) {
    keys[0] = mix(n, mix(n, r->text));
    return r->text != 0;
  }
  if (r->whole_count)
    find_minima(n, r->whole, r->whole_count, minima);
  else
    find_minima(n, r->shingles, r->count, minima);
  for (size_t i = 0; i < CORPUS_NEAR_KEYS; i++) {
    keys[i] = i + 1;
    for (size_t k = 0; k < MINIMA; k++)
      keys[i] = mix(n, keys[i] ^ minima[i * MINIMA + k]);
  }
  return CORPUS_NEAR_KEYS;
}

mlbf_status corpus_near_index(mlbf_corpus *c, const uint64_t *keys, size_t count, uint32_t volume, uint64_t offset)
{
  if (volume >> NEAR_VOLUME_BITS) /* some 500 million pages: the later ones are not found */
    return MLBF_OK;
  for (size_t i = 0; i < count; i++)
    if (!near_table_put(&c->near->table, keys[i], (near_place){volume, offset}))
      return corpus_no_memory(c);
  return MLBF_OK;
}

uint64_t corpus_near_bytes(const corpus_near *n)
{
  return near_table_bytes(&n->table);
}

/* ---- opening and closing -------------------------------------------------------------------------------- */

/* The volumes that never change. */
static near_cover cover_of(const mlbf_corpus *c, uint64_t volumes)
{
  near_cover cover = {.volumes = 0};
  while (cover.volumes < volumes && cover.volumes < c->count && c->volumes[cover.volumes].is_full) {
    const corpus_volume *v = &c->volumes[cover.volumes++];
    cover.documents += v->documents;
    cover.bytes += v->row_at[v->rows];
  }
  return cover;
}

static void set_seeds(corpus_near *n)
{
  memcpy(n->seeds, n->keying.secret, sizeof n->seeds);
  n->seeds[1] |= 1;
}

static mlbf_status index_row(mlbf_corpus *c, const corpus_volume *v, unsigned row)
{
  uint64_t keys[CORPUS_NEAR_KEYS], size, at = 0, begin;
  corpus_record r;
  mlbf_status status = corpus_load_row(c, v, row, &size);
  for (begin = at; status == MLBF_OK && corpus_next_record(c, v, row, size, &at, &r, &status); begin = at) {
    size_t count = corpus_near_keys(c->near, &r, keys);
    status = corpus_near_index(c, keys, count, v->number, v->row_at[row] + begin);
  }
  return status;
}

/* What the file does not cover. */
static mlbf_status index_documents(mlbf_corpus *c)
{
  mlbf_status status = mlbf_corpus_flush(c);
  for (size_t i = c->near->cover.volumes; i < c->count; i++)
    for (unsigned row = 0; status == MLBF_OK && row < c->volumes[i].rows; row++)
      status = index_row(c, &c->volumes[i], row);
  return status;
}

/* A file that is gone, damaged, or of other volumes is as good as none. */
static mlbf_status load(mlbf_corpus *c)
{
  corpus_near *n = c->near;
  mlbf_status status = near_table_load(c->directory.file, &n->table, &n->keying, &n->cover);
  near_cover own = cover_of(c, n->cover.volumes);
  if (status == MLBF_NO_MEMORY)
    return corpus_no_memory(c);
  if (status == MLBF_OK && memcmp(&own, &n->cover, sizeof own) == 0)
    return MLBF_OK;
  near_table_free(&n->table);
  n->cover = (near_cover){.volumes = 0};
  status = mlbf_keying_make(NULL, 0, &n->keying);
  return status == MLBF_OK ? MLBF_OK : corpus_directory_error(&c->directory, status, NULL);
}

static void drop(mlbf_corpus *c)
{
  if (c->near->file >= 0)
    close(c->near->file);
  near_table_free(&c->near->table);
  free(c->near);
  c->near = NULL;
}

mlbf_status mlbf_corpus_near_open(mlbf_corpus *c)
{
  if (c->is_read_only || c->near)
    return corpus_directory_error(&c->directory, MLBF_BAD_ARGUMENT, "read-only, or open already");
  c->near = calloc(1, sizeof *c->near);
  if (!c->near)
    return corpus_no_memory(c);
  c->near->file = -1;
  mlbf_status status = load(c);
  set_seeds(c->near);
  if (status == MLBF_OK)
    status = index_documents(c);
  int why = errno;
  if (status != MLBF_OK)
    drop(c);
  errno = why;
  return status;
}

/* One that cannot be written is made anew by the next opening. */
void corpus_near_close(mlbf_corpus *c)
{
  if (!c->near)
    return;
  near_cover cover = cover_of(c, UINT64_MAX);
  if (cover.volumes != c->near->cover.volumes)
    (void)!near_table_save(c->directory.file, &c->near->table, &c->near->keying, cover);
  drop(c);
}

/* ---- asking --------------------------------------------------------------------------------------------- */

typedef struct candidate {
  near_place place;
  unsigned keys; /* that lead there */
} candidate;

static size_t count_candidate(candidate *all, size_t count, near_place place)
{
  size_t i = 0;
  while (i < count && (all[i].place.volume != place.volume || all[i].place.offset != place.offset))
    i++;
  assert(i < CANDIDATES_MOST);
  if (i == count)
    all[count++] = (candidate){.place = place};
  all[i].keys++;
  return count;
}

static int most_keys_first(const void *a, const void *b)
{
  const candidate *x = a, *y = b;
  if (x->keys != y->keys)
    return x->keys < y->keys ? 1 : -1;
  uint64_t x_place = (uint64_t)x->place.volume << 32 | x->place.offset;
  uint64_t y_place = (uint64_t)y->place.volume << 32 | y->place.offset;
  return x_place < y_place ? 1 : x_place > y_place ? -1 : 0;
}

static size_t find_candidates(const corpus_near *n, const uint64_t *keys, size_t key_count,
                              candidate all[CANDIDATES_MOST])
{
  size_t count = 0;
  for (size_t i = 0; i < key_count; i++) {
    near_place places[NEAR_SAME_MOST];
    size_t found = near_table_get(&n->table, keys[i], places);
    for (size_t k = 0; k < found; k++)
      count = count_candidate(all, count, places[k]);
  }
  if (count > 1)
    qsort(all, count, sizeof *all, most_keys_first);
  return count;
}

/* Of the volume's documents, to be read; it stays open, for most candidates are new. */
static mlbf_status open_volume(corpus_near *n, const corpus_volume *v)
{
  if (n->file >= 0 && n->number == v->number)
    return MLBF_OK;
  if (n->file >= 0)
    close(n->file);
  n->file = corpus_volume_file(v, ".docs", O_RDONLY);
  n->number = v->number;
  return n->file >= 0 ? MLBF_OK : corpus_volume_error(v, ".docs", MLBF_IO, NULL);
}

/* As much as is there, up to `*size` bytes, into c->buffer. */
static mlbf_status read_bytes(mlbf_corpus *c, const corpus_volume *v, uint64_t offset, uint64_t *size)
{
  bool is_last = v->number == c->count;
  uint64_t end = v->row_at[v->rows], written = end - (is_last ? c->tail_bytes : 0);
  uint64_t limit = offset < written ? written : end;
  *size = limit < offset ? 0 : limit - offset < *size ? limit - offset : *size;
  assert(*size <= CORPUS_ROW_BYTES && written <= end && end - written <= CORPUS_TAIL_BYTES);
  if (offset >= written) {
    if (*size)
      memcpy(c->buffer, c->tail + (offset - written), *size);
    return MLBF_OK;
  }
  mlbf_status status = open_volume(c->near, v);
  if (status != MLBF_OK || (status = mlbf_disk_read(c->near->file, c->buffer, *size, offset)) != MLBF_IO)
    return status;
  return corpus_volume_error(v, ".docs", MLBF_IO, NULL);
}

/* The document there, in c->buffer. `*is_there`: false: there is none. */
static mlbf_status read_candidate(mlbf_corpus *c, near_place place, corpus_record *r, bool *is_there)
{
  *is_there = false;
  if (place.volume == 0 || place.volume > c->count)
    return MLBF_OK;
  const corpus_volume *v = &c->volumes[place.volume - 1];
  uint64_t size = READ_FIRST;
  mlbf_status status = read_bytes(c, v, place.offset, &size);
  uint64_t claimed = status == MLBF_OK ? corpus_record_claims(c->buffer, size) : 0;
  if (claimed > size) {
    size = claimed;
    status = read_bytes(c, v, place.offset, &size);
  }
  *is_there = status == MLBF_OK && corpus_record_read(c->buffer, size, place.offset, r);
  return status == MLBF_DAMAGED ? MLBF_OK : status;
}

/* Up to which all of its shingles are known. */
static uint64_t whole_limit(const corpus_record *r)
{
  return r->whole_count < MLBF_SHINGLES_WHOLE ? UINT64_MAX : r->whole[r->whole_count - 1];
}

static size_t count_up_to(const corpus_record *r, uint64_t limit)
{
  size_t count = r->whole_count;
  while (count > 0 && r->whole[count - 1] > limit)
    count--;
  return count;
}

/* The lesser of both shares. */
static double share_of(const corpus_record *a, const corpus_record *b)
{
  double share = 0, back = 0;
  if (a->count < MLBF_CORPUS_NEAR_SHINGLES || b->count < MLBF_CORPUS_NEAR_SHINGLES)
    return a->text && a->text == b->text && a->count == b->count ? 1 : 0;
  if (!a->whole_count || !b->whole_count) {
    corpus_compare(a->shingles, a->count, b->shingles, b->count, &share, &back);
  } else {
    uint64_t a_limit = whole_limit(a), b_limit = whole_limit(b), limit = a_limit < b_limit ? a_limit : b_limit;
    size_t a_count = count_up_to(a, limit), b_count = count_up_to(b, limit);
    if (a_count && b_count)
      corpus_compare(a->whole, a_count, b->whole, b_count, &share, &back);
  }
  return share < back ? share : back;
}

static mlbf_status find_near(mlbf_corpus *c, const corpus_record *page, const uint64_t *keys, size_t key_count,
                             char **near, double *share)
{
  candidate all[CANDIDATES_MOST];
  mlbf_status status = MLBF_OK;
  for (size_t i = 0; i < key_count; i++)
    near_table_prefetch(&c->near->table, keys[i]);
  size_t count = find_candidates(c->near, keys, key_count, all);
  for (size_t i = 0; status == MLBF_OK && i < count && i < READ_MOST; i++) {
    corpus_record r;
    bool is_there;
    status = read_candidate(c, all[i].place, &r, &is_there);
    if (!is_there || (r.name.size == page->name.size && memcmp(r.name.bytes, page->name.bytes, r.name.size) == 0))
      continue;
    *share = share_of(page, &r);
    if (*share < MLBF_CORPUS_NEAR)
      continue;
    *near = strndup(r.name.bytes, r.name.size);
    return *near ? MLBF_OK : corpus_no_memory(c);
  }
  return status;
}

mlbf_status mlbf_corpus_add(mlbf_corpus *c, mlbf_span name, const mlbf_shingles *shingles, char **near, double *share)
{
  uint64_t keys[CORPUS_NEAR_KEYS];
  corpus_record r = {.count = 0};
  char *found = NULL;
  double found_share = 0;
  if (near && !c->near)
    return corpus_directory_error(&c->directory, MLBF_BAD_ARGUMENT, "not open for this");
  mlbf_status status = corpus_prepare(c, name, shingles, &r);
  if (status != MLBF_OK)
    return status;
  size_t count = c->near ? corpus_near_keys(c->near, &r, keys) : 0;
  if (near)
    status = find_near(c, &r, keys, count, &found, &found_share);
  if (status == MLBF_OK)
    status = corpus_commit(c, &r, keys, count);
  if (status != MLBF_OK) {
    int why = errno;
    free(found);
    errno = why;
    return status;
  }
  if (near) {
    *near = found;
    *share = found_share;
  }
  return MLBF_OK;
}
