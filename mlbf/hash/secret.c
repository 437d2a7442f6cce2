/* Secrets: drawn, derived, read from a file.
 *
 * Always: what is read or drawn is never printed, and no error says a byte of it. A secret is set as a whole or not at
 * all. Equal seeds give equal secrets on every machine and in every version: files depend on it.
 *
 * Called by keying.c, and by programs for --secret and --seed. The file is read to its end by read(), not at an offset
 * as mlbf/file/ does, since it may be a pipe. */
#include "mlbf/secret.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "mlbf/hash/aes.h"

mlbf_status mlbf_secret_draw(uint8_t secret[MLBF_SECRET_BYTES])
{
  ssize_t got; /* up to 256 bytes come at once or not at all */
  do
    got = getrandom(secret, MLBF_SECRET_BYTES, 0);
  while (got < 0 && errno == EINTR);
  return got == MLBF_SECRET_BYTES ? MLBF_OK : MLBF_IO;
}

/* AES of a key that says what it is for: two numbers from different seeds never agree. */
void mlbf_secret_from_seed(uint64_t seed, uint8_t secret[MLBF_SECRET_BYTES])
{
  uint8_t key[MLBF_SECRET_BYTES] = "strata: a secret from a seed";
  mlbf_hash128 blocks[2];
  for (int i = 0; i < 8; i++)
    key[MLBF_SECRET_BYTES - 8 + i] ^= (uint8_t)(seed >> 8 * i);
  mlbf_aes256_counter(key, blocks, 2);
  for (int i = 0; i < MLBF_SECRET_BYTES; i++) {
    const mlbf_hash128 *block = &blocks[i / 16];
    secret[i] = (uint8_t)((i % 16 < 8 ? block->low : block->high) >> 8 * (i % 8));
  }
}

static int digit_of(uint8_t c)
{
  static const char digits[] = "0123456789abcdef";
  const char *at = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
  return at ? (int)(at - digits) : -1;
}

static bool decode_digits(const uint8_t *text, uint8_t *secret)
{
  for (int i = 0; i < MLBF_SECRET_BYTES; i++) {
    int high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);
    if (high < 0 || low < 0)
      return false;
    secret[i] = (uint8_t)(high * 16 + low);
  }
  return true;
}

static bool read_all(int file, uint8_t *bytes, size_t room, size_t *size)
{
  ssize_t got;
  *size = 0;
  while (*size < room && (got = read(file, bytes + *size, room - *size)) != 0) {
    if (got > 0)
      *size += (size_t)got;
    else if (errno != EINTR)
      return false;
    assert(*size <= room);
  }
  return true;
}

mlbf_status mlbf_secret_read(const char *path, uint8_t secret[MLBF_SECRET_BYTES])
{
  enum { DIGITS = 2 * MLBF_SECRET_BYTES, LONGEST = DIGITS + 2 };
  uint8_t text[LONGEST + 1], made[MLBF_SECRET_BYTES];
  size_t size;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return MLBF_IO;
  bool is_read = read_all(file, text, sizeof text, &size);
  int why = errno;
  close(file);
  errno = why;
  if (!is_read)
    return MLBF_IO;
  if (size == MLBF_SECRET_BYTES) {
    memcpy(secret, text, size);
    return MLBF_OK;
  }
  if (size == DIGITS + 1 && text[DIGITS] == '\n')
    size--;
  else if (size == LONGEST && text[DIGITS] == '\r' && text[DIGITS + 1] == '\n')
    size -= 2;
  if (size != DIGITS || !decode_digits(text, made))
    return MLBF_BAD_ARGUMENT;
  memcpy(secret, made, sizeof made);
  return MLBF_OK;
}
