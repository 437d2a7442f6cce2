/* The words for URL refusals. */
#include "frontier/url.h"

static const char *const names[URL_STATUS_COUNT] = {
  [URL_OK] = "ok",
  [URL_BAD_SCHEME] = "scheme",
  [URL_BAD_HOST] = "host",
  [URL_TOO_LONG] = "too-long",
  [URL_BAD_SYNTAX] = "syntax",
  [URL_HAS_CONTROL] = "control",
  [URL_HAS_USERINFO] = "userinfo",
  [URL_NO_MEMORY] = "memory",
};

const char *url_status_name(url_status status)
{
  return (unsigned)status < URL_STATUS_COUNT ? names[status] : "unknown";
}
