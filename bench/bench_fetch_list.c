/* The floor under any crawler on libcurl: fetch the URLs of a list that is known beforehand, and do nothing with them.
 *   bench_fetch_list LIST CONNECTIONS [KEPT]       KEPT: connections open besides for later; 0 if not given
 * One thread, easy handles used again and again, keep-alive, the system's certificates read once. Prints pages, bytes
 * and failures. */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct counts {
  unsigned long pages, failures;
  unsigned long long bytes;
} counts;

static size_t drop(char *bytes, size_t one, size_t size, void *context)
{
  (void)bytes;
  ((counts *)context)->bytes += size;
  return one * size;
}

static CURL *handle_create(counts *seen)
{
  CURL *easy = curl_easy_init();
  if (!easy)
    exit(1);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, drop);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, seen);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(easy, CURLOPT_CAPATH, NULL); /* libcurl reads a file once, a directory for each connection */
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(easy, CURLOPT_DNS_CACHE_TIMEOUT, 2L);
  return easy;
}

/* The next URL of the list into the handle, and the handle to work; false: there is none. */
static int start_next(CURLM *multi, CURL *easy, FILE *list)
{
  char line[8192];
  if (!fgets(line, sizeof line, list))
    return 0;
  line[strcspn(line, "\n")] = '\0';
  curl_easy_setopt(easy, CURLOPT_URL, line);
  curl_multi_add_handle(multi, easy);
  return 1;
}

static void count_end(const CURLMsg *message, counts *seen)
{
  long status = 0;
  curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
  if (message->data.result == CURLE_OK && status == 200)
    seen->pages++;
  else
    seen->failures++;
}

int main(int argc, char **argv)
{
  counts seen = {0};
  FILE *list = argc == 3 || argc == 4 ? fopen(argv[1], "r") : NULL;
  long connections = list ? strtol(argv[2], NULL, 10) : 0;
  long kept = argc == 4 ? strtol(argv[3], NULL, 10) : 0;
  if (connections < 1 || kept < 0) {
    fprintf(stderr, "usage: bench_fetch_list LIST CONNECTIONS [KEPT]\n");
    return 2;
  }
  curl_global_init(CURL_GLOBAL_DEFAULT);
  CURLM *multi = curl_multi_init();
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, connections + kept);
  int active = 0, running, left;
  for (long i = 0; i < connections; i++)
    active += start_next(multi, handle_create(&seen), list);
  while (active) {
    curl_multi_perform(multi, &running);
    int ended = 0;
    for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
      CURL *easy = message->easy_handle;
      count_end(message, &seen);
      curl_multi_remove_handle(multi, easy);
      ended++;
      if (!start_next(multi, easy, list)) {
        curl_easy_cleanup(easy);
        active--;
      }
    }
    if (!ended)
      curl_multi_poll(multi, NULL, 0, 100, NULL);
  }
  printf("%lu pages, %llu bytes, %lu failures\n", seen.pages, seen.bytes, seen.failures);
  curl_multi_cleanup(multi);
  curl_global_cleanup();
  fclose(list);
  return seen.failures != 0;
}
