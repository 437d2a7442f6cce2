"""What of the libraries Python calls: cffi compiles this into the module _strata, and checks it against the headers."""
import os
from pathlib import Path

from cffi import FFI

DECLARATIONS = """
typedef int... frontier_status;
typedef int... url_status;
typedef int... mlbf_status;
typedef int... mlbf_kind;
typedef int... frontier_state;
typedef int... frontier_outcome;
typedef uint32_t url_profile;

static const int FRONTIER_OK, FRONTIER_NOT_FOUND, FRONTIER_NOT_OURS, FRONTIER_VERSION, FRONTIER_BUSY, FRONTIER_MISMATCH,
  FRONTIER_BAD_ARGUMENT, FRONTIER_DAMAGED, FRONTIER_NO_SPACE, FRONTIER_NO_MEMORY, FRONTIER_IO;
static const int MLBF_OK, MLBF_BAD_ARGUMENT, MLBF_NO_MEMORY, MLBF_IO, MLBF_NOT_A_FILTER, MLBF_VERSION, MLBF_DAMAGED,
  MLBF_MISMATCH, MLBF_SECRET;
static const int URL_OK;
static const int FRONTIER_ABI, FRONTIER_PAYLOAD_MAX, FRONTIER_GROUP_MAX, FRONTIER_OPAQUE_MAX;
static const int MLBF_ABI, MLBF_REASON_SIZE;

int frontier_abi(void);
int mlbf_abi(void);
const char *frontier_version(void);
const char *mlbf_status_text(mlbf_status status);
bool mlbf_kind_from_name(const char *name, mlbf_kind *kind);
const char *mlbf_kind_name(mlbf_kind kind);
const char *url_status_name(url_status status);
bool url_profile_parse(const char *text, url_profile *profile);

typedef struct url_base url_base;
url_base *url_base_create(void);
void url_base_free(url_base *base);
url_status url_base_set(url_base *base, const char *text, size_t size);

typedef struct frontier frontier;
typedef void frontier_logger(void *context, const char *sentence);
typedef struct frontier_options {
  mlbf_kind filter;
  url_profile profile;
  uint64_t expected_urls;
  double rate;
  uint64_t delay_ms;
  uint32_t per_host;
  uint16_t depth_cap;
  const char *journal_path;
  bool read_only, keep_identity;
  frontier_logger *log;
  void *log_context;
  const char *previous_path;
  bool exact;
  const uint8_t *secret;
  bool commit_thread;
  const char *key_scheme;
  bool group_readable;
  uint64_t map_size, commit_after_ms, commit_after_ended, lease_ms;
  ...;
} frontier_options;
frontier_status frontier_open(const char *directory, const frontier_options *options, frontier **out, char *message);
frontier_status frontier_close(frontier *f);
void frontier_message_copy(const frontier *f, char *message);

typedef struct frontier_verdict { frontier_outcome outcome; uint32_t layer; } frontier_verdict;
typedef struct frontier_origin { uint64_t via; uint16_t depth; ...; } frontier_origin;
typedef struct frontier_link { ...; } frontier_link;
frontier_status frontier_force(frontier *f, const frontier_link *link, uint64_t now_ms, frontier_verdict *verdict);
frontier_status frontier_note(frontier *f, const frontier_link *link, uint64_t now_ms, frontier_verdict *verdict);
frontier_status frontier_lookup_batch(frontier *f, const frontier_link *links, size_t count,
                                      frontier_verdict *verdicts);
frontier_status frontier_forget(frontier *f, const frontier_link *link, bool *was_seen);

typedef struct frontier_lease {
  uint64_t id;
  const char *url;
  uint32_t url_size;
  frontier_origin origin;
  const void *payload;
  size_t payload_size;
  const char *group;
  size_t group_size;
  int32_t priority;
  bool is_opaque;
  ...;
} frontier_lease;
frontier_status frontier_next(frontier *f, uint64_t now_ms, frontier_lease *leases, size_t max, size_t *count,
                              int64_t *wait_ms);
int frontier_wake_fd(frontier *f);
bool frontier_is_finished(const frontier *f);
frontier_status frontier_done(frontier *f, uint64_t lease, frontier_state state, uint16_t code, const char *report,
                              size_t report_size, uint64_t now_ms);
frontier_status frontier_skip(frontier *f, uint64_t lease, const char *reason, const char *report, size_t report_size,
                              uint64_t now_ms);
typedef struct frontier_return {
  bool has_payload;
  const void *payload;
  size_t payload_size;
  bool has_priority;
  int32_t priority;
  uint64_t not_before_ms;
  ...;
} frontier_return;
frontier_status frontier_release_with(frontier *f, uint64_t lease, const frontier_return *with, uint64_t now_ms);
frontier_status frontier_host_back_off(frontier *f, uint64_t lease, uint64_t now_ms, uint64_t wait_ms);
void frontier_clock(frontier *f, uint64_t now_ms, uint64_t wall_ms);
frontier_status frontier_sync(frontier *f);
frontier_status frontier_setting_put(frontier *f, const char *name, const void *value, size_t size);
frontier_status frontier_setting_get(frontier *f, const char *name, const void **value, size_t *size);

typedef struct mlbf_stats { uint64_t memory_bytes; uint64_t keys; double promised_rate; double fill; ...; } mlbf_stats;
typedef struct frontier_stats {
  uint64_t queued, in_flight, deferred, done, failed, skipped, hosts;
  mlbf_stats filter;
  double expected_lost;
  uint64_t noted, forced, unconfirmed, late;
  ...;
} frontier_stats;
frontier_status frontier_stats_read(frontier *f, frontier_stats *stats);

typedef struct mlbf_options {
  size_t size;
  mlbf_kind kind;
  uint64_t keys;
  double rate;
  const uint8_t *secret;
  const char *profile;
  ...;
} mlbf_options;
mlbf_options mlbf_options_default(void);
typedef struct mlbf_plan { ...; } mlbf_plan;
mlbf_status mlbf_plan_make(const mlbf_options *options, mlbf_plan *plan, char *reason);
typedef struct mlbf_chain mlbf_chain;
mlbf_status mlbf_chain_create(const mlbf_options *first, mlbf_chain **chain);
void mlbf_chain_free(mlbf_chain *chain);
typedef struct mlbf_chain_stats {
  mlbf_kind kind;
  uint32_t slices;
  uint64_t keys, bits;
  double promised_rate, rate;
  ...;
} mlbf_chain_stats;
void mlbf_chain_stats_read(const mlbf_chain *chain, mlbf_chain_stats *stats);
mlbf_status mlbf_chain_save(const mlbf_chain *chain, const char *path);
mlbf_status mlbf_chain_load(const char *path, const uint8_t *secret, mlbf_chain **chain);
typedef bool mlbf_write(void *context, const void *bytes, uint64_t size);
typedef int64_t mlbf_read(void *context, void *bytes, uint64_t size);
mlbf_status mlbf_chain_write(const mlbf_chain *chain, mlbf_write *write, void *context);
mlbf_status mlbf_chain_read(mlbf_read *read, void *context, const uint8_t *secret, mlbf_chain **chain);

typedef struct glue_link { ...; } glue_link;
typedef struct glue_answer { uint64_t id; int32_t url, outcome; } glue_answer;
frontier_status glue_add(frontier *f, const url_base *base, const glue_link *links, size_t count, const char *bytes,
                         uint64_t now_ms, glue_answer *answers, size_t *settled);
typedef struct glue_one { frontier_link link; url_profile profile; ...; } glue_one;
url_status glue_target(const glue_link *from, const char *bytes, glue_one *one);
int glue_knows(frontier *f, const char *key, size_t size);
mlbf_status glue_chain_keys(mlbf_chain *chain, const char *bytes, const uint32_t *sizes, size_t count, bool is_insert,
                            uint8_t *was_new);

extern "Python" void strata_log(void *context, const char *sentence);
extern "Python" bool strata_write(void *context, const void *bytes, uint64_t size);
extern "Python" int64_t strata_read(void *context, void *bytes, uint64_t size);
"""

LIBRARIES = ["lmdb", "uriparser", "unistring", "xxhash", "m"]  # what the static libraries stand on
HERE = Path(__file__).resolve().parent

ffi = FFI()
ffi.cdef(DECLARATIONS)
GLUE = (HERE / "_glue.h").read_text() + (HERE / "_glue.c").read_text().replace('#include "_glue.h"', "")
if os.environ.get("STRATA_SYSTEM") == "1":
    ffi.set_source_pkgconfig("strata_frontier._strata", ["strata-frontier", "strata-mlbf"], GLUE)
else:
    # setup.py builds the libraries and adds them; none of their names is shown to other modules.
    ffi.set_source("strata_frontier._strata", GLUE, libraries=LIBRARIES, extra_compile_args=["-fvisibility=hidden"],
                   extra_link_args=["-Wl,--exclude-libs,ALL"])
