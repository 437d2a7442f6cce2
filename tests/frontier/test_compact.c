/* frontier_compact: smaller, the same records, the crawl goes on; whoever has it open keeps it out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "frontier/admin.h"
#include "tests/support/scratch.h"
#include "tests/support/second_reader.h"
#include "tests/support/small_crawl.h"

enum { URLS = 3000 };

static char root[SCRATCH_PATH], directory[SCRATCH_PATH], journal[SCRATCH_PATH];

static small_crawl whole_crawl(unsigned fetched)
{
  return (small_crawl){.directory = directory, .journal = journal, .seed = 3, .urls = URLS, .fetched = fetched};
}

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(root);
  scratch_join(root, "crawl", directory);
  scratch_join(root, "journal", journal);
  small_crawl c = whole_crawl(URLS - 500);
  small_crawl_make(&c);
  return 0;
}

static int end(void **state)
{
  (void)state;
  scratch_remove(root);
  return 0;
}

static frontier_sizes compact(frontier_status expected)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_sizes sizes = {0};
  frontier_status status = frontier_compact(directory, &sizes, message);
  if (status != expected)
    fail_msg("status %d: %s", (int)status, message);
  assert_true(status == FRONTIER_OK || strlen(message) > 10);
  return sizes;
}

static void print_fault(void *context, const char *sentence)
{
  (void)context;
  print_message("%s\n", sentence);
}

static void assert_sound(void)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_findings found;
  assert_int_equal(frontier_check(directory, journal, print_fault, NULL, &found, message), FRONTIER_OK);
  assert_int_equal(found.faults, 0);
}

static void assert_same_records(const second_view *a, const second_view *b)
{
  assert_int_equal(a->record_count, b->record_count);
  for (size_t i = 0; i < a->record_count; i++) {
    assert_int_equal(a->records[i].value_size, b->records[i].value_size);
    assert_memory_equal(a->records[i].value, b->records[i].value, a->records[i].value_size);
  }
}

static void smaller_and_the_same(void **state)
{
  (void)state;
  second_view before, after;
  second_read(directory, false, &before);
  frontier_sizes sizes = compact(FRONTIER_OK);
  print_message("%llu bytes before, %llu after\n", (unsigned long long)sizes.before, (unsigned long long)sizes.after);
  assert_true(sizes.after > 0 && sizes.after < sizes.before);
  second_read(directory, false, &after);
  assert_int_equal(before.faults + after.faults, 0);
  assert_same_records(&before, &after);
  second_free(&before);
  second_free(&after);
  assert_sound();
  frontier_sizes again = compact(FRONTIER_OK);
  assert_int_equal(again.before, sizes.after);
  assert_true(again.after <= again.before);

  small_crawl c = whole_crawl(URLS);
  frontier *f = small_crawl_open(&c);
  small_crawl_run(&c, f);
  assert_true(frontier_is_finished(f));
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  assert_sound();
}

/* Another process: a writer, or a reader in the middle of a walk. */
typedef struct holder {
  pid_t child;
  int ready[2], done[2];
} holder;

static bool wait_for_end(void *context, const frontier_record *record)
{
  const holder *h = context;
  char byte;
  (void)record;
  return write(h->ready[1], ".", 1) == 1 && read(h->done[0], &byte, 1) == 1 && false;
}

static void hold(holder *h, bool read_only)
{
  assert_int_equal(pipe(h->ready), 0);
  assert_int_equal(pipe(h->done), 0);
  h->child = fork();
  if (h->child == 0) {
    small_crawl c = whole_crawl(0);
    frontier_options options = small_crawl_options(&c);
    char message[FRONTIER_MESSAGE_SIZE];
    frontier *f;
    close(h->done[1]);
    options.read_only = read_only;
    if (frontier_open(directory, &options, &f, message) == FRONTIER_OK)
      frontier_each(f, wait_for_end, h);
    _exit(0);
  }
  char byte;
  close(h->done[0]);
  assert_int_equal(read(h->ready[0], &byte, 1), 1);
}

static void let_go(const holder *h)
{
  close(h->done[1]);
  waitpid(h->child, NULL, 0);
  close(h->ready[0]);
  close(h->ready[1]);
}

static void who_has_it_open_keeps_it_out(void **state)
{
  (void)state;
  for (int read_only = 0; read_only < 2; read_only++) {
    holder h;
    hold(&h, read_only);
    compact(FRONTIER_BUSY);
    let_go(&h);
    assert_sound();
    compact(FRONTIER_OK);
  }
}

static void what_is_no_frontier_is_left_alone(void **state)
{
  (void)state;
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_sizes sizes;
  assert_int_equal(frontier_compact("/nowhere", &sizes, message), FRONTIER_NOT_FOUND);
  assert_non_null(strstr(message, "/nowhere"));
  assert_int_equal(frontier_compact(root, &sizes, message), FRONTIER_NOT_FOUND);
}

static void a_damaged_one_is_left_alone(void **state)
{
  (void)state;
  char data[SCRATCH_PATH];
  size_t size, again;
  second_view v;
  second_read(directory, false, &v);
  scratch_join(directory, "data.mdb", data);
  char *bytes = scratch_read(data, &size);
  size_t length = strlen(v.urls[1].text);
  unsigned found = 0;
  for (char *text; (text = memmem(bytes, size, v.urls[1].text, length)); found++) /* on free pages too */
    text[5] ^= 1;
  second_free(&v);
  assert_true(found > 0);
  scratch_write(data, bytes, size);
  compact(FRONTIER_DAMAGED);
  char *after = scratch_read(data, &again);
  assert_int_equal(again, size);
  assert_memory_equal(after, bytes, size);
  free(after);
  free(bytes);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(smaller_and_the_same, begin, end),
    cmocka_unit_test_setup_teardown(who_has_it_open_keeps_it_out, begin, end),
    cmocka_unit_test_setup_teardown(what_is_no_frontier_is_left_alone, begin, end),
    cmocka_unit_test_setup_teardown(a_damaged_one_is_left_alone, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
