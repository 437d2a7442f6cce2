/* strata export: the URLs a crawl holds, one a line. */
#include "crawler/cmd.h"
#include "crawler/crawl_dir.h"
#include "crawler/say.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
  "Usage: strata export DIR [--state seen|queued|done|failed|skipped]\n"
  "URLs of the crawl in DIR, one a line, as they were requested; works while it is being crawled.\n"
  "\n"
  "  strata export strata-example.org --state failed\n"
  "  strata export old-crawl --state queued | strata crawl --dir new-crawl -\n"
  "\n"
  "  --state S   seen: all (default); queued: waiting or in flight; done, failed, skipped: ended so\n"
  "\n"
  "Exit: 0 done, 1 failed, 2 usage.\n";

typedef enum wanted { SEEN, QUEUED, DONE, FAILED, SKIPPED, STATES } wanted;

static bool parse_state(const char *text, wanted *state)
{
  static const char *const names[STATES] = {"seen", "queued", "done", "failed", "skipped"};
  for (int i = 0; i < STATES; i++)
    if (strcmp(text, names[i]) == 0) {
      *state = (wanted)i;
      return true;
    }
  say_error("export", "--state \"%s\": seen, queued, done, failed or skipped, please", text);
  return false;
}

static wanted state_of(const frontier_record *record)
{
  if (record->is_queued)
    return QUEUED;
  switch (record->state) {
  case FRONTIER_DONE: return DONE;
  case FRONTIER_FAILED: return FAILED;
  case FRONTIER_SKIPPED: return SKIPPED;
  case FRONTIER_NOTED: break; /* seen, and nothing else */
  }
  return SEEN;
}

static bool print_url(void *context, const frontier_record *record)
{
  const wanted *state = context;
  if (*state != SEEN && *state != state_of(record))
    return true;
  return fwrite(record->url, 1, record->url_size, stdout) == record->url_size && putchar('\n') != EOF;
}

static int export(const char *directory, wanted state)
{
  frontier *f = crawl_dir_open("export", directory);
  if (!f)
    return EXIT_FAILED;
  bool read = frontier_each(f, print_url, &state) == FRONTIER_OK;
  if (!read)
    say_error("export", "%s", frontier_message(f));
  frontier_close(f);
  return read && fflush(stdout) == 0 && !ferror(stdout) ? EXIT_DONE : EXIT_FAILED;
}

int cmd_export(int argc, char **argv)
{
  static const struct option options[] = {
    {"state", required_argument, NULL, 's'}, {"help", no_argument, NULL, 'h'}, {0}};
  wanted state = SEEN;
  for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;)
    switch (option) {
    case 'h': fputs(help, stdout); return EXIT_DONE;
    case 's':
      if (!parse_state(optarg, &state))
        return EXIT_USAGE;
      break;
    default: fprintf(stderr, "Try \"strata export --help\".\n"); return EXIT_USAGE;
    }
  if (argc - optind == 1)
    return export(argv[optind], state);
  say_error("export", "one directory, please: strata export DIR");
  return EXIT_USAGE;
}
