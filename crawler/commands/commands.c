/* See cmd.h. */
#include "crawler/commands/cmd.h"

#include <stddef.h>

const cmd_entry cmd_entries[] = {
  {cmd_crawl, &cmd_crawl_options, true, "crawl sites, each page once; continue where it stopped"},
  {cmd_stat, &cmd_stat_options, false, "counters, queue, hosts and filter of a crawl"},
  {cmd_seen, &cmd_seen_options, false, "has a crawl seen these URLs, and what decided"},
  {cmd_forget, &cmd_forget_options, true, "make URLs of a crawl new again"},
  {cmd_show, &cmd_show_options, false, "the stored response of a URL, from the WARC"},
  {cmd_report, &cmd_report_options, false, "a crawl as one HTML page"},
  {cmd_export, &cmd_export_options, false, "the URLs of a crawl, one a line"},
  {cmd_check, &cmd_check_options, false, "is a crawl's directory sound"},
  {cmd_compact, &cmd_compact_options, true, "disk space back after a large crawl"},
  {cmd_merge, &cmd_merge_options, true, "what several crawls have seen, as the memory of a new one"},
  {cmd_inlinks, &cmd_inlinks_options, false, "the URLs of a crawl that most pages link to"},
  {cmd_like, &cmd_like_options, false, "the pages of a crawl that resemble this one"},
  {cmd_uniq, &cmd_uniq_options, false, "URL lines in, first sightings out"},
  {cmd_url, &cmd_url_options, false, "canonical key of each line"},
  {cmd_plan, &cmd_plan_options, false, "memory of every filter for so many URLs"},
  {cmd_links, &cmd_links_options, false, "links a crawl would take from a page"},
  {cmd_robots, &cmd_robots_options, false, "what a robots.txt allows"},
  {cmd_digest, &cmd_digest_options, false, "similarity digests of files, and how alike they are"},
  {cmd_replay, &cmd_replay_options, false, "a URL set through every filter: what each gets wrong, and a report"},
  {cmd_generate_urls, &cmd_generate_urls_options, false, "a URL list of any size, from a seed"},
  {NULL, NULL, false, NULL},
};
