/* What a handle says: why its last call failed, and, to a log, what is no error.
 *
 * Each thread keeps its own last failure beside the handle's, so that of threads on one handle each can read why its
 * own call failed, though others fail meanwhile. Handles are numbered, as the address of one that is closed may be that
 * of the next. */
#include "frontier/core/state.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static _Thread_local struct {
  uint64_t number; /* of the handle; 0: no call has failed */
  char message[FRONTIER_MESSAGE_SIZE];
} heard;

uint64_t message_number(void)
{
  static atomic_ullong last;
  return atomic_fetch_add(&last, 1) + 1;
}

frontier_status frontier_fail(frontier *f, frontier_status status, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(f->message, sizeof f->message, format, arguments);
  va_end(arguments);
  heard.number = f->number;
  memcpy(heard.message, f->message, sizeof heard.message);
  return status;
}

const char *frontier_message(const frontier *f)
{
  return f->message;
}

void frontier_message_copy(const frontier *f, char message[FRONTIER_MESSAGE_SIZE])
{
  LOCKED(f);
  memcpy(message, heard.number == f->number ? heard.message : f->message, FRONTIER_MESSAGE_SIZE);
}

void frontier_log(const frontier *f, const char *format, ...)
{
  char sentence[FRONTIER_MESSAGE_SIZE];
  va_list arguments;
  if (!f->options.log)
    return;
  va_start(arguments, format);
  vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  f->options.log(f->options.log_context, sentence);
}

frontier_status refuse_reader(frontier *f)
{
  return frontier_fail(f, FRONTIER_BAD_ARGUMENT, "%s is open for reading only", f->directory);
}

frontier_status refuse_unknown_field(frontier *f)
{
  return frontier_fail(f, FRONTIER_BAD_ARGUMENT, "a field is set that libfrontier %s does not have", STRATA_VERSION);
}
