/* Hashes of known messages, in one piece and byte by byte. */
#include "crawler/base/body_hash.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

/* FIPS 180-4's examples, and nothing; the base32 is of the same SHA-1 bytes, made with coreutils' `basenc --base32`. */
static const struct row {
  const char *message, *sha256, *sha1_base32;
} rows[] = {
  {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"},
  {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5"},
  {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
   "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1", "QSMD4RA4HPJG5OVOJKQ7SUJJ4XSUM4HR"},
};

static void assert_hash(body_hash_kind kind, const char *message, const char *expected)
{
  char text[BODY_HASH_TEXT];
  body_hash *h = body_hash_create(kind);
  assert_non_null(h);
  for (int again = 0; again < 2; again++) { /* the same object serves page after page */
    body_hash_begin(h);
    body_hash_add(h, message, strlen(message));
    body_hash_end(h, text);
    assert_string_equal(text, expected);
  }
  body_hash_begin(h);
  for (const char *at = message; *at; at++)
    body_hash_add(h, at, 1);
  body_hash_end(h, text);
  assert_string_equal(text, expected);
  body_hash_free(h);
}

CASE(known_messages)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_hash(BODY_HASH_SHA256, rows[i].message, rows[i].sha256);
    assert_hash(BODY_HASH_SHA1, rows[i].message, rows[i].sha1_base32);
  }
}

CASE(an_end_without_a_beginning_is_no_hash)
{
  char text[BODY_HASH_TEXT];
  body_hash *h = body_hash_create(BODY_HASH_SHA256);
  assert_non_null(h);
  body_hash_end(h, text);
  assert_string_equal(text, "");
  body_hash_free(h);
  body_hash_free(NULL);
}
