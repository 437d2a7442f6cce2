/* See cmd.h. */
#include "crawler/commands/cmd.h"

#include <stddef.h>

const cmd_entry cmd_entries[] = {
  {cmd_crawl, &cmd_crawl_options, true, false, "crawl sites, each page once; continue where it stopped"},
  {cmd_audit, &cmd_audit_options, true, false, "crawl a site, check each link, and say what is broken"},
  {cmd_stat, &cmd_stat_options, false, true, "counters, queue, hosts and filter of a crawl"},
  {cmd_seen, &cmd_seen_options, false, true, "whether a crawl has seen these URLs"},
  {cmd_forget, &cmd_forget_options, true, true, "make a crawl forget URLs, so that it can fetch them again"},
  {cmd_show, &cmd_show_options, false, true, "the stored response of a URL (crawl --warc)"},
  {cmd_report, &cmd_report_options, false, true, "a crawl as one HTML page"},
  {cmd_export, &cmd_export_options, false, true, "the URLs of a crawl, one per line"},
  {cmd_check, &cmd_check_options, false, true, "check the directory of a crawl for damage, and repair it"},
  {cmd_compact, &cmd_compact_options, true, true, "free disk space after a large crawl"},
  {cmd_snapshot, &cmd_snapshot_options, false, true, "copy a crawl, even while it goes on"},
  {cmd_merge, &cmd_merge_options, true, true, "start a new crawl with the seen URLs of several others"},
  {cmd_cluster, &cmd_cluster_options, true, false, "a crawl on many machines: how it is, stop it, adopt a directory"},
  {cmd_inlinks, &cmd_inlinks_options, false, true, "the URLs of a crawl that most pages link to"},
  {cmd_like, &cmd_like_options, false, true, "the pages of a crawl that are similar to this one"},
  {cmd_uniq, &cmd_uniq_options, false, false, "drop lines whose URL occurred before"},
  {cmd_url, &cmd_url_options, false, false, "canonical key of each line"},
  {cmd_plan, &cmd_plan_options, false, false, "memory that each filter needs for N URLs"},
  {cmd_links, &cmd_links_options, false, false, "links a crawl would take from a page"},
  {cmd_robots, &cmd_robots_options, false, false, "what a robots.txt allows"},
  {cmd_digest, &cmd_digest_options, false, false, "similarity digests of files, and their comparison"},
  {cmd_replay, &cmd_replay_options, false, false, "run a URL list through the filters, and report their errors"},
  {cmd_generate_urls, &cmd_generate_urls_options, false, false, "a URL list of any size, from a seed"},
  {NULL, NULL, false, false, NULL},
};
