/* One line of text names a web. */
#include "tests/contract/web/web.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A name, and its share in a wild web. Hosts without end are few there: a crawl would see nothing else. */
static const struct {
  const char *name;
  double wild;
} shares[WEB_SHARES] = {
  [WEB_HTTPS] = {"https", 0.5},
  [WEB_SHARED] = {"shared", 0.3},
  [WEB_HEAVY] = {"heavy", 0.02},
  [WEB_CHARSET] = {"charset", 0.2},
  [WEB_SITEMAP] = {"sitemap", 0.3},
  [WEB_RESTING] = {"resting", 0.03},
  [WEB_NAMELESS] = {"nameless", 0.03},
  [WEB_REFUSED] = {"refused", 0.03},
  [WEB_SILENT] = {"silent", 0.02},
  [WEB_DISTRUSTED] = {"distrusted", 0.02},
  [WEB_CALENDAR] = {"calendar", 0.01},
  [WEB_SESSIONS] = {"sessions", 0.01},
  [WEB_LOST] = {"lost", 0.01},
  [WEB_FARM] = {"farm", 0.005},
  [WEB_NOROBOTS] = {"norobots", 0.3},
  [WEB_CLOSED] = {"closed", 0.03},
  [WEB_BROKENROBOTS] = {"brokenrobots", 0.02},
  [WEB_MOVEDROBOTS] = {"movedrobots", 0.05},
  [WEB_SLOWROBOTS] = {"slowrobots", 0.01},
  [WEB_CRAWLDELAY] = {"crawldelay", 0.05},
  [WEB_FAILING] = {"failing", 0.05},
  [WEB_FORBIDDEN] = {"forbidden", 0.05},
  [WEB_COPY] = {"copy", 0.05},
  [WEB_SIMILAR] = {"similar", 0.05},
  [WEB_DOOR] = {"door", 0.1},
  [WEB_AWAY] = {"away", 0.05},
  [WEB_FLAKY] = {"flaky", 0.05},
  [WEB_GHOST] = {"ghost", 0.1},
  [WEB_SPELLED] = {"spelled", 0.2},
  [WEB_ASLEEP] = {"asleep", 0.01},
  [WEB_LONGROBOTS] = {"longrobots", 0.01},
  [WEB_STRAYROBOTS] = {"strayrobots", 0.05},
  [WEB_FLOOD] = {"flood", 0},
  [WEB_MUTE] = {"mute", 0.2},
  [WEB_GRAFFITI] = {"graffiti", 0},
  [WEB_UNSAID] = {"unsaid", 0.1},
  [WEB_WIDE] = {"wide", 0.05},
  [WEB_CHAINED] = {"chained", 0.005},
};

static const struct {
  const char *name;
  size_t offset;
  uint32_t least, most;
} numbers[] = {
  {"hosts", offsetof(web_options, hosts), 1, 100000000}, {"pages", offsetof(web_options, pages), 1, 1000000},
  {"links", offsetof(web_options, links), 0, 100},       {"bytes", offsetof(web_options, bytes), 200, 1000000},
  {"rest", offsetof(web_options, rest_s), 1, 1000000},   {"period", offsetof(web_options, flaky_s), 1, 1000000},
  {"delay", offsetof(web_options, delay_s), 1, 1000000}, {"change", offsetof(web_options, change_s), 0, 1000000000},
};

web_options web_options_plain(void)
{
  return (web_options){
    .seed = 1, .hosts = 1000, .pages = 10, .links = 4, .bytes = 2000, .rest_s = 3600, .flaky_s = 12, .delay_s = 30};
}

const char *web_share_name(web_share share)
{
  return shares[share].name;
}

/* A whole number up to `most`, and nothing behind it but `end`; NULL if it is none. */
static const char *read_whole(const char *word, uint64_t most, uint64_t *value)
{
  char *end;
  if (*word < '0' || *word > '9' || strlen(word) > 20)
    return NULL;
  errno = 0;
  *value = strtoull(word, &end, 10);
  return errno == 0 && *value <= most ? end : NULL;
}

static bool read_number(web_options *options, const char *name, const char *value)
{
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    uint64_t read;
    if (strcmp(name, numbers[i].name) != 0)
      continue;
    const char *end = read_whole(value, numbers[i].most, &read);
    if (!end || *end || read < numbers[i].least)
      return false;
    uint32_t number = (uint32_t)read;
    memcpy((char *)options + numbers[i].offset, &number, sizeof number);
    return true;
  }
  return false;
}

static bool read_share(web_options *options, const char *name, const char *value)
{
  for (size_t i = 0; i < WEB_SHARES; i++) {
    char *end;
    if (strcmp(name, shares[i].name) != 0)
      continue;
    double read = strtod(value, &end);
    if (!*value || *end || !(read >= 0 && read <= 1))
      return false;
    options->share[i] = read;
    return true;
  }
  return false;
}

/* "200" or "50-500". */
static bool read_latency(web_options *options, const char *value)
{
  enum { LATENCY_MAX_MS = 600000 };
  uint64_t from, to;
  const char *end = read_whole(value, LATENCY_MAX_MS, &from);
  if (!end)
    return false;
  to = from;
  if (*end == '-')
    end = read_whole(end + 1, LATENCY_MAX_MS, &to);
  if (!end || *end || to < from)
    return false;
  options->latency_from_ms = (uint32_t)from;
  options->latency_to_ms = (uint32_t)to;
  return true;
}

static bool read_seed(web_options *options, const char *value)
{
  const char *end = read_whole(value, UINT64_MAX, &options->seed);
  return end && !*end;
}

/* "plain", "wild", "zipf". */
static bool read_flag(web_options *options, const char *word)
{
  bool is_wild = strcmp(word, "wild") == 0;
  if (strcmp(word, "zipf") == 0) {
    options->zipf = true;
    return true;
  }
  for (size_t i = 0; i < WEB_SHARES; i++)
    if (is_wild || strcmp(word, "plain") == 0)
      options->share[i] = is_wild ? shares[i].wild : 0;
  return is_wild || strcmp(word, "plain") == 0;
}

static bool read_word(web_options *options, char *word)
{
  char *value = strchr(word, '=');
  if (!value)
    return read_flag(options, word);
  *value++ = '\0';
  return (strcmp(word, "seed") == 0 && read_seed(options, value)) ||
         (strcmp(word, "latency") == 0 && read_latency(options, value)) || read_number(options, word, value) ||
         read_share(options, word, value);
}

bool web_options_read(web_options *options, const char *line, char *error, size_t size)
{
  web_options read = web_options_plain();
  bool good = true;
  for (size_t length; good && *line; line += length + (line[length] == ',')) {
    char word[64];
    length = strcspn(line, ",");
    snprintf(word, sizeof word, "%.*s", (int)length, line);
    good = length < sizeof word && read_word(&read, word);
    if (!good)
      snprintf(error, size, "this web has no \"%.*s\"; it has words such as hosts=1000, latency=50-500, failing=0.1",
               (int)(length < 60 ? length : 60), line);
  }
  if (good)
    *options = read;
  return good;
}
