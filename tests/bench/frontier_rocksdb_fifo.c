/* bench_frontier: a queue that knows no hosts, written plainly over RocksDB. Batches written with sync, beside each a
 * set of the keys in it (a batch with an index would do, in more time); a Bloom filter of 10 bits a key in front of
 * each table, as its handbook advises for look-ups of what is mostly not there. */
#include "tests/bench/frontier_contender.h"

#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Keys: one letter for the table, and a number, big-endian so that they sort. */
enum { KEY_SIZE = 9 };
static const size_t cache_bytes = (size_t)256 << 20;
enum { SET_SIZE = 4 * CONTENDER_GROUP }; /* open addressing; 0 is free */

typedef struct plain {
  rocksdb_t *db;
  rocksdb_options_t *options;
  rocksdb_readoptions_t *reading;
  rocksdb_writeoptions_t *synced;
  rocksdb_writebatch_t *batch;
  uint64_t in_batch[SET_SIZE];
  uint64_t last_id, handed_out;
  unsigned in_group;
} plain;

static void demand(char *error)
{
  if (error)
    contender_fail("rocksdb-fifo", error);
}

static void make_key(char key[KEY_SIZE], char table, uint64_t number)
{
  key[0] = table;
  for (int i = 0; i < 8; i++)
    key[1 + i] = (char)(number >> (56 - 8 * i));
}

static uint64_t number_of(const char *key)
{
  uint64_t number = 0;
  for (int i = 0; i < 8; i++)
    number = number << 8 | (unsigned char)key[1 + i];
  return number;
}

static void commit(plain *p)
{
  char *error = NULL;
  rocksdb_write(p->db, p->synced, p->batch, &error);
  demand(error);
  rocksdb_writebatch_clear(p->batch);
  memset(p->in_batch, 0, sizeof p->in_batch);
  p->in_group = 0;
}

static void count_operation(plain *p)
{
  if (++p->in_group == CONTENDER_GROUP)
    commit(p);
}

static void *open_plain(const char *directory, uint64_t expected_urls)
{
  (void)expected_urls;
  char path[4096], *error = NULL;
  plain *p = calloc(1, sizeof *p);
  if (!p)
    contender_fail("rocksdb-fifo", "out of memory");
  snprintf(path, sizeof path, "%s/rocksdb", directory);
  rocksdb_block_based_table_options_t *table = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_filter_policy(table, rocksdb_filterpolicy_create_bloom_full(10));
  rocksdb_block_based_options_set_block_cache(table, rocksdb_cache_create_lru(cache_bytes));
  p->options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(p->options, 1);
  rocksdb_options_set_block_based_table_factory(p->options, table);
  rocksdb_block_based_options_destroy(table);
  p->reading = rocksdb_readoptions_create();
  p->synced = rocksdb_writeoptions_create();
  rocksdb_writeoptions_set_sync(p->synced, 1);
  p->batch = rocksdb_writebatch_create();
  p->db = rocksdb_open(p->options, path, &error);
  demand(error);
  return p;
}

/* In the open batch? If not, it is from now on. */
static bool note_in_batch(plain *p, uint64_t hash)
{
  size_t slot = hash % SET_SIZE;
  while (p->in_batch[slot] && p->in_batch[slot] != hash)
    slot = (slot + 1) % SET_SIZE;
  bool was_there = p->in_batch[slot] == hash;
  p->in_batch[slot] = hash;
  return was_there;
}

static bool is_written(plain *p, const char key[KEY_SIZE])
{
  char *error = NULL;
  rocksdb_pinnableslice_t *found = rocksdb_get_pinned(p->db, p->reading, key, KEY_SIZE, &error);
  demand(error);
  rocksdb_pinnableslice_destroy(found);
  return found != NULL;
}

static bool add(void *self, const char *url, size_t size)
{
  plain *p = self;
  char key[KEY_SIZE];
  uint64_t hash = XXH3_64bits(url, size);
  make_key(key, 's', hash);
  if (is_written(p, key) || note_in_batch(p, hash))
    return false;
  rocksdb_writebatch_put(p->batch, key, KEY_SIZE, "", 0);
  make_key(key, 'q', ++p->last_id);
  rocksdb_writebatch_put(p->batch, key, KEY_SIZE, url, size);
  count_operation(p);
  return true;
}

/* What stands in the open batch is not handed out before it is written. */
static size_t next(void *self, contender_lease *leases, size_t max)
{
  plain *p = self;
  char key[KEY_SIZE];
  size_t count = 0, key_size;
  make_key(key, 'q', p->handed_out + 1);
  rocksdb_iterator_t *at = rocksdb_create_iterator(p->db, p->reading);
  for (rocksdb_iter_seek(at, key, KEY_SIZE); count < max && rocksdb_iter_valid(at); rocksdb_iter_next(at)) {
    const char *found = rocksdb_iter_key(at, &key_size);
    if (*found != 'q')
      break;
    leases[count].id = number_of(found);
    found = rocksdb_iter_value(at, &leases[count].url.size);
    memcpy(leases[count].url.text, found, leases[count].url.size);
    count++;
  }
  rocksdb_iter_destroy(at);
  if (count)
    p->handed_out = leases[count - 1].id;
  else if (p->in_group)
    commit(p);
  return count;
}

static void done(void *self, uint64_t id, contender_state state, unsigned code)
{
  plain *p = self;
  char key[KEY_SIZE], ended[3 + CONTENDER_TEXT] = {(char)state, (char)(code >> 8), (char)code}, *error = NULL;
  size_t size;
  make_key(key, 'q', id);
  char *url = rocksdb_get(p->db, p->reading, key, KEY_SIZE, &size, &error); /* written, or it was not handed out */
  demand(error);
  rocksdb_writebatch_delete(p->batch, key, KEY_SIZE);
  make_key(key, 'h', id);
  memcpy(ended + 3, url, size);
  rocksdb_writebatch_put(p->batch, key, KEY_SIZE, ended, 3 + size);
  rocksdb_free(url);
  count_operation(p);
}

static void close_plain(void *self)
{
  plain *p = self;
  commit(p);
  rocksdb_close(p->db);
  rocksdb_options_destroy(p->options);
  rocksdb_readoptions_destroy(p->reading);
  rocksdb_writeoptions_destroy(p->synced);
  rocksdb_writebatch_destroy(p->batch);
  free(p);
}

const contender contender_rocksdb_fifo = {
  .name = "rocksdb-fifo", .open = open_plain, .add = add, .next = next, .done = done, .close = close_plain};
