/* What a directory is, in three places, so that the loss of a page or a file does not take it: the record "identity" in
 * table meta, the same in table identity, whose page is another one, and the file IDENTITY beside data.mdb.
 *
 * Always: the three are the same bytes, under one checksum. The file is on disk before the first transaction, and a new
 * one replaces it whole. After a crash before that transaction: the next opening, which makes a new identity, writes
 * the file anew. */
#include "frontier/store/store_inside.h"

#include "frontier/base/own_file.h"
#include "frontier/base/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, FILE_MOST = 4096 };
static const char name[] = "identity";

static uint64_t seal(void)
{
  return XXH3_64bits(name, strlen(name));
}

static void path_of(const char *directory, const char *file, char path[PATH_SIZE])
{
  snprintf(path, PATH_SIZE, "%s/%s", directory, file);
}

/* ---- the file --------------------------------------------------------------------------------------------- */

static int sync_names(const char *directory)
{
  int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return errno;
  (void)fsync(fd); /* some file systems have nothing to sync here, and say so */
  close(fd);
  return 0;
}

static int write_new(const char *path, const uint8_t *bytes, size_t size)
{
  int fd = own_file_create(path, 0600);
  if (fd < 0)
    return errno;
  errno = EIO;
  int error = write(fd, bytes, size) == (ssize_t)size && fsync(fd) == 0 ? 0 : errno;
  close(fd);
  return error;
}

/* An error number. */
static int put_file(const char *directory, const void *body, size_t size)
{
  char temporary[PATH_SIZE], path[PATH_SIZE];
  uint8_t bytes[FILE_MOST];
  path_of(directory, "IDENTITY.tmp", temporary);
  path_of(directory, "IDENTITY", path);
  if (size > sizeof bytes - RECORD_HEAD)
    return EINVAL;
  memcpy(bytes + RECORD_HEAD, body, size);
  record_seal(seal(), bytes, RECORD_HEAD + size);
  int error = own_file_is_plain(path, true) ? write_new(temporary, bytes, RECORD_HEAD + size) : errno;
  if (!error && rename(temporary, path) != 0)
    error = errno;
  return error ? error : sync_names(directory);
}

frontier_status store_identity_file_put(const char *directory, const void *body, size_t size,
                                        char message[FRONTIER_MESSAGE_SIZE])
{
  int error = put_file(directory, body, size);
  if (!error)
    return FRONTIER_OK;
  snprintf(message, FRONTIER_MESSAGE_SIZE, "%.400s/IDENTITY: %s", directory, own_file_words(error));
  return error == ENOSPC || error == EDQUOT || error == EFBIG ? FRONTIER_NO_SPACE : FRONTIER_IO;
}

frontier_status store_identity_file_get(const char *directory, uint8_t **body, size_t *size)
{
  char path[PATH_SIZE];
  uint8_t bytes[FILE_MOST];
  path_of(directory, "IDENTITY", path);
  int fd = own_file_open(path, O_RDONLY, 0);
  if (fd < 0)
    return errno == ENOENT ? FRONTIER_NOT_FOUND : FRONTIER_IO;
  ssize_t got = pread(fd, bytes, sizeof bytes, 0);
  close(fd);
  if (got < RECORD_HEAD || !record_is_whole(seal(), bytes, (size_t)got))
    return FRONTIER_DAMAGED;
  *size = (size_t)got - RECORD_HEAD;
  *body = malloc(*size + 1);
  if (!*body)
    return FRONTIER_NO_MEMORY;
  memcpy(*body, bytes + RECORD_HEAD, *size);
  return FRONTIER_OK;
}

/* ---- the tables ------------------------------------------------------------------------------------------- */

/* LMDB's error; MDB_NOTFOUND: no such table, or nothing in it. */
static int find(MDB_txn *txn, const char *table, MDB_dbi *dbi, MDB_val *value)
{
  MDB_val key = store_name_key(name);
  int error = mdb_dbi_open(txn, table, 0, dbi);
  return error ? error : mdb_get(txn, *dbi, &key, value);
}

int store_find_identity(store *s, MDB_txn *txn)
{
  MDB_val value;
  MDB_dbi second;
  int error = find(txn, "meta", &s->meta, &value), other = find(txn, name, &second, &value);
  s->has_second = other != MDB_NOTFOUND && other != MDB_INCOMPATIBLE;
  if (s->has_second)
    s->second = second;
  if (error == MDB_INCOMPATIBLE)
    return MDB_INVALID;
  return error == MDB_NOTFOUND ? other == MDB_NOTFOUND || other == MDB_INCOMPATIBLE ? MDB_INVALID : other : error;
}

int store_make_identity(store *s, MDB_txn *txn, const void *body, size_t size)
{
  int error = put_file(s->directory, body, size);
  if (!error)
    error = mdb_dbi_open(txn, name, MDB_CREATE, &s->second);
  if (error)
    return error;
  s->has_second = true;
  s->is_gathering = true;
  store_put_meta(s, name, body, size);
  store_put_sealed(s, &s->second, WRITE_PUT, store_name_key(name), seal(), body, size);
  s->is_gathering = false;
  error = write_set_apply(&s->gathered, txn);
  write_set_clear(&s->gathered);
  return error;
}

static frontier_status copy(const MDB_val *value, uint8_t **body, size_t *size)
{
  const uint8_t *bytes = value->mv_data;
  if (!record_is_whole(seal(), bytes, value->mv_size))
    return FRONTIER_DAMAGED;
  *size = value->mv_size - RECORD_HEAD;
  *body = malloc(*size + 1);
  if (!*body)
    return FRONTIER_NO_MEMORY;
  memcpy(*body, bytes + RECORD_HEAD, *size);
  return FRONTIER_OK;
}

/* Of both tables, the first that is whole. */
static frontier_status get_from_tables(store *s, MDB_txn *txn, uint8_t **body, size_t *size)
{
  MDB_val key = store_name_key(name), value;
  const MDB_dbi tables[] = {s->meta, s->second};
  frontier_status status = FRONTIER_NOT_FOUND;
  for (size_t i = 0; i < 1 + (size_t)s->has_second && status != FRONTIER_OK; ++i)
    if (mdb_get(txn, tables[i], &key, &value) == 0)
      status = copy(&value, body, size);
  return status;
}

frontier_status store_get_identity(store *s, uint8_t **body, size_t *size)
{
  MDB_txn *txn;
  int error = store_begin_reading(s, &txn);
  if (error)
    return store_failed(s, error, "reading");
  frontier_status status = get_from_tables(s, txn, body, size);
  store_end_reading(s, txn);
  if (status != FRONTIER_OK)
    status = store_identity_file_get(s->directory, body, size);
  if (status != FRONTIER_OK)
    snprintf(s->message, sizeof s->message, "%s/data.mdb: no record \"identity\" is left; strata check says more",
             s->directory);
  return status == FRONTIER_OK || status == FRONTIER_NO_MEMORY ? status : FRONTIER_DAMAGED;
}

bool store_learn_id(store *s)
{
  uint8_t *body = NULL;
  size_t size = 0;
  frontier_status status = store_get_identity(s, &body, &size);
  if (status != FRONTIER_OK)
    return status != FRONTIER_NO_MEMORY;
  s->id = size >= STORE_ID_AT + 8 ? get_le(body + STORE_ID_AT, 8) : 0;
  free(body);
  return true;
}
