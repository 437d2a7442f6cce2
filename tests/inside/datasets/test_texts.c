/* Texts as words, read from bytes and from trees of files, and edited copies found among them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "datasets/papers/copies.h"
#include "mlbf/shingle.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

enum { SEED = 1 };

static void assert_words(const text_words *of, const char *wanted)
{
  size_t size = text_size(of);
  assert_int_equal(size, strlen(wanted));
  if (size > 0)
    assert_memory_equal(of->bytes, wanted, size);
}

CASE(words_are_read_without_markup)
{
  static const struct {
    const char *bytes, *words;
  } rows[] = {
    {"The URL, then.", "the url then "},
    {"", ""},
    {" .,;<", ""},
    {"a < b > c <d> e", "a b c d e "}, /* no markup: it does not begin with a tag */
    {"\n <p>The <b>URL</b>&amp;then</p>", "the url amp then "},
    {"<p>1 < 2, and 2 <3</p>4", "1 2 and 2 4 "},
    {"<html><script>var a = \"<p>\";</script>one<STYLE>p {}</style >two<!-- <p>three --> four", "one two four "},
    {"<p>open <b", "open "},
    {"<script>never closed", ""},
    {"caf\xc3\xa9 \xff\xfe l\xf6we", "caf\xc3\xa9 \xff\xfe l\xf6we "}, /* bytes above 127 are letters, UTF-8 or not */
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    texts read = {.count = 0};
    assert_true(texts_add(&read, rows[i].bytes, strlen(rows[i].bytes)));
    assert_words(&read.list[0], rows[i].words);
    texts_free(&read);
  }
}

/* What is cut here into words has the shingles of what it was cut from. */
CASE(words_are_those_of_shingles)
{
  static const char bytes[] =
    "Sowohl M\xc3\xa4nner, als auch Frauen: 12 (zw\xc3\xb6lf) von 100 -- so war's, sagte sie; mehr nicht. Und wer es"
    " nicht glaubt, der frage Herrn K., Hausnummer 4/b, 2. Stock, aber vor ZEHN Uhr; oder er lasse es: es ist lange"
    " her.";
  texts read = {.count = 0};
  mlbf_shingles a = {.count = 0}, b = {.count = 0};
  assert_true(texts_add(&read, bytes, strlen(bytes)));
  assert_int_equal(mlbf_shingles_of(bytes, strlen(bytes), &a), MLBF_OK);
  assert_int_equal(mlbf_shingles_of(read.list[0].bytes, text_size(&read.list[0]), &b), MLBF_OK);
  assert_true(a.count > 1);
  assert_int_equal(a.count, b.count);
  assert_memory_equal(a.at, b.at, a.count * sizeof *a.at);
  mlbf_shingles_free(&a);
  mlbf_shingles_free(&b);
  texts_free(&read);
}

CASE(passages_are_put_together)
{
  texts read = {.count = 0};
  text_words made = {.count = 0};
  assert_true(texts_add(&read, "one two three four", 18));
  assert_true(text_append(&made, &read.list[0], 1, 2));
  assert_true(text_append(&made, &read.list[0], 3, 0));
  assert_true(text_append(&made, &read.list[0], 0, 4));
  assert_words(&made, "two three one two three four ");
  assert_int_equal(made.at[3], strlen("two three one "));
  text_free(&made);
  texts_free(&read);
}

static void put(const char *directory, const char *name, const char *bytes, size_t size)
{
  char path[SCRATCH_PATH];
  scratch_join(directory, name, path);
  scratch_write(path, bytes, size);
}

CASE(a_tree_is_read_in_order)
{
  char root[SCRATCH_PATH], path[SCRATCH_PATH], below[SCRATCH_PATH];
  texts read = {.count = 0};
  scratch_make(root);
  scratch_join(root, "b", below);
  assert_int_equal(mkdir(below, 0755), 0);
  put(below, "page", "<p>second</p>", 13);
  put(root, "c", "third", 5);
  put(root, "a", "first", 5);
  put(root, "empty", "", 0);
  put(root, "image", "PNG\0\1", 5);
  scratch_join(root, "loop", path);
  assert_int_equal(symlink(root, path), 0);
  scratch_join(root, "huge", path);
  scratch_write(path, "x", 1);
  assert_int_equal(truncate(path, INT64_C(1) << 30), 0); /* sparse: 1 GB that nobody reads */
  assert_true(texts_add_tree(&read, root));
  assert_int_equal(read.count, 3);
  assert_int_equal(read.passed_over, 3);
  assert_words(&read.list[0], "first ");
  assert_words(&read.list[1], "second ");
  assert_words(&read.list[2], "third ");
  scratch_join(root, "nowhere", path);
  assert_false(texts_add_tree(&read, path));
  assert_int_equal(errno, ENOENT);
  assert_int_equal(read.count, 3);
  texts_free(&read);
  scratch_remove(root);
}

CASE(edited_copies_are_found)
{
  enum { TEXTS = 60, QUERIES = 30 };
  texts made = {.count = 0};
  copies_result copy, none, half, inserted;
  assert_true(texts_generate(&made, TEXTS, 1900, SEED));
  assert_true(copies_are_enough(&made, SEED));
  copies *of = copies_create(&made, SEED);
  assert_non_null(of);
  assert_in_range(copies_stored(of), TEXTS / 2, TEXTS - 1);
  assert_true(copies_measure(of, COPIES_INSERTS, 0, QUERIES, SEED, &copy));
  assert_int_equal(copy.found_first, QUERIES);
  assert_int_equal(copy.near_duplicates, QUERIES);
  assert_true(copy.share_error == 0);
  assert_true(copies_measure(of, COPIES_PASSAGE, 0, QUERIES, SEED, &none));
  assert_int_equal(none.named + none.missed + none.found_first, 0);
  assert_true(copies_measure(of, COPIES_PASSAGE, 50, QUERIES, SEED, &half));
  assert_int_equal(half.missed + half.false_alarms + half.near_duplicates, 0);
  assert_int_equal(half.found_first, QUERIES);
  assert_true(half.share_error < 0.05);
  assert_true(copies_measure(of, COPIES_INSERTS, 20, QUERIES, SEED, &inserted));
  assert_int_equal(inserted.missed + inserted.near_duplicates, 0);
  copies_free(of);
  texts_free(&made);
}

/* Two texts that share a page's frame: the stranger's own kin is named, and that is no false alarm. */
CASE(what_pages_truly_share_is_no_false_alarm)
{
  enum { TEXTS = 40, FRAME = 200 };
  texts made = {.count = 0}, framed = {.count = 0};
  copies_result none;
  assert_true(texts_generate(&made, TEXTS, 1900, SEED));
  for (size_t i = 0; i < TEXTS; i++) {
    text_words page = {.count = 0};
    assert_true(text_append(&page, &made.list[0], 0, FRAME));
    assert_true(text_append(&page, &made.list[i], 0, made.list[i].count));
    assert_true(texts_add(&framed, page.bytes, text_size(&page)));
    text_free(&page);
  }
  copies *of = copies_create(&framed, SEED);
  assert_non_null(of);
  assert_true(copies_measure(of, COPIES_PASSAGE, 0, 60, SEED, &none));
  assert_true(none.named > 0);
  assert_int_equal(none.false_alarms, 0);
  copies_free(of);
  texts_free(&made);
  texts_free(&framed);
}

CASE(too_few_texts_are_told)
{
  texts made = {.count = 0};
  assert_false(copies_are_enough(&made, SEED));
  assert_true(texts_add(&made, "short", 5));
  assert_false(copies_are_enough(&made, SEED));
  texts_free(&made);
}
