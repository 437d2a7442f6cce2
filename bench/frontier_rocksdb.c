/* bench_frontier: the contract of ours, hosts and all, over RocksDB. Each table is a column family, so that each has a
 * memtable of its own to be searched; batches over all of them are written with sync; the schedule of hosts is in
 * memory (frontier_polite.h). What is in the open batch cannot be read (a batch with an index would do, in more time):
 * a set of its keys stands beside it, and its URLs are handed out once it is written.
 *
 * Tuned, as 71 % of the time went into memtables: what is not in order goes into the batch sorted, and is inserted with
 * a hint; a memtable of seen is a hash table of lists, and those that are not read before they are written are plain
 * vectors; all are small enough for the caches, and one thread fills them. No compression; log files are used again, so
 * that a sync writes no file system's journal. 7.9 seconds of the processor for 10^6 URLs in place of 10.4. */
#include "bench/frontier_polite.h"

#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Keys are numbers, big-endian so that they sort:
 *     default     hash of a URL, 64 bits         -> nothing: it was seen
 *     queue       1, 2, ... in order of arrival  -> URL
 *     history     how many ended before          -> state, code (2 bytes), URL
 *     host        its id                         -> delay, done, failed, name */
enum { SEEN, QUEUE, HISTORY, HOST, TABLES };
static const char *const tables[TABLES] = {"default", "queue", "history", "host"};

enum { HISTORY_HEAD = 3, HOST_HEAD = 24 };

static const size_t cache_bytes = (size_t)256 << 20, memtable_bytes = (size_t)16 << 20;
enum { SET_SIZE = 4 * CONTENDER_GROUP }; /* open addressing; 0 is free */

typedef struct stored {
  rocksdb_t *db;
  rocksdb_options_t *options[TABLES];
  rocksdb_column_family_handle_t *table[TABLES];
  rocksdb_readoptions_t *reading;
  rocksdb_writeoptions_t *synced;
  rocksdb_writebatch_t *batch;
  uint64_t in_batch[SET_SIZE], hashes[CONTENDER_GROUP]; /* new ones: as a set, and as a list */
  uint64_t deleted[CONTENDER_GROUP];                    /* from the queue, by the open batch */
  polite_host *queued[CONTENDER_GROUP];                 /* by the open batch */
  size_t queued_count, deleted_count;
  polite *hosts;
  uint64_t last_number, ended;
  unsigned in_group;
} stored;

static void demand(char *error)
{
  if (error)
    contender_fail("rocksdb", error);
}

static void put_number(char *bytes, uint64_t number)
{
  for (int i = 0; i < 8; i++)
    bytes[i] = (char)(number >> (56 - 8 * i));
}

static uint64_t get_number(const char *bytes)
{
  uint64_t number = 0;
  for (int i = 0; i < 8; i++)
    number = number << 8 | (unsigned char)bytes[i];
  return number;
}

static void put(stored *s, int table, uint64_t number, const char *value, size_t size)
{
  char key[8];
  put_number(key, number);
  rocksdb_writebatch_put_cf(s->batch, s->table[table], key, sizeof key, value, size);
}

/* ---- a transaction ---------------------------------------------------------------------------------------- */

static void put_host(stored *s, const polite_host *host)
{
  char value[HOST_HEAD + CONTENDER_TEXT];
  put_number(value, host->delay_ms);
  put_number(value + 8, host->done);
  put_number(value + 16, host->failed);
  memcpy(value + HOST_HEAD, host->name, host->name_size);
  put(s, HOST, host->id, value, HOST_HEAD + host->name_size);
}

static int by_value(const void *left, const void *right)
{
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

/* A host is written once, whatever happened to it since the last commit. */
static void commit(stored *s)
{
  char *error = NULL;
  for (polite_host *host; (host = polite_changed(s->hosts));)
    put_host(s, host);
  qsort(s->hashes, s->queued_count, sizeof *s->hashes, by_value);
  qsort(s->deleted, s->deleted_count, sizeof *s->deleted, by_value);
  for (size_t i = 0; i < s->queued_count; i++)
    put(s, SEEN, s->hashes[i], "", 0);
  for (size_t i = 0; i < s->deleted_count; i++) {
    char key[8];
    put_number(key, s->deleted[i]);
    rocksdb_writebatch_singledelete_cf(s->batch, s->table[QUEUE], key, sizeof key); /* what was put once */
  }
  rocksdb_write(s->db, s->synced, s->batch, &error);
  demand(error);
  rocksdb_writebatch_clear(s->batch);
  memset(s->in_batch, 0, sizeof s->in_batch);
  for (size_t i = 0; i < s->queued_count; i++)
    polite_queued(s->hosts, s->queued[i], s->last_number - s->queued_count + 1 + i);
  s->queued_count = s->deleted_count = s->in_group = 0;
}

static void count_operation(stored *s)
{
  if (++s->in_group == CONTENDER_GROUP)
    commit(s);
}

/* ---- open ------------------------------------------------------------------------------------------------- */

/* Filters of 10 bits a key in front of seen's tables, as its handbook advises for look-ups of what is mostly not there,
 * and one in front of its memtable. */
static rocksdb_options_t *options_of(int table, rocksdb_cache_t *cache)
{
  rocksdb_options_t *options = rocksdb_options_create();
  rocksdb_block_based_table_options_t *blocks = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_block_cache(blocks, cache);
  if (table == SEEN) {
    rocksdb_block_based_options_set_filter_policy(blocks, rocksdb_filterpolicy_create_bloom_full(10));
    rocksdb_options_set_memtable_prefix_bloom_size_ratio(options, 0.1);
    rocksdb_options_set_memtable_whole_key_filtering(options, 1);
    rocksdb_options_set_prefix_extractor(options, rocksdb_slicetransform_create_fixed_prefix(2));
    rocksdb_options_set_hash_skip_list_rep(options, 65536, 4, 4);
  }
  if (table == HISTORY || table == HOST)
    rocksdb_options_set_memtable_vector_rep(options);
  rocksdb_options_set_block_based_table_factory(options, blocks);
  rocksdb_block_based_options_destroy(blocks);
  rocksdb_options_set_compression(options, rocksdb_no_compression);
  rocksdb_options_set_write_buffer_size(options, memtable_bytes);
  rocksdb_options_set_allow_concurrent_memtable_write(options, 0);
  rocksdb_options_set_recycle_log_file_num(options, 4);
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_create_missing_column_families(options, 1);
  return options;
}

static void each_row(stored *s, int table, void visit(stored *s, const char *key, const char *value, size_t size))
{
  char *error = NULL;
  size_t key_size, size;
  rocksdb_iterator_t *at = rocksdb_create_iterator_cf(s->db, s->reading, s->table[table]);
  for (rocksdb_iter_seek_to_first(at); rocksdb_iter_valid(at); rocksdb_iter_next(at)) {
    const char *key = rocksdb_iter_key(at, &key_size), *value = rocksdb_iter_value(at, &size);
    visit(s, key, value, size);
  }
  rocksdb_iter_get_error(at, &error);
  demand(error);
  rocksdb_iter_destroy(at);
}

static void read_host(stored *s, const char *key, const char *value, size_t size)
{
  (void)key; /* they come in order, so each gets its own again */
  polite_host *host = polite_host_restore(s->hosts, value + HOST_HEAD, size - HOST_HEAD, get_number(value));
  host->done = get_number(value + 8);
  host->failed = get_number(value + 16);
}

static void read_queued(stored *s, const char *key, const char *value, size_t size)
{
  s->last_number = get_number(key);
  polite_queued(s->hosts, polite_host_of(s->hosts, value, size), s->last_number);
}

static void count_ended(stored *s)
{
  size_t size;
  rocksdb_iterator_t *at = rocksdb_create_iterator_cf(s->db, s->reading, s->table[HISTORY]);
  rocksdb_iter_seek_to_last(at);
  s->ended = rocksdb_iter_valid(at) ? get_number(rocksdb_iter_key(at, &size)) + 1 : 0;
  rocksdb_iter_destroy(at);
}

static void *open_stored(const char *directory, uint64_t expected_urls)
{
  (void)expected_urls;
  char path[4096], *error = NULL;
  stored *s = calloc(1, sizeof *s);
  if (!s)
    contender_fail("rocksdb", "out of memory");
  s->hosts = polite_create();
  snprintf(path, sizeof path, "%s/rocksdb", directory);
  rocksdb_cache_t *cache = rocksdb_cache_create_lru(cache_bytes);
  for (int i = 0; i < TABLES; i++)
    s->options[i] = options_of(i, cache);
  rocksdb_cache_destroy(cache); /* they share it */
  s->reading = rocksdb_readoptions_create();
  s->synced = rocksdb_writeoptions_create();
  rocksdb_writeoptions_set_sync(s->synced, 1);
  rocksdb_writeoptions_set_memtable_insert_hint_per_batch(s->synced, 1);
  s->batch = rocksdb_writebatch_create();
  s->db = rocksdb_open_column_families(s->options[SEEN], path, TABLES, tables,
                                       (const rocksdb_options_t *const *)s->options, s->table, &error);
  demand(error);
  each_row(s, HOST, read_host);
  each_row(s, QUEUE, read_queued);
  count_ended(s);
  return s;
}

/* ---- the way of a URL ------------------------------------------------------------------------------------- */

/* In the open batch? If not, it is from now on. */
static bool note_in_batch(stored *s, uint64_t hash)
{
  size_t slot = hash % SET_SIZE;
  while (s->in_batch[slot] && s->in_batch[slot] != hash)
    slot = (slot + 1) % SET_SIZE;
  bool was_there = s->in_batch[slot] == hash;
  s->in_batch[slot] = hash;
  return was_there;
}

static bool is_written(stored *s, uint64_t hash)
{
  char key[8], *error = NULL;
  put_number(key, hash);
  rocksdb_pinnableslice_t *found = rocksdb_get_pinned_cf(s->db, s->reading, s->table[SEEN], key, sizeof key, &error);
  demand(error);
  rocksdb_pinnableslice_destroy(found);
  return found != NULL;
}

static bool add(void *self, const char *url, size_t size)
{
  stored *s = self;
  uint64_t hash = XXH3_64bits(url, size);
  if (is_written(s, hash) || note_in_batch(s, hash))
    return false;
  polite_host *host = polite_host_of(s->hosts, url, size);
  put(s, QUEUE, ++s->last_number, url, size);
  s->hashes[s->queued_count] = hash;
  s->queued[s->queued_count++] = host;
  count_operation(s);
  return true;
}

/* A queue's reader, at the URL `number`; 0 before the first. Often the next of a host stands right behind, as its link
 * did; between others may lie many that ended, to be passed by seeking and not one by one. */
typedef struct reader {
  rocksdb_iterator_t *at;
  uint64_t number;
} reader;

static void move_to(reader *r, uint64_t number)
{
  char key[8];
  size_t size;
  put_number(key, number);
  if (number == r->number + 1 && r->number)
    rocksdb_iter_next(r->at);
  else
    rocksdb_iter_seek(r->at, key, sizeof key);
  if (!rocksdb_iter_valid(r->at) || get_number(rocksdb_iter_key(r->at, &size)) != number)
    contender_fail("rocksdb", "a URL is gone from the queue");
  r->number = number;
}

/* The next URL of a host goes in flight. */
static void take(stored *s, reader *r, polite_host *host, contender_lease *lease)
{
  size_t size;
  uint64_t number = polite_take(host);
  move_to(r, number);
  const char *url = rocksdb_iter_value(r->at, &size);
  polite_start(s->hosts, host, number, url, size, lease);
}

static size_t take_all(stored *s, contender_lease *leases, size_t max)
{
  size_t count = 0, may;
  reader r = {rocksdb_create_iterator_cf(s->db, s->reading, s->table[QUEUE]), 0};
  for (polite_host *host; count < max && (host = polite_turn(s->hosts, &may)); polite_offer(s->hosts, host))
    for (; may > 0 && count < max; may--)
      take(s, &r, host, &leases[count++]);
  rocksdb_iter_destroy(r.at);
  return count;
}

/* If nothing that is written may start, what is not may. */
static size_t next(void *self, contender_lease *leases, size_t max)
{
  stored *s = self;
  size_t count = take_all(s, leases, max);
  if (count == 0 && s->queued_count) {
    commit(s);
    count = take_all(s, leases, max);
  }
  return count;
}

static void done(void *self, uint64_t id, contender_state state, unsigned code)
{
  stored *s = self;
  char value[HISTORY_HEAD + CONTENDER_TEXT] = {(char)state, (char)(code >> 8), (char)code};
  polite_lease *lease = polite_lease_of(s->hosts, id);
  s->deleted[s->deleted_count++] = lease->number;
  memcpy(value + HISTORY_HEAD, lease->url.text, lease->url.size);
  put(s, HISTORY, s->ended++, value, HISTORY_HEAD + lease->url.size);
  polite_end(s->hosts, lease, state);
  count_operation(s);
}

static void delay(void *self, uint64_t id, uint64_t delay_ms)
{
  stored *s = self;
  polite_delay(s->hosts, polite_lease_of(s->hosts, id)->host, delay_ms);
}

static void each_ended(void *self, contender_visitor *visit, void *context)
{
  stored *s = self;
  size_t size;
  commit(s);
  rocksdb_iterator_t *at = rocksdb_create_iterator_cf(s->db, s->reading, s->table[HISTORY]);
  for (rocksdb_iter_seek_to_first(at); rocksdb_iter_valid(at); rocksdb_iter_next(at)) {
    const char *value = rocksdb_iter_value(at, &size);
    visit(context, value + HISTORY_HEAD, size - HISTORY_HEAD, (contender_state)value[0],
          (unsigned)((unsigned char)value[1] << 8 | (unsigned char)value[2]));
  }
  rocksdb_iter_destroy(at);
}

static void each_host(void *self, contender_host_visitor *visit, void *context)
{
  stored *s = self;
  polite_each_host(s->hosts, visit, context);
}

static void close_stored(void *self)
{
  stored *s = self;
  commit(s);
  for (int i = 0; i < TABLES; i++)
    rocksdb_column_family_handle_destroy(s->table[i]);
  rocksdb_close(s->db);
  for (int i = 0; i < TABLES; i++)
    rocksdb_options_destroy(s->options[i]);
  rocksdb_readoptions_destroy(s->reading);
  rocksdb_writeoptions_destroy(s->synced);
  rocksdb_writebatch_destroy(s->batch);
  polite_free(s->hosts);
  free(s);
}

const contender contender_rocksdb = {.name = "rocksdb",
                                     .keeps_contract = true,
                                     .open = open_stored,
                                     .add = add,
                                     .next = next,
                                     .done = done,
                                     .delay = delay,
                                     .each_ended = each_ended,
                                     .each_host = each_host,
                                     .close = close_stored};
