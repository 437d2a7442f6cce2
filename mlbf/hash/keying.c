/* Which secret a structure has: given, drawn or from a seed; and what its file says of it.
 *
 * Always: the keys are those of `secret`, whatever it came from. A file has the secret itself only if it was drawn, and
 * then its owner alone may read it (mlbf_keying_mode); of every other its check value and nothing else. What is decoded
 * has keys of that check value, or it is not decoded. A keying never changes once it is made.
 *
 * Called where a structure is made, and by block_file.c and block_write.c for its file. */
#include "mlbf/hash/keying.h"

#include <assert.h>
#include <string.h>

#include "mlbf/secret.h"

const mlbf_keying mlbf_keying_none = {.origin = MLBF_SECRET_NONE};

static bool equal(mlbf_hash128 a, mlbf_hash128 b)
{
  return a.low == b.low && a.high == b.high;
}

mlbf_status mlbf_keying_make(const uint8_t *secret, uint64_t seed, mlbf_keying *keying)
{
  *keying = mlbf_keying_none;
  if (secret) {
    keying->origin = MLBF_SECRET_GIVEN;
    memcpy(keying->secret, secret, sizeof keying->secret);
  } else if (seed) {
    keying->origin = MLBF_SECRET_SEEDED;
    keying->seed = seed;
    mlbf_secret_from_seed(seed, keying->secret);
  } else {
    keying->origin = MLBF_SECRET_DRAWN;
    mlbf_status status = mlbf_secret_draw(keying->secret);
    if (status != MLBF_OK)
      return status;
  }
  mlbf_hash_keys_make(keying->secret, &keying->keys);
  return MLBF_OK;
}

bool mlbf_keying_equal(const mlbf_keying *a, const mlbf_keying *b)
{
  bool is_keyed = a->origin != MLBF_SECRET_NONE;
  if (is_keyed != (b->origin != MLBF_SECRET_NONE))
    return false;
  return is_keyed ? equal(a->keys.check, b->keys.check) : a->seed == b->seed;
}

void mlbf_keying_encode(const mlbf_keying *keying, mlbf_key_fields *fields)
{
  assert(keying->origin <= MLBF_SECRET_SEEDED);
  assert(keying->seed == 0 || keying->origin == MLBF_SECRET_SEEDED || keying->origin == MLBF_SECRET_NONE);
  *fields = (mlbf_key_fields){.hash = keying->origin == MLBF_SECRET_NONE ? MLBF_HASH_NONE : MLBF_HASH_AES4,
                              .origin = keying->origin,
                              .check = keying->keys.check};
  if (keying->origin == MLBF_SECRET_DRAWN)
    memcpy(fields->secret, keying->secret, sizeof fields->secret);
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++)
    if (bytes[i])
      return false;
  return true;
}

mlbf_status mlbf_keying_decode(const mlbf_key_fields *fields, uint64_t seed, const uint8_t *given, mlbf_keying *keying)
{
  bool is_keyed = fields->origin != MLBF_SECRET_NONE;
  if (fields->origin > MLBF_SECRET_SEEDED || fields->hash != (is_keyed ? MLBF_HASH_AES4 : MLBF_HASH_NONE) ||
      (fields->origin != MLBF_SECRET_DRAWN && !is_zero(fields->secret, sizeof fields->secret)))
    return MLBF_DAMAGED;
  if (!is_keyed) {
    *keying = mlbf_keying_none;
    keying->seed = seed;
    return MLBF_OK;
  }
  if (fields->origin == MLBF_SECRET_GIVEN && !given)
    return MLBF_SECRET;
  mlbf_keying made = mlbf_keying_none;
  made.origin = (mlbf_secret_origin)fields->origin;
  if (fields->origin == MLBF_SECRET_SEEDED)
    mlbf_secret_from_seed(made.seed = seed, made.secret);
  else
    memcpy(made.secret, fields->origin == MLBF_SECRET_DRAWN ? fields->secret : given, sizeof made.secret);
  mlbf_hash_keys_make(made.secret, &made.keys);
  if (!equal(made.keys.check, fields->check))
    return fields->origin == MLBF_SECRET_GIVEN ? MLBF_SECRET : MLBF_DAMAGED;
  if (given && memcmp(given, made.secret, sizeof made.secret) != 0)
    return MLBF_SECRET;
  assert(made.keys.path && made.origin != MLBF_SECRET_NONE);
  *keying = made;
  return MLBF_OK;
}

unsigned mlbf_keying_mode(const mlbf_keying *keying)
{
  return keying->origin == MLBF_SECRET_DRAWN ? 0600 : 0666;
}
