/* See own_secret.h. `options.secret` points here from the beginning. Nothing prints it: messages say that it differs,
 * and not what it is. */
#include "frontier/core/state.h"

#include "frontier/base/machine.h"

#include <assert.h>
#include <string.h>

bool secret_begin(frontier *f)
{
  own_secret *s = &f->secret;
  s->is_given = f->options.secret != NULL;
  if (s->is_given)
    memcpy(s->bytes, f->options.secret, sizeof s->bytes);
  else if (!machine_random(s->bytes, sizeof s->bytes))
    return false;
  f->options.secret = s->bytes;
  s->hasher = mlbf_hasher_create(s->bytes);
  return s->hasher != NULL;
}

frontier_status secret_take(frontier *f, const uint8_t bytes[MLBF_SECRET_BYTES])
{
  assert(hosts_count(f->hosts) == 0 && !f->seen);
  if (secret_is(f, bytes))
    return FRONTIER_OK;
  if (f->secret.is_given)
    return frontier_fail(f, FRONTIER_MISMATCH, "%s was made with another secret, which cannot change", f->directory);
  memcpy(f->secret.bytes, bytes, sizeof f->secret.bytes);
  mlbf_hasher_rekey(f->secret.hasher, bytes);
  return FRONTIER_OK;
}

const mlbf_hasher *secret_hasher(const frontier *f)
{
  return f->secret.hasher;
}

bool secret_is(const frontier *f, const uint8_t bytes[MLBF_SECRET_BYTES])
{
  return memcmp(f->secret.bytes, bytes, sizeof f->secret.bytes) == 0;
}

void frontier_secret(const frontier *f, uint8_t secret[MLBF_SECRET_BYTES])
{
  LOCKED(f);
  memcpy(secret, f->secret.bytes, sizeof f->secret.bytes);
}

static void check(const frontier *f)
{
  assert(f->secret.hasher && f->options.secret == f->secret.bytes);
  (void)f;
}

static void close_it(frontier *f)
{
  mlbf_hasher_free(f->secret.hasher);
}

const part secret_part = {.check = check, .close = close_it};
