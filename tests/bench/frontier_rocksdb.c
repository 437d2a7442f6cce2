/* bench_frontier: the contract written plainly over RocksDB. A batch that can be read, written with sync; a Bloom filter
 * of 10 bits a key in front of each table, as its handbook advises for look-ups of what is mostly not there. */
#include "frontier_contender.h"

#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Keys: one letter for the table, and a number, big-endian so that they sort. */
enum { KEY_SIZE = 9 };
static const size_t cache_bytes = (size_t)256 << 20;

typedef struct plain {
  rocksdb_t *db;
  rocksdb_options_t *options;
  rocksdb_readoptions_t *reading;
  rocksdb_writeoptions_t *synced;
  rocksdb_writebatch_wi_t *batch;
  uint64_t last_id, handed_out;
  unsigned in_group;
} plain;

static void demand(char *error)
{
  if (error)
    contender_fail("rocksdb", error);
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
  rocksdb_write_writebatch_wi(p->db, p->synced, p->batch, &error);
  demand(error);
  rocksdb_writebatch_wi_clear(p->batch);
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
    contender_fail("rocksdb", "out of memory");
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
  p->batch = rocksdb_writebatch_wi_create(0, 1);
  p->db = rocksdb_open(p->options, path, &error);
  demand(error);
  return p;
}

static bool is_seen(plain *p, const char key[KEY_SIZE])
{
  char *error = NULL;
  size_t size;
  char *found = rocksdb_writebatch_wi_get_from_batch_and_db(p->batch, p->db, p->reading, key, KEY_SIZE, &size, &error);
  demand(error);
  bool is_there = found != NULL;
  rocksdb_free(found);
  return is_there;
}

static bool add(void *self, const char *url, size_t size)
{
  plain *p = self;
  char key[KEY_SIZE];
  make_key(key, 's', XXH3_64bits(url, size));
  if (is_seen(p, key))
    return false;
  rocksdb_writebatch_wi_put(p->batch, key, KEY_SIZE, "", 0);
  make_key(key, 'q', ++p->last_id);
  rocksdb_writebatch_wi_put(p->batch, key, KEY_SIZE, url, size);
  count_operation(p);
  return true;
}

/* What stands in the open batch is not handed out before it is written. */
static size_t next(void *self, uint64_t *ids, size_t max)
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
    ids[count++] = number_of(found);
  }
  rocksdb_iter_destroy(at);
  if (count)
    p->handed_out = ids[count - 1];
  else if (p->in_group)
    commit(p);
  return count;
}

static void done(void *self, uint64_t id)
{
  plain *p = self;
  char key[KEY_SIZE], *error = NULL;
  size_t size;
  make_key(key, 'q', id);
  char *url = rocksdb_writebatch_wi_get_from_batch_and_db(p->batch, p->db, p->reading, key, KEY_SIZE, &size, &error);
  demand(error);
  rocksdb_writebatch_wi_delete(p->batch, key, KEY_SIZE);
  make_key(key, 'h', id);
  rocksdb_writebatch_wi_put(p->batch, key, KEY_SIZE, url, size);
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
  rocksdb_writebatch_wi_destroy(p->batch);
  free(p);
}

const contender contender_rocksdb = {"rocksdb", open_plain, add, next, done, close_plain};
