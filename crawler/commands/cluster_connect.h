/* From what --cluster names, and where the password is, to a connection: for crawl --cluster and strata cluster. */
#ifndef STRATA_CRAWLER_CLUSTER_CONNECT_H
#define STRATA_CRAWLER_CLUSTER_CONNECT_H

#include "crawler/cluster/broker.h"

enum { CLUSTER_ANSWER_MS = 5000 };

/* The first line of `file`, or the environment's STRATA_CLUSTER_PASSWORD; to be freed, NULL if there is none. false
 * after one sentence. */
bool cluster_password(const char *command, const char *file, char **password);

/* A connection that is up. NULL after a sentence that says why not, and how to start a server. */
broker *cluster_connect(const char *command, const cluster_name *name, const char *password);
int cluster_say_broker(const char *command, const broker *b); /* EXIT_FAILED */

/* The value of a key, to be freed; NULL: there is none. false: no answer. */
bool cluster_get(broker *b, const char *name, char **text);

#endif
