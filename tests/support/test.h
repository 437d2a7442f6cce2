/* What each file of tests begins with: cmocka's asserts, and CASE.
 *
 *   CASE(a_longer_rule_wins)                 // registers itself; ctest knows it as robots.a_longer_rule_wins,
 *   {                                        // after the file, test_robots.c
 *     assert_true(is_allowed("/a/b"));
 *   }
 *
 *   EACH_CASE(open_frontier, close_frontier) // at the file's end: before and after each case of the file
 *
 * Each case is a process of its own, so what one leaves in static variables, or breaks, no other one meets. By hand:
 *   build/check/tests/contract_frontier 'url.*rule*'            several: a process each, one after the other
 *   STRATA_SEED=7 STRATA_TIMES=1000 build/check/tests/contract_crash_tiny 'crash_power_tiny.*'
 *
 * Fixtures are cmocka's: `state` is theirs, 0 means success, and NULL that there is no function. A case has its own
 * (CASE_WITH) or that of its file (EACH_CASE); ALL_CASES is around either. */
#ifndef TESTS_SUPPORT_TEST_H
#define TESTS_SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct test_case test_case;
struct test_case {
  const char *file; /* test_robots.c */
  const char *name;
  void (*run)(void **state);
  int (*set_up)(void **state), (*tear_down)(void **state);
  bool has_fixture;
  test_case *next;
};

typedef struct test_fixture test_fixture;
struct test_fixture {
  const char *file;
  int (*set_up)(void **state), (*tear_down)(void **state);
  bool is_outer; /* around that of a case */
  test_fixture *next;
};

/* For the macros below; before main. */
void test_register(test_case *entry);
void test_register_fixture(test_fixture *fixture);

/* How often a randomized test repeats: STRATA_TIMES, or `usual`. */
unsigned test_times(unsigned usual);

#define CASE(case_) CASE_OF(case_, NULL, NULL, false)
#define CASE_WITH(case_, set_up_, tear_down_) CASE_OF(case_, set_up_, tear_down_, true)
/* A case that goes on where another one ended, which therefore runs before it. */
#define CASE_AFTER(case_, earlier_)         \
  static void case_##_itself(void **state); \
  CASE(case_)                               \
  {                                         \
    earlier_(state);                        \
    case_##_itself(state);                  \
  }                                         \
  static void case_##_itself(__attribute__((unused)) void **state)
#define EACH_CASE(set_up_, tear_down_) FIXTURE_OF(each, set_up_, tear_down_, false)
#define ALL_CASES(set_up_, tear_down_) FIXTURE_OF(all, set_up_, tear_down_, true)

#define CASE_OF(case_, set_up_, tear_down_, has_fixture_)                                             \
  static void case_(void **state);                                                                    \
  __attribute__((constructor)) static void register_##case_(void)                                     \
  {                                                                                                   \
    static test_case registered = {__FILE__, #case_, case_, set_up_, tear_down_, has_fixture_, NULL}; \
    test_register(&registered);                                                                       \
  }                                                                                                   \
  static void case_(__attribute__((unused)) void **state)

#define FIXTURE_OF(name_, set_up_, tear_down_, is_outer_)                              \
  __attribute__((constructor)) static void register_fixture_##name_(void)              \
  {                                                                                    \
    static test_fixture registered = {__FILE__, set_up_, tear_down_, is_outer_, NULL}; \
    test_register_fixture(&registered);                                                \
  }

#endif
