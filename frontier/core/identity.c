/* See identity.h.
 *
 * Always: `options.key_scheme` points into the handle. What a directory says replaces what was drawn before anything is
 * hashed or written. Nothing here is ever written again; after a crash: store_identity.c. */
#include "frontier/core/state.h"

#include "frontier/base/machine.h"
#include "frontier/base/record.h"
#include "frontier/exchange.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char magic[16] = "STRATA frontier";
enum { FORMAT_VERSION = 8 };
/* On top of the kind of filter: its "seen" is confirmed (late.h). */
enum { IS_EXACT = 0x100 };

bool key_scheme_is_valid(const char *text)
{
  for (const char *at = text; at && *at; ++at)
    if (*at <= 0x20 || *at >= 0x7f)
      return false;
  return !text || strlen(text) <= FRONTIER_KEY_SCHEME_MAX;
}

bool identity_make(const frontier_options *options, identity *more)
{
  *more = (identity){0};
  snprintf(more->key_scheme, sizeof more->key_scheme, "%s", options->key_scheme ? options->key_scheme : "");
  more->partitions = options->partitions;
  more->partition = options->partition;
  more->incarnation = !options->partitions ? 0 : options->incarnation ? options->incarnation : 1;
  if (options->partitions && options->route_key)
    memcpy(more->route_key, options->route_key, sizeof more->route_key);
  return machine_random(more->directory_id, sizeof more->directory_id);
}

bool identity_begin(frontier *f)
{
  bool is_made = identity_make(&f->options, &f->identity);
  f->options.key_scheme = f->identity.key_scheme;
  return is_made;
}

size_t identity_write(const frontier_options *options, const identity *more, uint8_t body[IDENTITY_MAX])
{
  char profile[URL_PROFILE_NAME_SIZE];
  url_profile_name(options->profile, profile);
  memset(body, 0, IDENTITY_HEAD);
  memcpy(body, magic, sizeof magic);
  put_le(body + 16, FORMAT_VERSION, 4);
  put_le(body + 20, (uint64_t)options->filter | (options->exact ? IS_EXACT : 0), 4);
  put_le(body + 24, double_bits(options->rate), 8);
  put_le(body + 32, options->expected_urls, 8);
  memcpy(body + IDENTITY_SECRET, options->secret, MLBF_SECRET_BYTES);
  memcpy(body + IDENTITY_ID, more->directory_id, DIRECTORY_ID_BYTES);
  put_le(body + IDENTITY_SHARE, more->partitions, 4);
  put_le(body + IDENTITY_SHARE + 4, more->partition, 4);
  put_le(body + IDENTITY_SHARE + 8, more->incarnation, 8);
  put_le(body + IDENTITY_SHARE + 16, more->flags, 4);
  memcpy(body + IDENTITY_SCHEME, more->key_scheme, strlen(more->key_scheme));
  uint8_t *at = body + IDENTITY_HEAD;
  if (more->partitions) {
    memcpy(at, more->route_key, sizeof more->route_key);
    at += sizeof more->route_key;
  }
  memcpy(at, profile, strlen(profile));
  return (size_t)(at - body) + strlen(profile);
}

/* Before the profile; only a directory that is a partition has one. */
static size_t route_key_size(const uint8_t *body)
{
  return get_le(body + IDENTITY_SHARE, 4) ? FRONTIER_ROUTE_KEY_BYTES : 0;
}

static frontier_status check_head(frontier *f, const uint8_t *body, size_t size)
{
  if (size < IDENTITY_SECRET || size >= IDENTITY_MAX || memcmp(body, magic, sizeof magic) != 0)
    return frontier_fail(f, FRONTIER_NOT_OURS, "%s/data.mdb: not a Strata frontier", f->directory);
  uint32_t version = (uint32_t)get_le(body + 16, 4);
  if (version != FORMAT_VERSION)
    return frontier_fail(f, FRONTIER_VERSION,
                         "%s is of %s format, %" PRIu32 " (this strata reads %d): `strata export OLD` of the build that"
                         " wrote it, piped into `strata crawl --dir NEW --seeds -` of this one, carries its URLs over",
                         f->directory, version > FORMAT_VERSION ? "a newer" : "an older", version, FORMAT_VERSION);
  bool is_long = size >= IDENTITY_HEAD && size >= IDENTITY_HEAD + route_key_size(body);
  return is_long && size < IDENTITY_HEAD + route_key_size(body) + URL_PROFILE_NAME_SIZE && !body[IDENTITY_HEAD - 1]
           ? FRONTIER_OK
           : frontier_fail(f, FRONTIER_NOT_OURS, "%s/data.mdb: not a Strata frontier", f->directory);
}

static void read_more(frontier *f, const uint8_t *body)
{
  identity *more = &f->identity;
  memcpy(more->directory_id, body + IDENTITY_ID, sizeof more->directory_id);
  more->partitions = (uint32_t)get_le(body + IDENTITY_SHARE, 4);
  more->partition = (uint32_t)get_le(body + IDENTITY_SHARE + 4, 4);
  more->incarnation = get_le(body + IDENTITY_SHARE + 8, 8);
  more->flags = (uint32_t)get_le(body + IDENTITY_SHARE + 16, 4);
  memcpy(more->key_scheme, body + IDENTITY_SCHEME, sizeof more->key_scheme);
  memcpy(more->route_key, body + IDENTITY_HEAD, route_key_size(body));
}

/* Is it the partition that the caller wants? */
static frontier_status check_share(frontier *f, const uint8_t *body)
{
  const frontier_options *o = &f->options;
  uint32_t partitions = (uint32_t)get_le(body + IDENTITY_SHARE, 4);
  uint32_t partition = (uint32_t)get_le(body + IDENTITY_SHARE + 4, 4);
  if (partitions > FRONTIER_PARTITIONS_MAX || (partitions ? partition >= partitions : partition))
    return frontier_fail(f, FRONTIER_NOT_OURS, "%s/data.mdb: not a Strata frontier", f->directory);
  if (o->keep_identity)
    return FRONTIER_OK;
  if (partitions != o->partitions || partition != o->partition)
    return frontier_fail(f, FRONTIER_MISMATCH,
                         "%s is partition %" PRIu32 " of %" PRIu32 ", not %" PRIu32 " of %" PRIu32, f->directory,
                         partition, partitions, o->partition, o->partitions);
  return partitions && o->route_key && memcmp(o->route_key, body + IDENTITY_HEAD, FRONTIER_ROUTE_KEY_BYTES) != 0
           ? frontier_fail(f, FRONTIER_MISMATCH, "%s was made with another route key", f->directory)
           : FRONTIER_OK;
}

frontier_status identity_read(frontier *f, const uint8_t *body, size_t size)
{
  frontier_status status = check_head(f, body, size);
  if (status != FRONTIER_OK)
    return status;
  char name[URL_PROFILE_NAME_SIZE] = "";
  const char *scheme = (const char *)body + IDENTITY_SCHEME;
  memcpy(name, body + IDENTITY_HEAD + route_key_size(body), size - IDENTITY_HEAD - route_key_size(body));
  bool is_exact = get_le(body + 20, 4) & IS_EXACT;
  mlbf_kind filter = (mlbf_kind)(get_le(body + 20, 4) - (is_exact ? IS_EXACT : 0));
  double rate = double_of(get_le(body + 24, 8));
  url_profile profile;
  if (!url_profile_parse(name, &profile) || !mlbf_kind_name(filter) || !key_scheme_is_valid(scheme))
    return frontier_fail(f, FRONTIER_VERSION, "%s was made by a newer Strata (profile \"%s\")", f->directory, name);
  frontier_options *options = &f->options;
  if (!options->keep_identity && (filter != options->filter || profile != options->profile || rate != options->rate ||
                                  is_exact != options->exact || strcmp(scheme, options->key_scheme) != 0))
    return frontier_fail(f, FRONTIER_MISMATCH, "%s was made with filter %s%s, rate %g, profile %s%s%s", f->directory,
                         mlbf_kind_name(filter), is_exact ? " and exact keys" : "", rate, name,
                         *scheme ? ", keys of scheme " : "", scheme);
  status = check_share(f, body);
  if (status == FRONTIER_OK)
    status = secret_take(f, body + IDENTITY_SECRET);
  if (status != FRONTIER_OK)
    return status;
  options->filter = filter;
  options->exact = is_exact;
  options->rate = rate;
  options->profile = profile;
  options->expected_urls = get_le(body + 32, 8);
  read_more(f, body);
  options->partitions = f->identity.partitions;
  options->partition = f->identity.partition;
  return FRONTIER_OK;
}

static void check(const frontier *f)
{
  assert(f->options.key_scheme == f->identity.key_scheme);
  (void)f;
}

const part identity_part = {.check = check};
