/* Memory under uriparser: ordinary links need none from the heap, the largest a bounded amount, and none
 * leaves a trace when it cannot be had. malloc is ours here (ld --wrap). */
#include "tests/support/test.h"
#include "tests/support/url_test.h"

static unsigned allocations, fail_at; /* fail_at: which allocation fails, counting from 1; 0 for none */
static size_t allocated;

void *__real_malloc(size_t size); // NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): ld's names
void *__wrap_malloc(size_t size); // NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)

void *__wrap_malloc(size_t size)
{
  allocated += size;
  return ++allocations == fail_at ? NULL : __real_malloc(size);
}

static void count_from_here(unsigned fail)
{
  allocations = 0;
  allocated = 0;
  fail_at = fail;
}

CASE(ordinary_links_need_no_heap)
{
  static url out;
  static const char *const links[] = {"d", "../e?f", "/x y|z", "//other/%7e", "http://127.1/a/./b/../c?d='e'"};
  url_base *base = url_base_create();
  assert_int_equal(url_base_set(base, "http://h/a/b[1]/c?d", 19), URL_OK);
  count_from_here(0);
  for (size_t i = 0; i < COUNT(links); i++)
    assert_int_equal(url_resolve(base, links[i], strlen(links[i]), URL_STRICT, &out), URL_OK);
  assert_int_equal(allocations, 0);
  url_base_free(base);
}

/* As many segments as fit, in base and link: the largest work there is. */
static url_status resolve_the_largest(unsigned fail)
{
  static url out;
  static char page[URL_LENGTH_MAX], href[URL_LENGTH_MAX];
  memset(page, '/', sizeof page);
  memcpy(page, "http://h/", 9);
  for (size_t i = 0; i + 1 < sizeof href; i += 3)
    memcpy(href + i, i + 3 < sizeof href ? "../" : "x/", i + 3 < sizeof href ? 3 : 2);
  url_base *base = url_base_create();
  assert_int_equal(url_base_set(base, page, sizeof page), URL_OK);
  href[0] = ';'; /* so that the climb is not in front: uriparser's work */
  count_from_here(fail);
  url_status status = url_resolve(base, href, sizeof href - 2, URL_STRICT, &out);
  count_from_here(0);
  url_base_free(base);
  return status;
}

CASE(every_allocation_may_fail)
{
  unsigned fail = 1;
  while (resolve_the_largest(fail) == URL_NO_MEMORY)
    fail++;
  print_message("%u allocations failed in turn\n", fail - 1);
  assert_int_equal(resolve_the_largest(fail), URL_OK);
  assert_true(fail > 1);
}

CASE(the_largest_link_has_a_bound)
{
  static url out;
  static char href[URL_LENGTH_MAX];
  memset(href, '/', sizeof href);
  memcpy(href, "http://h/", 9);
  href[sizeof href - 1] = '|'; /* not plain */
  count_from_here(0);
  assert_int_equal(url_parse(href, sizeof href, URL_STRICT, &out), URL_TOO_LONG); /* its key */
  href[sizeof href - 1] = '/';
  href[sizeof href - 2] = '.';
  assert_int_equal(url_parse(href, sizeof href, URL_STRICT, &out), URL_OK);
  print_message("%zu bytes in %u blocks\n", allocated, allocations);
  assert_true(allocated < 4 << 20);
}

CASE(a_base_may_not_be_had)
{
  count_from_here(1);
  assert_null(url_base_create());
  count_from_here(0);
}
