/* crawler/html/refresh.c: the standard's steps, one row each way through them. */
#include "crawler/html/refresh.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct { const char *content, *url; /* NULL: none */ } rows[] = {
  { "5;url=x", "x" }, { "5; URL = x", "x" }, { "5;uRl=x", "x" }, { " \t\n\f\r5 ; url=x", "x" },
  { "5,url=x", "x" }, { "5 url=x", "x" }, { "5;x", "x" }, { "5,x", "x" }, { "5 x", "x" }, { "5 ;; x", "; x" },
  { "0;url=", "" }, { "0;url", "url" }, { "0;url x", "url x" }, { "0;ur=x", "ur=x" }, { "0;u", "u" },
  { "0;urlx", "urlx" }, { "0;url=url=x", "url=x" }, { "0;url=x y ", "x y " },
  { "0;url='x'y", "x" }, { "0;url=\"x'y\"z", "x'y" }, { "0;url='x", "x" }, { "0;url=''", "" }, { "0;url=x'y'", "x'y'" },
  { "0;'x'", "x" }, { "0;'", "" }, { "0;'url=x'", "url=x" }, { "0;url 'x'", "url 'x'" }, { "0;url= 'x'", "x" },
  { "1.5;x", "x" }, { "1..5.;x", "x" }, { ".5;x", "x" }, { ".;x", "x" }, { "05;x", "x" },
  { "99999999999999999999999;x", "x" },
  { "", NULL }, { " ", NULL }, { "5", NULL }, { "5;", NULL }, { "5; ", NULL }, { "5.", NULL }, { ".", NULL },
  { "x", NULL }, { ";x", NULL }, { "-1;x", NULL }, { "+1;x", NULL }, { "5x", NULL }, { "5'x'", NULL },
  { "url=x", NULL },
};
/* clang-format on */

CASE(each_content_leads_where_the_standard_says)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    size_t size = strlen(rows[i].content), url_size = 0;
    char *content = malloc(size + !size); /* of its exact size, for the sanitizer */
    assert_non_null(content);
    memcpy(content, rows[i].content, size);
    const char *url = NULL;
    bool found = refresh_find_url(content, size, &url, &url_size);
    bool is_right = found == (rows[i].url != NULL);
    if (found && is_right)
      is_right = url_size == strlen(rows[i].url) && memcmp(url, rows[i].url, url_size) == 0;
    if (!is_right)
      fail_msg("\"%s\": %.*s", rows[i].content, found ? (int)url_size : 4, found ? url : "none");
    free(content);
  }
}
