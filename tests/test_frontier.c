/* frontier.h against its model (frontier_model.h), and the promises a model cannot see. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/frontier_model.h"
#include "tests/scratch.h"
#include "tests/second_reader.h"

/* STRATA_SEED=N repeats, or widens, every run with another seed. */
static uint64_t seed(void)
{
  const char *text = getenv("STRATA_SEED");
  return text ? strtoull(text, NULL, 10) : 1;
}

static void agree(model_run run)
{
  char difference[MODEL_TEXT];
  run.seed = seed();
  if (!model_agrees(&run, difference))
    fail_msg("%s, seed %llu: %s", run.name, (unsigned long long)run.seed, difference);
}

static const model_run small = {.name = "a small crawl", .steps = 1500, .filter = MLBF_KIND_MLBF, .expected_urls = 50,
                                .per_host = 2, .delay_ms = 100, .depth_cap = 9, .hosts = 12, .words = 6, .links = 12,
                                .leases = 8};

static void the_model_agrees(void **state)
{
  (void)state;
  agree(small);
}

static void without_delay(void **state)
{
  (void)state;
  model_run run = small;
  run.name = "no delay, one at a time";
  run.delay_ms = 0;
  run.per_host = 1;
  agree(run);
}

static void a_classic_filter(void **state)
{
  (void)state;
  model_run run = small;
  run.name = "a classic filter";
  run.filter = MLBF_KIND_BLOOM;
  run.expected_urls = 1;
  agree(run);
}

static void nothing_kept(void **state)
{
  (void)state;
  model_run run = small;
  run.name = "nothing kept";
  run.keeps_nothing = true;
  run.depth_cap = 12;
  agree(run);
}

static void many_hosts(void **state)
{
  (void)state;
  model_run run = small;
  run.name = "many hosts";
  run.steps = 600;
  run.hosts = 2000;
  run.words = 50;
  run.links = 60;
  run.leases = 40;
  agree(run);
}

/* 65,536 fit into memory. */
static void more_than_the_window(void **state)
{
  (void)state;
  model_run run = small;
  run.name = "more than the window";
  run.steps = 160;
  run.expected_urls = 1000;
  run.hosts = 30;
  run.words = 4000;
  run.links = 4000;
  run.leases = 700;
  run.per_host = 1000;
  run.delay_ms = 0;
  run.overflows = true;
  agree(run);
}

/* If a model that is told one thing wrongly went through, none of the above would mean anything. */
static void a_lie_is_noticed(void **state)
{
  (void)state;
  for (int lie = TRUTH + 1; lie < LIES; lie++) {
    model_run run = small;
    char difference[MODEL_TEXT];
    run.name = "a lie";
    run.seed = seed();
    run.lie = (model_lie)lie;
    if (model_agrees(&run, difference))
      fail_msg("lie %d went through", lie);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_model_agrees),
    cmocka_unit_test(without_delay),
    cmocka_unit_test(a_classic_filter),
    cmocka_unit_test(nothing_kept),
    cmocka_unit_test(many_hosts),
    cmocka_unit_test(more_than_the_window),
    cmocka_unit_test(a_lie_is_noticed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
