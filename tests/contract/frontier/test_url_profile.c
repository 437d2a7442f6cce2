/* The names of key profiles: what files carry. */
#include "tests/support/test.h"
#include "tests/support/url_test.h"

CASE(names_come_back)
{
  static const struct {
    const char *given, *canonical;
    url_profile profile;
  } rows[] = {
    {"strict", "strict", URL_STRICT},
    {"no-www", "no-www", URL_NO_WWW},
    {"http=https", "http=https", URL_HTTP_IS_HTTPS},
    {"no-trailing-slash", "no-trailing-slash", URL_NO_TRAILING_SLASH},
    {"no-index-page", "no-index-page", URL_NO_INDEX_PAGE},
    {"sort-query", "sort-query", URL_SORT_QUERY},
    {"no-session-ids", "no-session-ids", URL_NO_SESSION_IDS},
    {"no-tracking-params", "no-tracking-params", URL_NO_TRACKING},
    {"no-duplicate-slashes", "no-duplicate-slashes", URL_NO_DUPLICATE_SLASHES},
    {"path-paper", "path-paper", URL_PATH_PAPER},
    {"refuse-userinfo", "refuse-userinfo", URL_REFUSE_USERINFO},
    {"sort-query,no-www", "no-www,sort-query", URL_NO_WWW | URL_SORT_QUERY}, /* one order, however given */
    {"no-www,no-www", "no-www", URL_NO_WWW},
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    url_profile profile = 0xffffffff;
    char name[URL_PROFILE_NAME_SIZE];
    assert_true(url_profile_parse(rows[i].given, &profile));
    assert_int_equal(profile, rows[i].profile);
    url_profile_name(profile, name);
    assert_string_equal(name, rows[i].canonical);
  }
}

CASE(all_rules_fit_the_name)
{
  url_profile all = URL_EVERY_RULE, back;
  char name[URL_PROFILE_NAME_SIZE];
  url_profile_name(all, name);
  assert_true(strlen(name) < sizeof name);
  assert_true(url_profile_parse(name, &back));
  assert_int_equal(back, all);
}

CASE(unknown_names_change_nothing)
{
  static const char *const bad[] = {
    "", "no-ww", "no-www ", "No-WWW", "no-www,", ",no-www", "no-www,,sort-query", "strict,no-www",
  };
  for (size_t i = 0; i < COUNT(bad); i++) {
    url_profile profile = 42;
    assert_false(url_profile_parse(bad[i], &profile));
    assert_int_equal(profile, 42);
  }
}
