/* See crawl_warc.h. */
#include "crawler/loop/crawl_warc.h"

#include "frontier/base/own_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char SETTING[] = "warc";

static frontier_status status_of(int error)
{
  if (own_file_is_refusal(error))
    return FRONTIER_NOT_OURS;
  switch (error) {
  case 0: return FRONTIER_OK;
  case ENOSPC:
  case EDQUOT:
  case EFBIG: return FRONTIER_NO_SPACE;
  case ENOMEM: return FRONTIER_NO_MEMORY;
  default: return FRONTIER_IO;
  }
}

frontier_status crawl_warc_settle(crawl_warc *k, char message[FRONTIER_MESSAGE_SIZE])
{
  warc_place place;
  char text[WARC_PLACE_TEXT];
  frontier_status status = status_of(warc_settle(k->warc, &place));
  if (status != FRONTIER_OK) {
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%s", warc_message(k->warc));
    return status;
  }
  if (place.number == k->place.number && place.bytes == k->place.bytes)
    return FRONTIER_OK;
  warc_place_write(place, text);
  status = frontier_setting_put(k->frontier, SETTING, text, strlen(text));
  if (status == FRONTIER_OK)
    k->place = place;
  return status;
}

bool crawl_warc_open(crawl_warc *k, frontier *f, const warc_options *options, bool wanted,
                     char message[WARC_MESSAGE_SIZE])
{
  const void *text;
  size_t size;
  warc_place place = {0};
  bool had_one = frontier_setting_get(f, SETTING, &text, &size) == FRONTIER_OK;
  *k = (crawl_warc){.frontier = f};
  if (!had_one && !wanted)
    return true;
  if (had_one && !warc_place_read(text, size, &place)) {
    snprintf(message, WARC_MESSAGE_SIZE, "%.300s: how far its WARC goes cannot be read", options->directory);
    return false;
  }
  warc *w = warc_open(options, place, message);
  if (!w)
    return false;
  if (!wanted)
    return warc_close(w, false, message);
  k->warc = w;
  k->place = place;
  return true;
}

frontier_status crawl_warc_keep(warc *w, const frontier_lease *lease, const fetch_response *response)
{
  static const char *const reasons[] = {/* WARC 1.1, 5.13; what its coding breaks off is there as it came */
                                        [FETCH_CUT_LENGTH] = "length",
                                        [FETCH_CUT_DISCONNECT] = "disconnect",
                                        [FETCH_CUT_TIME] = "time",
                                        [FETCH_CUT_CODING] = NULL};
  if (response->error != FETCH_OK || !response->exchange)
    return FRONTIER_OK;
  const warc_fetch fetch = {.exchange = response->exchange,
                            .url = lease->url,
                            .type = response->content_type,
                            .address = response->address,
                            .start_ms = response->start_ms,
                            .seconds = response->seconds,
                            .truncated = reasons[response->truncated],
                            .id = lease->id,
                            .via = lease->origin.via,
                            .depth = lease->origin.depth};
  return status_of(warc_write(w, &fetch));
}

bool crawl_warc_close(crawl_warc *k, bool is_committed, char message[WARC_MESSAGE_SIZE])
{
  return warc_close(k->warc, is_committed, message);
}
