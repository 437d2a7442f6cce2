/* A crawler of two partitions: two processes, each with a directory, and a socketpair for their messages. Its web has
 * twelve pages on four hosts. Killed and started again, it loses none: two_partitions DIRECTORY */
#include "frontier/exchange.h"
#include "frontier/host.h"

#include <err.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
enum { PARTITIONS = 2, HOSTS = 4, PAGES = 12 };
static frontier *f;
static uint32_t own;
static int ends[2]; /* of the socketpair: ends[own] is ours */
static frontier_wave wave;
static frontier_reply replies[PARTITIONS];
static uint8_t bytes[FRONTIER_PARCEL_MAX]; /* a message */

static uint64_t now_ms(void)
{
  struct timespec now;
  return clock_gettime(CLOCK_REALTIME, &now), (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void add_page(int page)
{
  static url u;
  char text[64];
  frontier_verdict verdict; /* FRONTIER_ELSEWHERE: it goes into a parcel */
  int size = snprintf(text, sizeof text, "http://host%d.example/%d", page % HOSTS, page);
  if (url_parse(text, (size_t)size, URL_STRICT, &u) == URL_OK)
    frontier_add(f, &u, (frontier_origin){0}, now_ms(), &verdict);
}

static void fetch(const frontier_lease *lease) /* page n links to 2 n and 2 n + 1 */
{
  dprintf(STDOUT_FILENO, "%s\n", lease->url);
  for (int page = atoi(lease->url + lease->host_end + 1), link = 2 * page; link <= 2 * page + 1 && link <= PAGES;
       link++)
    add_page(link);
  frontier_done(f, lease->id, FRONTIER_DONE, 200, NULL, 0, now_ms());
}

#define POST(bytes, size) (void)!send(ends[own], bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL)

static void take(size_t size)
{
  frontier_ack ack;
  frontier_taken taken;
  if (frontier_ack_read(bytes, size, &ack)) {
    if (frontier_outbox_heard(f, &ack) == FRONTIER_MISMATCH) /* a newer copy of this directory is in use */
      errx(EXIT_FAILURE, "%s", frontier_message(f));
  } else if (frontier_wave_read(bytes, size, &wave)) {
    frontier_wave_reply(f, &wave, &replies[own]);
    frontier_reply_write(&replies[own], bytes);
    POST(bytes, FRONTIER_REPLY_SIZE);
  } else if (!frontier_reply_read(bytes, size, &replies[!own]))
    frontier_inbox_take(f, bytes, size, NULL, now_ms(), &taken);
}
static void send_news(bool again)
{
  static uint64_t after;
  frontier_parcel parcel;
  frontier_ack ack;
  bool is_news;
  after = again ? 0 : after;
  for (; !frontier_outbox_next(f, !own, after, now_ms(), &parcel, NULL); after = parcel.number)
    POST(parcel.bytes, parcel.size); /* what a full socket loses is sent again */
  if (frontier_inbox_tell(f, !own, &ack, &is_news) == FRONTIER_OK && (is_news || again)) {
    frontier_ack_write(&ack, bytes);
    POST(bytes, FRONTIER_ACK_SIZE);
  }
}

static bool is_over(bool again) /* partition 0 draws the waves */
{
  uint64_t number;
  if (own != 0 || (replies[1].wave != wave.number && !again) || getrandom(&number, sizeof number, 0) < 0)
    return false;
  if (frontier_wave_is_over(&wave, replies, PARTITIONS))
    return true;
  frontier_wave_next(&wave, replies, PARTITIONS, number, &wave);
  frontier_wave_reply(f, &wave, &replies[own]);
  frontier_wave_write(&wave, bytes);
  POST(bytes, FRONTIER_WAVE_SIZE);
  return false;
}

int main(int argc, char **argv)
{
  char directory[4096], why[FRONTIER_MESSAGE_SIZE];
  frontier_options options = {MLBF_KIND_MLBF, .expected_urls = 1000, .rate = 1e-6, .per_host = 1, .depth_cap = 99};
  if (argc != 2 || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0)
    return EXIT_FAILURE;
  options.partitions = PARTITIONS;
  own = options.partition = fork() == 0;
  options.route_key = (const uint8_t *)"16 random bytes!";
  close(ends[!own]);
  snprintf(directory, sizeof directory, "%s-%u", argv[1], own);
  if (frontier_open(directory, &options, &f, why) != FRONTIER_OK)
    return fprintf(stderr, "%s\n", why), EXIT_FAILURE;
  frontier_clock(f, now_ms(), now_ms());
  add_page(1); /* its owner knows whether it is new */
  int64_t wait_ms;
  frontier_lease lease;
  for (size_t leased = 0, turns = 1;; turns++) { /* until it is over, or the other has gone */
    bool again = turns % 8 == 0;                 /* some messages may be lost */
    poll(&(struct pollfd){.fd = ends[own], .events = POLLIN}, 1, leased ? 0 : 20);
    ssize_t size = recv(ends[own], bytes, sizeof bytes, MSG_DONTWAIT);
    if (size > 0)
      take((size_t)size);
    if (frontier_next(f, now_ms(), &lease, 1, &leased, &wait_ms) == FRONTIER_OK && leased)
      fetch(&lease);
    send_news(again);
    if (size == 0 || is_over(again))
      return frontier_close(f) == FRONTIER_OK ? EXIT_SUCCESS : EXIT_FAILURE;
  }
}
