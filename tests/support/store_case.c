#include "tests/support/store_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

char store_case_directory[SCRATCH_PATH], store_case_message[FRONTIER_MESSAGE_SIZE];

int store_case_begin(void **state)
{
  (void)state;
  scratch_make_fast(store_case_directory);
  return 0;
}

int store_case_end(void **state)
{
  (void)state;
  scratch_remove(store_case_directory);
  return 0;
}

store *store_case_open(bool read_only)
{
  store *s = NULL;
  if (store_open(store_case_directory, read_only, "us", 2, &s, store_case_message) != FRONTIER_OK)
    fail_msg("%s", store_case_message);
  s->id = STORE_CASE_ID;
  return s;
}
