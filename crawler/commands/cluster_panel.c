/* See cluster_panel.h. All machines' numbers come from NAME:stat, where each worker says once a second how it is. */
#include "crawler/commands/cluster_panel.h"

#include "crawler/base/crawl_dir.h"
#include "crawler/base/message.h"
#include "crawler/cluster/partition_stat.h"
#include "crawler/commands/cluster_copies.h"
#include "crawler/commands/cmd.h"
#include "frontier/base/machine.h"

#include <hiredis/hiredis.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum { ASK_MS = 1000, SAY_MS = 10000, LATE_MS = 20000 };

cluster_panel cluster_panel_create(broker *b, uint32_t partitions, bool is_quiet, bool wants_lines)
{
  bool is_live = !is_quiet && !wants_lines && isatty(STDERR_FILENO);
  return (cluster_panel){.broker = b, .partitions = partitions, .is_live = is_live, .is_shown = is_live || wants_lines};
}

static void stat_came(void *context, const redisReply *reply)
{
  cluster_panel *p = context;
  partition_stat s;
  if (!reply || reply->type != REDIS_REPLY_ARRAY)
    return;
  p->pages = p->waiting = p->travelling = p->alive = p->heard = 0;
  p->rate = 0;
  for (size_t i = 1; i < reply->elements; i += 2)
    if (reply->element[i]->type == REDIS_REPLY_STRING &&
        partition_stat_read(reply->element[i]->str, reply->element[i]->len, &s)) {
      bool is_alive = machine_wall_ms() < s.at_ms + LATE_MS;
      p->pages += s.pages;
      p->waiting += s.waiting;
      p->travelling += s.unacknowledged;
      p->alive += is_alive;
      p->heard++;
      p->rate += is_alive ? s.rate : 0;
    }
}

static void draw(cluster_panel *p, uint64_t now_ms)
{
  char pages[SAY_SIZE], waiting[SAY_SIZE];
  if (!p->is_live && now_ms - p->said_ms < SAY_MS)
    return;
  p->said_ms = now_ms;
  fprintf(stderr,
          "%s%s pages, %.0f pages/s; %s URLs wait, %" PRIu64 " parcels travel; %" PRIu64 " of %" PRIu32 " partitions%s",
          p->is_live ? "\r\033[K" : "", say_count(p->pages, pages), p->rate, say_count(p->waiting, waiting),
          p->travelling, p->alive, p->partitions, p->is_live ? "" : "\n");
  p->is_drawn = p->is_live;
}

static void ask(cluster_panel *p)
{
  broker_key key = broker_key_of(p->broker, "stat");
  broker_word word = broker_text(key.text);
  broker_send(p->broker, BROKER_HGETALL, &word, 1, stat_came, p);
}

void cluster_panel_tick(cluster_panel *p, uint64_t now_ms)
{
  if (!p->is_shown || now_ms - p->asked_ms < ASK_MS)
    return;
  if (p->asked_ms && p->alive)
    draw(p, now_ms);
  p->asked_ms = now_ms;
  ask(p);
}

bool cluster_panel_has_no_page(cluster_panel *p)
{
  ask(p);
  return broker_settle(p->broker, ASK_MS) && p->heard == p->partitions && !p->pages && !p->waiting;
}

void cluster_panel_clear(cluster_panel *p)
{
  if (p->is_drawn)
    fputs("\r\033[K", stderr);
  p->is_drawn = false;
}

void cluster_panel_conclude(const crawl_args *args, const char *directory, const uint32_t *partitions, size_t count,
                            int code)
{
  uint64_t pages = 0, failed = 0, waiting = 0;
  char path[CRAWL_PATH_SIZE], of_pages[SAY_MANY_SIZE], of_failed[SAY_MANY_SIZE], of_waiting[SAY_SIZE];
  for (size_t i = 0; i < count; i++) {
    frontier_stats stats;
    cluster_partition_path(directory, partitions[i], path);
    frontier *f = crawl_dir_exists(path) ? crawl_dir_open("crawl", path) : NULL;
    if (f && frontier_stats_read(f, &stats) == FRONTIER_OK) {
      pages += frontier_counter(f, "pages");
      failed += stats.failed;
      waiting += stats.queued;
    }
    if (f)
      frontier_close(f);
  }
  fprintf(stderr, "%s\n",
          code == EXIT_DONE && waiting       ? "Ended at a limit; the same command with a larger one goes on."
          : code == EXIT_DONE                ? "Done: the crawl is over on all machines."
          : code == EXIT_STOPPED             ? "Stopped; the same command goes on."
          : pages == 0 && !waiting && failed ? "The crawl is over, without a page."
                                             : "Not all workers went on to the end; the same command goes on.");
  fprintf(stderr, "  here: %s, %s failed, %s wait; in %s/p-*/pages.jsonl\n", say_many(pages, "page", of_pages),
          say_many(failed, "URL", of_failed), say_count(waiting, of_waiting), directory);
  fprintf(stderr, "  all machines: strata cluster stat %s\n", args->cluster);
}
