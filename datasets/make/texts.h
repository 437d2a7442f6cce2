/* datasets/make/texts.h: texts as lists of words, so that passages can be cut out and inserted.
 *
 *     <p>The <b>URL</b>, then</p>   -->   "the url then "     at: 0 4 8 13
 *
 * Words are those of mlbf/shingle.h (letters, digits and bytes above 127, ASCII letters in lower case), except that
 * Chinese, Japanese and Korean text is not split. Tags, comments, scripts and styles of a file that begins with '<' are
 * left out. */
#ifndef STRATA_DATASETS_TEXTS_H
#define STRATA_DATASETS_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct text_words {
  char *bytes;  /* a blank behind each word */
  uint32_t *at; /* where each word begins; at[count]: where the last one's blank ends */
  size_t count; /* words */
  size_t room, bytes_room;
} text_words;

/* Bytes of all its words. */
static inline size_t text_size(const text_words *of)
{
  return of->count > 0 ? of->at[of->count] : 0;
}

/* Words [first, first + count) of `from` at the end of `to`, which begins as zeros. False: out of memory. */
bool text_append(text_words *to, const text_words *from, size_t first, size_t count);
/* Random words at the end of `to`, of a vocabulary of 5,000, some more often. False: out of memory. */
bool text_append_random(text_words *to, size_t count, uint64_t *rng);

void text_free(text_words *of);

typedef struct texts {
  text_words *list;
  size_t count, room;
  size_t passed_over; /* files of a tree that have no words, a NUL byte, or more than 16 MiB */
} texts;

enum { TEXTS_FILE_MAX = 16 << 20 };

/* One more, of these bytes. False: out of memory, and it is not there. */
bool texts_add(texts *to, const char *bytes, size_t size);

/* Every regular file under `directory`, in the order of names; symbolic links are not followed. False: errno says
 * why. */
bool texts_add_tree(texts *to, const char *directory);

/* `count` texts of random words; lengths fall exponentially from 50 words on, with this mean. False: out of memory. */
bool texts_generate(texts *to, size_t count, uint32_t words_mean, uint64_t seed);

void texts_free(texts *of);

#endif
