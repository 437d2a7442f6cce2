/* See cluster_connect.h. */
#include "crawler/commands/cluster_connect.h"

#include "crawler/base/message.h"
#include "crawler/commands/cmd.h"

#include <errno.h>
#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cluster_password(const char *command, const char *file, char **password)
{
  const char *given = getenv("STRATA_CLUSTER_PASSWORD");
  char line[1024] = "";
  *password = NULL;
  if (file) {
    FILE *stream = fopen(file, "r");
    bool is_read = stream && fgets(line, sizeof line, stream);
    if (!is_read)
      say_error(command, "--cluster-password-file %s: %s", file, stream ? "it is empty" : strerror(errno));
    if (stream)
      fclose(stream);
    if (!is_read)
      return false;
    line[strcspn(line, "\r\n")] = '\0';
    given = line;
  }
  *password = given && *given ? strdup(given) : NULL;
  explicit_bzero(line, sizeof line);
  return true;
}

int cluster_say_broker(const char *command, const broker *b)
{
  const char *fault = broker_fault(b), *trouble = broker_trouble(b);
  bool is_refused = !*fault && strstr(trouble, "refused") && !strstr(trouble, "sentinel");
  say_error(command, "%s%s",
            *fault     ? fault
            : *trouble ? trouble
                       : "Redis does not answer",
            is_refused ? "; is it running? redis-server --save \"\" & starts one on this machine" : "");
  return EXIT_FAILED;
}

broker *cluster_connect(const char *command, const cluster_name *name, const char *password)
{
  broker *b = broker_create(name, password);
  if (!b)
    say_error(command, "out of memory");
  else if (!broker_settle(b, CLUSTER_ANSWER_MS)) {
    cluster_say_broker(command, b);
    broker_free(b);
    b = NULL;
  }
  return b;
}

static void text_came(void *context, const redisReply *reply)
{
  char **text = context;
  free(*text);
  *text = reply && reply->type == REDIS_REPLY_STRING ? strndup(reply->str, reply->len) : NULL;
}

bool cluster_get(broker *b, const char *name, char **text)
{
  broker_key key = broker_key_of(b, name);
  broker_word word = broker_text(key.text);
  *text = NULL;
  broker_send(b, BROKER_GET, &word, 1, text_came, text);
  return broker_settle(b, CLUSTER_ANSWER_MS);
}
