/* web_server: a web in a box behind real sockets. See README.md. */
#include "tests/contract/web/serve.h"

#include <argp.h>
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

typedef struct settings {
  const char *line;
  serve_options serve;
} settings;

static const struct argp_option options[] = {
  {"web", 'w', "LINE", 0, "which one: seed=7,hosts=1000,pages=10,latency=50-500,wild", 0},
  {"address", 'a', "IPV4", 0, "listen here (default 127.0.0.1); 0.0.0.0 only in a network of its own", 0},
  {"http", 'p', "PORT", 0, "for http, as origin and as proxy (default: any free one)", 0},
  {"https", 's', "PORT", 0, "for https (default: any free one)", 0},
  {"dns", 'd', "PORT", 0, "for DNS over UDP (default: any free one)", 0},
  {"no-h2", '1', NULL, 0, "speak HTTP/1.1 only", 0},
  {"ca", 'c', "FILE", 0, "write the certificate to be trusted there", 0},
  {"log", 'l', "FILE", 0, "a line for each request: see serve_log.h", 0},
  {"stop-after", 't', "S", 0, "end after so many seconds", 0},
  {0},
};

static long read_number(struct argp_state *state, const char *word, long most)
{
  char *end;
  long number = strtol(word, &end, 10);
  if (end == word || *end || number < 0 || number > most)
    argp_error(state, "not a number from 0 to %ld: %s", most, word);
  return number;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
  enum { PORT_MAX = 65535, SECONDS_MAX = 1000000 };
  settings *s = state->input;
  struct in_addr address;
  switch (key) {
  case 'w': s->line = value; break;
  case 'a':
    if (inet_pton(AF_INET, value, &address) != 1)
      argp_error(state, "not an IPv4 address: %s", value);
    s->serve.address = ntohl(address.s_addr);
    break;
  case 'p': s->serve.http = (int)read_number(state, value, PORT_MAX); break;
  case 's': s->serve.https = (int)read_number(state, value, PORT_MAX); break;
  case 'd': s->serve.dns = (int)read_number(state, value, PORT_MAX); break;
  case '1': s->serve.offers_h2 = false; break;
  case 'c': s->serve.authority = value; break;
  case 'l': s->serve.log = value; break;
  case 't': s->serve.stop_after_ms = 1000 * (uint64_t)read_number(state, value, SECONDS_MAX); break;
  default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static serve *running;

static void on_signal(int number)
{
  (void)number;
  serve_stop(running);
}

static double seconds(struct timeval time)
{
  return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static void say_what_it_took(const serve *s)
{
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  printf("requests=%llu connections=%zu cpu_s=%.3f user_s=%.3f peak_kb=%ld\n", (unsigned long long)serve_requests(s),
         serve_most_connections(s), seconds(used.ru_utime) + seconds(used.ru_stime), seconds(used.ru_utime),
         used.ru_maxrss);
}

static int run(serve *s, const web *w)
{
  text start = {0};
  int http, https, dns;
  struct sigaction action = {.sa_handler = on_signal};
  running = s;
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  serve_ports(s, &http, &https, &dns);
  web_url(w, 0, 0, &start);
  printf("http=%d https=%d dns=%d start=%s\n", http, https, dns, start.bytes);
  fflush(stdout);
  text_free(&start);
  serve_run(s);
  say_what_it_took(s);
  return 0;
}

int main(int argc, char **argv)
{
  static const struct argp parser = {
    .options = options, .parser = parse_option, .doc = "Serves a web that is a function of its seed, until stopped."};
  settings chosen = {.line = "", .serve = {.address = INADDR_LOOPBACK, .offers_h2 = true}};
  web_options read;
  char error[256];
  argp_parse(&parser, argc, argv, 0, NULL, &chosen);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  signal(SIGPIPE, SIG_IGN);
  if (!web_options_read(&read, chosen.line, error, sizeof error)) {
    fprintf(stderr, "web_server: %s\n", error);
    return 2;
  }
  web *w = web_create(&read);
  serve *s = serve_create(w, &chosen.serve, error, sizeof error);
  if (!s)
    fprintf(stderr, "web_server: %s\n", error);
  int code = s ? run(s, w) : 1;
  serve_free(s);
  web_free(w);
  return code;
}
