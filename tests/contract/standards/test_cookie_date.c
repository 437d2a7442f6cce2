/* crawler/http/cookie_date.c against rows that were worked out by hand from RFC 6265bis, 5.1.1. */
#include "crawler/http/cookie_date.h"
#include "tests/support/test.h"

#include <string.h>

static const int64_t none = INT64_MIN;

static const struct row {
  const char *text;
  int64_t seconds; /* none: it is no date */
} rows[] = {
  /* one day, as servers write it */
  {"Tue, 07 Nov 2023 22:13:20 GMT", 1699395200},
  {"Tuesday, 07-Nov-23 22:13:20 GMT", 1699395200},
  {"Tue Nov  7 22:13:20 2023", 1699395200},
  {"7 Nov 2023 22:13:20", 1699395200},
  {"2023 nov 7 22:13:20 +0200", 1699395200},
  {"NOVEMBER;7;2023;22:13:20", 1699395200},
  {"22:13:20 7th Nov 2023", 1699395200},
  {"7/Nov/2023/22:13:20", 1699395200},
  {"\t 7-Nov-2023 22:13:20Z-", 1699395200},
  {"Tue 7 Nov 2023 UTC 22:13:20 UTC", 1699395200},
  /* two digits of a year */
  {"Thu, 01-Jan-70 00:00:10 GMT", 10},
  {"01 Jan 99 00:00:00", 915148800},
  {"01 Jan 00 00:00:00", 946684800},
  {"01 Jan 69 00:00:00", 3124224000},
  {"01 Jan 070 00:00:00", 0},
  /* which number is what */
  {"10 11 Nov 12:00:00", 1320926400},
  {"31 Dec 1969 23:59:59", -1},
  {"1 Jan 1601 0:0:0", -11644473600},
  {"1 Jan 9999 0:0:0", 253370764800},
  {"29 Feb 2024 1:2:3", 1709168523},
  {"1 Jan 2001 1:2:3 4:5:6", 978310923},
  {"1 Jan Feb 2001 0:0:0", 978307200},
  {"1 Janx 2001x 0:0:0x", 978307200},
  {"1 Jan 2001 2002 0:0:0", 978307200},
  {"1x Jan 2001 0:0:0", 978307200},
  /* no dates */
  {"", none},
  {"soon", none},
  {"0", none},
  {"20231107", none},
  {"1699395200", none},
  {"Mon, 01 Jan 2001", none},
  {"Mon, 01 Jan 00:00:00", none},
  {"Jan 2001 00:00:00", none},
  {"01 2001 00:00:00", none},
  {"2023-11-07T22:13:20Z", none},
  {"00 Jan 2001 0:0:0", none},
  {"32 Jan 2001 0:0:0", none},
  {"30 Feb 2024 0:0:0", none},
  {"29 Feb 2023 0:0:0", none},
  {"31 Apr 2024 0:0:0", none},
  {"1 Jan 1600 0:0:0", none},
  {"1 Jan 20010 0:0:0", none},
  {"1 Jan 2001 24:0:0", none},
  {"1 Jan 2001 0:60:0", none},
  {"1 Jan 2001 0:0:60", none},
  {"1 Jan 2001 0:0", none},
  {"1 Jan 2001 0:0:000", none},
  {"1 Jan 2001 000:0:0", none},
  {"1 Jan 2001 :0:0", none},
  {"1 Ja n 2001 0:0:0", none},
  {"1 Jan 2001 0:\xC3\xA9:0", none},
};

CASE(dates_of_every_kind)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int64_t seconds = none;
    bool is_date = cookie_date_read(rows[i].text, &seconds);
    if (is_date != (rows[i].seconds != none) || seconds != rows[i].seconds)
      fail_msg("\"%s\": %s %lld", rows[i].text, is_date ? "" : "no date", (long long)seconds);
  }
}
