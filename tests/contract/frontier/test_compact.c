/* frontier_compact: smaller, the same records, the crawl goes on; whoever has it open keeps it out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontier/admin.h"
#include "frontier/recrawl.h"
#include "tests/support/scratch.h"
#include "tests/support/second_reader.h"
#include "tests/support/small_crawl.h"
#include "tests/support/spoil.h"
#include "tests/support/test.h"

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

static bool is_rewritten(const second_record *r)
{
  return r->table == SECOND_TEXT || r->table == SECOND_ENDED || r->table == SECOND_STATES || r->table == SECOND_HOSTS ||
         r->table == SECOND_HOST_CHANGES;
}

static const second_record *next_kept(const second_view *v, size_t *at)
{
  while (*at < v->record_count && is_rewritten(&v->records[*at]))
    ++*at;
  return *at < v->record_count ? &v->records[(*at)++] : NULL;
}

static unsigned count_table(const second_view *v, second_table table)
{
  unsigned count = 0;
  for (size_t i = 0; i < v->record_count; i++)
    count += v->records[i].table == table;
  return count;
}

/* Tables of URLs and hosts have others, which say the same. */
static void assert_same_records(const second_view *a, const second_view *b)
{
  size_t at = 0, bt = 0;
  for (const second_record *r; (r = next_kept(a, &at));) {
    const second_record *other = next_kept(b, &bt);
    assert_non_null(other);
    assert_int_equal(r->table, other->table);
    assert_int_equal(r->value_size, other->value_size);
    assert_memory_equal(r->value, other->value, r->value_size);
  }
  assert_null(next_kept(b, &bt));
}

static void assert_same_urls(const second_view *a, const second_view *b)
{
  assert_int_equal(a->url_room, b->url_room);
  for (uint64_t i = 1; i < a->url_room; i++) {
    const second_url *u = &a->urls[i], *w = &b->urls[i];
    assert_string_equal(u->text, w->text);
    assert_true(u->state == w->state && u->code == w->code && u->is_again == w->is_again && u->class == w->class);
    assert_true(u->depth == w->depth && u->hops == w->hops && u->via == w->via && u->host == w->host);
    assert_true(u->outcome == w->outcome && u->layer == w->layer && u->was_trap == w->was_trap);
  }
}

static void assert_same_hosts(const second_view *a, const second_view *b)
{
  assert_int_equal(a->host_count, b->host_count);
  for (size_t i = 0; i < a->host_count; i++) {
    const second_host *h = &a->hosts[i], *g = &b->hosts[i];
    assert_string_equal(h->name, g->name);
    assert_memory_equal(h->queued, g->queued, sizeof h->queued);
    assert_true(h->done == g->done && h->failed == g->failed && h->skipped == g->skipped);
    assert_int_equal(h->trap_ended, g->trap_ended);
  }
}

CASE_WITH(smaller_and_the_same, begin, end)
{
  second_view before, after;
  second_read(directory, false, &before);
  frontier_sizes sizes = compact(FRONTIER_OK);
  print_message("%llu bytes before, %llu after\n", (unsigned long long)sizes.before, (unsigned long long)sizes.after);
  assert_true(sizes.after > 0 && sizes.after < sizes.before);
  second_read(directory, false, &after);
  assert_int_equal(before.faults + after.faults, 0);
  assert_same_records(&before, &after);
  assert_same_urls(&before, &after);
  assert_same_hosts(&before, &after);
  assert_int_equal(count_table(&after, SECOND_HOST_CHANGES), 0);
  assert_true(count_table(&before, SECOND_ENDED) > 0);
  assert_int_equal(count_table(&after, SECOND_ENDED), 0);
  assert_true(count_table(&after, SECOND_TEXT) < count_table(&before, SECOND_TEXT) / 2);
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

/* The payload of a URL that ended is of no more use, unless it is fetched again. */
CASE(payload_is_dropped)
{
  enum { LINKS = 3, DONE = 0, VISITED = 1 };
  char message[FRONTIER_MESSAGE_SIZE];
  frontier_verdict verdicts[LINKS];
  frontier_lease leases[LINKS];
  size_t settled, count;
  int64_t wait_ms;
  url *u = calloc(LINKS, sizeof *u);
  small_crawl c = whole_crawl(0);
  frontier_options options = small_crawl_options(&c);
  frontier *f;
  scratch_make_fast(root);
  scratch_join(root, "crawl", directory);
  options.journal_path = NULL;
  assert_int_equal(frontier_open(directory, &options, &f, message), FRONTIER_OK);
  frontier_link links[LINKS];
  for (unsigned i = 0; i < LINKS; i++) {
    small_crawl_url(&c, i, &u[i]);
    links[i] = (frontier_link){.target = &u[i], .payload = "some payload", .payload_size = 12};
  }
  assert_int_equal(frontier_add_batch(f, links, LINKS, 0, verdicts, &settled), FRONTIER_OK);
  assert_int_equal(frontier_next(f, 0, leases, VISITED + 1, &count, &wait_ms), FRONTIER_OK);
  assert_int_equal(count, VISITED + 1);
  assert_int_equal(frontier_visit_note(f, leases[VISITED].id, &(frontier_visit){.at_s = 1}), FRONTIER_OK);
  uint64_t ids[] = {leases[DONE].id, leases[VISITED].id};
  for (size_t i = 0; i < count; i++)
    assert_int_equal(frontier_done(f, ids[i], FRONTIER_DONE, 200, NULL, 0, 0), FRONTIER_OK);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  compact(FRONTIER_OK);
  second_view v;
  second_read(directory, false, &v);
  assert_int_equal(v.faults, 0);
  for (uint64_t id = 1; id <= LINKS; id++)
    assert_int_equal(v.urls[id].payload_size, id == ids[DONE] ? 0 : 12);
  second_free(&v);
  free(u);
  scratch_remove(root);
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

CASE_WITH(who_has_it_open_keeps_it_out, begin, end)
{
  for (int read_only = 0; read_only < 2; read_only++) {
    holder h;
    hold(&h, read_only);
    compact(FRONTIER_BUSY);
    let_go(&h);
    assert_sound();
    compact(FRONTIER_OK);
  }
}

CASE_WITH(what_is_no_frontier_is_left_alone, begin, end)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_sizes sizes;
  assert_int_equal(frontier_compact("/nowhere", &sizes, message), FRONTIER_NOT_FOUND);
  assert_non_null(strstr(message, "/nowhere"));
  assert_int_equal(frontier_compact(root, &sizes, message), FRONTIER_NOT_FOUND);
}

CASE_WITH(a_damaged_one_is_left_alone, begin, end)
{
  char data[SCRATCH_PATH];
  size_t size, again;
  enum { IN_A_ROW = 32 + 24 + 20 };
  spoil_value v = spoil_read(directory, "text", 3);
  assert_true(spoil_flip(directory, &v, IN_A_ROW) > 0);
  spoil_free(&v);
  scratch_join(directory, "data.mdb", data);
  char *bytes = scratch_read(data, &size);
  compact(FRONTIER_DAMAGED);
  char *after = scratch_read(data, &again);
  assert_int_equal(again, size);
  assert_memory_equal(after, bytes, size);
  free(after);
  free(bytes);
}
