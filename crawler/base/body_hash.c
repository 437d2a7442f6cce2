/* See body_hash.h. The EVP_MD is fetched from OpenSSL 3 once; otherwise each hash would look it up by name. */
#include "crawler/base/body_hash.h"

#include <openssl/evp.h>
#include <stdbool.h>
#include <stdlib.h>

struct body_hash {
  body_hash_kind kind;
  EVP_MD *algorithm;
  EVP_MD_CTX *state;
  bool has_failed;
};

body_hash *body_hash_create(body_hash_kind kind)
{
  body_hash *h = calloc(1, sizeof *h);
  if (!h)
    return NULL;
  h->kind = kind;
  h->algorithm = EVP_MD_fetch(NULL, kind == BODY_HASH_SHA1 ? "SHA1" : "SHA256", NULL);
  h->state = EVP_MD_CTX_new();
  if (!h->algorithm || !h->state) {
    body_hash_free(h);
    return NULL;
  }
  return h;
}

void body_hash_free(body_hash *h)
{
  if (!h)
    return;
  EVP_MD_CTX_free(h->state);
  EVP_MD_free(h->algorithm);
  free(h);
}

void body_hash_begin(body_hash *h)
{
  h->has_failed = EVP_DigestInit_ex2(h->state, h->algorithm, NULL) != 1;
}

void body_hash_add(body_hash *h, const void *bytes, size_t size)
{
  h->has_failed |= EVP_DigestUpdate(h->state, bytes, size) != 1;
}

static void write_hex(const unsigned char *bytes, size_t size, char *text)
{
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < size; i++) {
    *text++ = digits[bytes[i] >> 4];
    *text++ = digits[bytes[i] & 15];
  }
  *text = '\0';
}

/* RFC 4648, section 6. The 20 bytes of SHA-1 are 32 characters without rest, so no padding is ever needed. */
static void write_base32(const unsigned char *bytes, size_t size, char *text)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  unsigned held = 0, bits = 0;
  for (size_t i = 0; i < size; i++) {
    held = held << 8 | bytes[i];
    for (bits += 8; bits >= 5; bits -= 5)
      *text++ = digits[held >> (bits - 5) & 31];
  }
  *text = '\0';
}

void body_hash_end(body_hash *h, char text[BODY_HASH_TEXT])
{
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  *text = '\0';
  h->has_failed |= EVP_DigestFinal_ex(h->state, bytes, &size) != 1;
  if (h->has_failed)
    return;
  if (h->kind == BODY_HASH_SHA1)
    write_base32(bytes, size, text);
  else
    write_hex(bytes, size, text);
}
