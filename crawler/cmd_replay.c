/* strata replay: read a URL set, run the experiment on it, write results and report. */
#include "crawler/cmd.h"
#include "crawler/replay_args.h"
#include "crawler/say.h"
#include "datasets/reader.h"
#include "datasets/results.h"
#include "datasets/rowkey.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool add_rows(const char *path, urllist *list, url *out)
{
  dataset_reader *reader = dataset_open(path);
  if (reader == NULL) {
    say_error("replay", "%s: %s", path, strerror(errno));
    return false;
  }
  const char *line;
  size_t size;
  bool is_https, is_kept = true;
  while (is_kept && dataset_next(reader, &line, &size) == DATASET_OK) {
    if (rowkey_make(line, size, out, &is_https) != URL_OK)
      dataset_refuse(reader);
    else
      is_kept = urllist_add(list, out->key, out->key_size, is_https);
  }
  dataset_close(reader);
  return is_kept;
}

static urllist *read_list(const replay_args *args)
{
  urllist *list = urllist_create(args->out, args->shuffle, args->seed);
  url *out = malloc(sizeof *out);
  bool is_read = list != NULL && out != NULL;
  for (int i = 0; is_read && i < args->file_count; i++)
    is_read = add_rows(args->files[i], list, out);
  is_read = is_read && urllist_finish(list);
  free(out);
  if (is_read)
    return list;
  urllist_free(list);
  return NULL;
}

static bool make_filter(void *context, size_t index, uint64_t keys, contender *made, const char **reason)
{
  const replay_args *args = context;
  return contender_make(args->filters[index], &args->setting, keys, made, reason);
}

int cmd_replay(int argc, char **argv)
{
  replay_args args;
  int code = replay_args_read(argc, argv, &args);
  if (code != EXIT_DONE || args.files == NULL)
    return code;
  mkdir(args.out, 0777);
  urllist *list = read_list(&args);
  if (list == NULL)
    return EXIT_FAILED;
  fprintf(stderr, "%llu rows %llu distinct\n", (unsigned long long)urllist_rows(list), (unsigned long long)urllist_distinct(list));
  replay_options options = {
    .list = list, .filter_count = args.filter_count, .make = make_filter, .make_context = &args,
    .size_count = args.size_count, .queries = args.queries, .layers = args.setting.layers, .seed = args.seed, .directory = args.out };
  memcpy(options.protocols, args.protocols, sizeof args.protocols);
  memcpy(options.sizes, args.sizes, sizeof args.sizes);
  replay_results *results = malloc(sizeof *results);
  const char *reason;
  if (!replay_run(&options, results, &reason))
    say_error("replay", "%s", reason);
  else
    results_write(results, args.out);
  free(results);
  urllist_free(list);
  return EXIT_DONE;
}
