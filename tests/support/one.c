/* Linked into every test: STRATA_TEST='*ipv4*' build/check/tests/test_url runs the cases of that name alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

__attribute__((constructor)) static void choose_tests(void)
{
  const char *pattern = getenv("STRATA_TEST");
  if (pattern)
    cmocka_set_test_filter(pattern);
}
