/* tests/support/spoil.h: damage to one value of data.mdb, in every copy of it that the file has: LMDB leaves old ones
 * on free pages, from where a repair would take it. Not while this process has the directory open. */
#ifndef STRATA_TESTS_SPOIL_H
#define STRATA_TESTS_SPOIL_H

#include <stddef.h>
#include <stdint.h>

/* The value with the `which`-th key of the table, from 0. */
typedef struct spoil_value {
  uint64_t key;
  uint8_t *bytes; /* a copy; NULL: there is no such value */
  size_t size;
} spoil_value;
spoil_value spoil_read(const char *directory, const char *table, size_t which);
void spoil_free(spoil_value *v);

/* Flips a bit of the value's byte `at`; in how many copies. */
unsigned spoil_flip(const char *directory, const spoil_value *v, size_t at);

/* The record with this key is taken away, by LMDB. */
void spoil_delete(const char *directory, const char *table, uint64_t key);

/* Where the i-th block of a value of rows begins in it. */
size_t spoil_block(const spoil_value *v, size_t i);

#endif
