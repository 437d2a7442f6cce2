#include "crawler/commands/uniq_memory.h"
#include "crawler/base/message.h"
#include "frontier/base/machine.h"
#include "frontier/base/own_file.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- opening -------------------------------------------------------------------------------------------- */

static bool fail(const char *what, mlbf_status status)
{
  say_error("uniq", "%s: %s", what, status == MLBF_IO ? strerror(errno) : mlbf_status_text(status));
  return false;
}

static bool made_otherwise(const char *option, const char *state)
{
  say_error("uniq", "--%s: %s was made otherwise, which cannot change; choose another --state", option, state);
  return false;
}

static bool differs(double asked, double was)
{
  return fabs(was / asked - 1) > 1e-6;
}

static bool adopt_profile(uniq_settings *settings, const char *was, const char *state)
{
  if (!url_profile_parse(was, &settings->profile)) {
    say_error("uniq", "%s: its profile \"%s\" is unknown to this version", state, was);
    return false;
  }
  return !settings->profile_given || strcmp(was, settings->profile_name) == 0 || made_otherwise("profile", state);
}

static bool adopt_chain(uniq_settings *settings, const mlbf_chain *chain, const char *state)
{
  mlbf_chain_stats was;
  mlbf_chain_stats_read(chain, &was);
  if (settings->window.unit)
    return made_otherwise("window", state);
  if (settings->filter_given && (settings->exact || was.kind != settings->filter.kind))
    return made_otherwise("filter", state);
  if (settings->rate_given && differs(settings->filter.rate, was.promised_rate))
    return made_otherwise("fp", state);
  return adopt_profile(settings, was.profile, state);
}

static bool adopt_window(uniq_settings *settings, const mlbf_epoch *window, const char *state)
{
  mlbf_window_stats was;
  const mlbf_window_options *asked = &settings->window;
  mlbf_epoch_stats_read(window, &was);
  if (asked->unit && (asked->unit != was.unit || asked->window != was.window))
    return made_otherwise("window", state);
  if (settings->filter_given)
    return made_otherwise("filter", state);
  if (settings->rate_given && differs(settings->filter.rate, was.promised_rate))
    return made_otherwise("fp", state);
  if (settings->expect_given && asked->keys != was.keys)
    return made_otherwise("expect", state);
  return adopt_profile(settings, was.profile, state);
}

static bool adopt_keys(uniq_settings *settings, const mlbf_key_set *keys, const char *state)
{
  mlbf_key_set_stats was;
  mlbf_key_set_stats_read(keys, &was);
  if (settings->window.unit)
    return made_otherwise("window", state);
  if (settings->filter_given && !settings->exact)
    return made_otherwise("filter", state);
  if (settings->rate_given)
    return made_otherwise("fp", state);
  return adopt_profile(settings, was.profile, state);
}

static bool needs_secret(const uniq_settings *settings, const char *state)
{
  if (settings->secret_given)
    say_error("uniq", "--secret: %s was made with another one, which cannot change; choose another --state", state);
  else
    say_error("uniq", "%s was made with --secret, and needs the same file again", state);
  return false;
}

/* With the secret that was given; NULL: the one that the state holds. */
static bool load(uniq_settings *settings, const char *state, uniq_memory *memory)
{
  const uint8_t *secret = settings->secret_given ? settings->secret : NULL;
  mlbf_status status = mlbf_chain_load(state, secret, &memory->chain);
  if (status == MLBF_OK)
    return adopt_chain(settings, memory->chain, state);
  if (status == MLBF_NOT_A_FILTER)
    status = mlbf_epoch_load(state, secret, &memory->window);
  if (status == MLBF_OK)
    return adopt_window(settings, memory->window, state);
  if (status == MLBF_MISMATCH)
    status = mlbf_key_set_load(state, secret, &memory->keys);
  if (status == MLBF_SECRET)
    return needs_secret(settings, state);
  return status == MLBF_OK ? adopt_keys(settings, memory->keys, state) : fail(state, status);
}

static mlbf_status create(uniq_settings *settings, uniq_memory *memory)
{
  const uint8_t *secret = settings->secret_given ? settings->secret : NULL;
  settings->window.secret = settings->filter.secret = secret;
  if (settings->window.unit)
    return mlbf_epoch_create(&settings->window, &memory->window);
  return settings->exact ? mlbf_key_set_create(secret, 0, settings->profile_name, &memory->keys)
                         : mlbf_chain_create(&settings->filter, &memory->chain);
}

/* It is read, and then a new one takes its place. */
static bool is_ours(const struct stat *info, const char *state)
{
  int error = !S_ISREG(info->st_mode) ? ENXIO : info->st_uid != geteuid() ? EPERM : 0;
  if (error)
    say_error("uniq", "--state %s: %s", state, own_file_words(error));
  return !error;
}

bool uniq_memory_open(uniq_settings *settings, const char *state, uniq_memory *memory)
{
  struct stat info;
  if (state && stat(state, &info) == 0)
    return is_ours(&info, state) && load(settings, state, memory);
  if (state && errno != ENOENT)
    return fail(state, MLBF_IO);
  settings->filter.profile = settings->window.profile = settings->profile_name;
  settings->window.rate = settings->filter.rate;
  mlbf_status status = create(settings, memory);
  return status == MLBF_OK || fail(settings->window.unit ? "the window" : "the filter", status);
}

void uniq_memory_free(uniq_memory *memory)
{
  mlbf_chain_free(memory->chain);
  mlbf_epoch_free(memory->window);
  mlbf_key_set_free(memory->keys);
}

/* ---- use ------------------------------------------------------------------------------------------------ */

static mlbf_verdict verdict_of(bool was_seen)
{
  return (mlbf_verdict){was_seen ? MLBF_SEEN : MLBF_NEW, 0, 0};
}

/* By the wall clock, and not a monotonic one: a state outlives a boot. */
static void judge_by_window(mlbf_epoch *window, const uniq_keys *keys, mlbf_verdict *verdicts)
{
  uint64_t now_ms = machine_wall_ms();
  for (size_t i = 0; i < keys->count; i++)
    verdicts[i] = verdict_of(mlbf_epoch_insert(window, keys->texts[i], now_ms));
}

static mlbf_status judge_by_keys(mlbf_key_set *set, const uniq_keys *keys, mlbf_verdict *verdicts, size_t *done)
{
  mlbf_hash128 hashes[UNIQ_LOT];
  mlbf_status status = MLBF_OK;
  for (size_t i = 0; i < keys->count; i++) {
    hashes[i] = mlbf_key_set_hash(set, keys->texts[i]);
    mlbf_key_set_prefetch(set, hashes[i]);
  }
  for (*done = 0; *done < keys->count; ++*done) {
    bool was_seen;
    status = mlbf_key_set_insert(set, hashes[*done], &was_seen);
    if (status != MLBF_OK)
      break;
    verdicts[*done] = verdict_of(was_seen);
  }
  return status;
}

mlbf_status uniq_memory_judge(uniq_memory *memory, const uniq_keys *keys, mlbf_verdict verdicts[UNIQ_LOT], size_t *done)
{
  mlbf_status status = MLBF_OK;
  assert(keys->count <= UNIQ_LOT);
  *done = keys->count;
  if (memory->window)
    judge_by_window(memory->window, keys, verdicts);
  else if (memory->keys)
    status = judge_by_keys(memory->keys, keys, verdicts, done);
  else
    status = mlbf_chain_insert(memory->chain, keys->keys, keys->count, verdicts, done);
  for (size_t i = 0; i < *done; i++)
    memory->is_changed |= memory->window || verdicts[i].outcome != MLBF_SEEN;
  return status;
}

static mlbf_status save(uniq_memory *memory, const char *state)
{
  if (memory->keys)
    return mlbf_key_set_save(memory->keys, state);
  return memory->window ? mlbf_epoch_save(memory->window, state) : mlbf_chain_save(memory->chain, state);
}

/* A temporary file that a killed run left may have another mode, or be a link. */
mlbf_status uniq_memory_save(uniq_memory *memory, const char *state)
{
  char temporary[PATH_MAX];
  if (snprintf(temporary, sizeof temporary, "%s.tmp", state) < (int)sizeof temporary)
    unlink(temporary);
  mode_t mask = umask(S_IRWXG | S_IRWXO);
  mlbf_status status;
  do
    status = save(memory, state);
  while (status == MLBF_IO && errno == EINTR);
  umask(mask);
  memory->is_changed &= status != MLBF_OK;
  return status;
}

static void describe_window(const mlbf_epoch *window, json *text)
{
  mlbf_window_stats stats;
  mlbf_epoch_stats_read(window, &stats);
  json_put_string(text, "filter", "window");
  json_put_string(text, "profile", stats.profile);
  json_put_number(text, stats.unit == MLBF_WINDOW_MS ? "window_ms" : "window_lines", stats.window);
  json_put_number(text, stats.unit == MLBF_WINDOW_MS ? "slack_ms" : "slack_lines", stats.slack);
  json_put_number(text, "memory_bytes", stats.memory_bytes);
  json_put_rate(text, "promised_fp", stats.promised_rate);
  json_put_rate(text, "fp", stats.rate);
}

static void describe_chain(const mlbf_chain *chain, json *text)
{
  mlbf_chain_stats stats;
  mlbf_chain_stats_read(chain, &stats);
  json_put_string(text, "filter", mlbf_kind_name(stats.kind));
  json_put_string(text, "profile", stats.profile);
  json_put_number(text, "urls", stats.keys);
  json_put_number(text, "memory_bytes", stats.bits / 8);
  json_put_rate(text, "promised_fp", stats.promised_rate);
  json_put_rate(text, "fp", stats.rate);
}

static void describe_keys(const mlbf_key_set *keys, json *text)
{
  mlbf_key_set_stats stats;
  mlbf_key_set_stats_read(keys, &stats);
  json_put_string(text, "filter", "exact");
  json_put_string(text, "profile", stats.profile);
  json_put_number(text, "urls", stats.keys);
  json_put_number(text, "memory_bytes", stats.memory_bytes);
  json_put_rate(text, "promised_fp", 0);
  json_put_rate(text, "fp", 0);
}

void uniq_memory_describe(const uniq_memory *memory, json *text)
{
  if (memory->keys)
    describe_keys(memory->keys, text);
  else if (memory->window)
    describe_window(memory->window, text);
  else
    describe_chain(memory->chain, text);
}

void uniq_memory_warn(const uniq_memory *memory)
{
  mlbf_window_stats stats;
  if (!memory->window)
    return;
  mlbf_epoch_stats_read(memory->window, &stats);
  if (stats.rate > 2 * stats.promised_rate && stats.rate > 1e-9)
    say_error("uniq", "the window holds more URLs than --expect says: of new ones %.2g are dropped now, not %.2g",
              stats.rate, stats.promised_rate);
}
