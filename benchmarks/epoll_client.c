/* The floor that breakstep is measured against: one thread, epoll, keep-alive, no features.
 *
 *   epoll_client PORT CONNECTIONS SECONDS [RATE [spin]]
 *
 * Without RATE every connection sends its next request as soon as it was answered (closed).
 * With RATE request k is due at start + k / RATE and timed from there (open); it leaves on a free
 * connection as soon as there is one. Lag ends before the send, lateness after it. A timerfd
 * wakes the loop, or it spins.
 * Prints one line of JSON.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 256, BUFFER = 1024, BUCKETS = 100000 };

static const char REQUEST[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

struct connection {
    int fd;
    int received;
    uint64_t from_ns; /* intended start when open, instant of sending when closed */
    char buffer[BUFFER];
};

struct counts {
    uint64_t total;
    uint32_t by_us[BUCKETS];
};

static struct counts response, lateness, lag;
static struct connection *connections;
static struct connection **idle;
static int idle_count, epoll_fd, timer_fd;

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static double cpu_s(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec)
        + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static void count(struct counts *counts, uint64_t ns)
{
    uint64_t us = ns / 1000;
    counts->by_us[us < BUCKETS ? us : BUCKETS - 1]++;
    counts->total++;
}

static unsigned quantile_us(const struct counts *counts, double q)
{
    uint64_t seen = 0, wanted = (uint64_t)(q * (double)counts->total);
    for (unsigned us = 0; us < BUCKETS; us++)
        if ((seen += counts->by_us[us]) > wanted)
            return us;
    return 0;
}

static void connect_one(struct connection *c, int port)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int one = 1;
    if ((c->fd = socket(AF_INET, SOCK_STREAM, 0)) < 0)
        fail("socket");
    if (connect(c->fd, (struct sockaddr *)&to, sizeof to) < 0)
        fail("connect");
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct epoll_event e = { .events = EPOLLIN, .data.ptr = c };
    if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, c->fd, &e) < 0)
        fail("epoll_ctl");
}

static void send_request(struct connection *c, uint64_t from_ns)
{
    c->received = 0;
    c->from_ns = from_ns;
    if (send(c->fd, REQUEST, sizeof REQUEST - 1, MSG_NOSIGNAL) != sizeof REQUEST - 1)
        fail("send");
}

/* Whether the buffer holds a complete response with a Content-Length. */
static int complete(struct connection *c)
{
    c->buffer[c->received] = 0;
    char *end = memmem(c->buffer, (size_t)c->received, "\r\n\r\n", 4);
    if (end == NULL)
        return 0;
    char *length = memmem(c->buffer, (size_t)(end - c->buffer), "Content-Length: ", 16);
    if (length == NULL) {
        fprintf(stderr, "a response without Content-Length\n");
        exit(1);
    }
    return end + 4 + atoi(length + 16) <= c->buffer + c->received;
}

static int receive(struct connection *c)
{
    ssize_t n = recv(c->fd, c->buffer + c->received, (size_t)(BUFFER - 1 - c->received), MSG_DONTWAIT);
    if (n < 0 && errno == EAGAIN)
        return 0;
    if (n <= 0)
        fail("recv");
    c->received += (int)n;
    return complete(c);
}

/* Handles what epoll reports within `wait_ms`; an answered connection sends again or goes idle. */
static void poll_once(int wait_ms, int closed)
{
    struct epoll_event events[EVENTS];
    int n = epoll_wait(epoll_fd, events, EVENTS, wait_ms);
    for (int i = 0; i < n; i++) {
        struct connection *c = events[i].data.ptr;
        if (c == NULL) {
            uint64_t expirations;
            if (read(timer_fd, &expirations, sizeof expirations) < 0 && errno != EAGAIN)
                fail("read");
        } else if (receive(c)) {
            uint64_t now = now_ns();
            count(&response, now - c->from_ns);
            if (closed)
                send_request(c, now);
            else
                idle[idle_count++] = c;
        }
    }
}

static void run_closed(int n, uint64_t end_ns)
{
    for (int i = 0; i < n; i++)
        send_request(&connections[i], now_ns());
    while (now_ns() < end_ns)
        poll_once(100, 1);
}

static void arm(uint64_t at_ns)
{
    struct itimerspec at = { .it_value = { (time_t)(at_ns / 1000000000u), (long)(at_ns % 1000000000u) } };
    if (timerfd_settime(timer_fd, TFD_TIMER_ABSTIME, &at, NULL) < 0)
        fail("timerfd_settime");
}

static void run_open(int n, uint64_t start_ns, uint64_t end_ns, double rate, int spin)
{
    uint64_t sent = 0, next_ns = start_ns;
    for (int i = 0; i < n; i++)
        idle[idle_count++] = &connections[i];
    for (uint64_t now = now_ns(); now < end_ns; now = now_ns()) {
        while (next_ns <= now && idle_count > 0) {
            count(&lag, now - next_ns);
            send_request(idle[--idle_count], next_ns);
            now = now_ns();
            count(&lateness, now - next_ns);
            next_ns = start_ns + (uint64_t)((double)++sent * 1e9 / rate);
        }
        if (!spin && next_ns > now)
            arm(next_ns);
        poll_once(spin ? 0 : 100, 0);
    }
}

static void watch_timer(void)
{
    struct epoll_event e = { .events = EPOLLIN, .data.ptr = NULL };
    timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    if (timer_fd < 0 || epoll_ctl(epoll_fd, EPOLL_CTL_ADD, timer_fd, &e) < 0)
        fail("timerfd");
}

/* Not ru_maxrss: that survives exec and would show the size of the program that started this one. */
static unsigned long long resident_bytes(void)
{
    unsigned long long size = 0, resident = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (statm == NULL || fscanf(statm, "%llu %llu", &size, &resident) != 2)
        fail("/proc/self/statm");
    fclose(statm);
    return resident * (unsigned long long)sysconf(_SC_PAGESIZE);
}

static void report(double seconds, double cpu)
{
    printf("{\"requests\": %llu, \"seconds\": %.6f, \"cpu_s\": %.6f, \"p50_us\": %u, \"p99_us\": %u,"
           " \"lag_p50_us\": %u, \"late_p50_us\": %u, \"rss_bytes\": %llu}\n",
        (unsigned long long)response.total, seconds, cpu, quantile_us(&response, 0.5),
        quantile_us(&response, 0.99), quantile_us(&lag, 0.5), quantile_us(&lateness, 0.5),
        resident_bytes());
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: epoll_client PORT CONNECTIONS SECONDS [RATE [spin]]\n");
        return 2;
    }
    int n = atoi(argv[2]);
    double seconds = atof(argv[3]), rate = argc > 4 ? atof(argv[4]) : 0;
    connections = calloc((size_t)n, sizeof *connections);
    idle = calloc((size_t)n, sizeof *idle);
    epoll_fd = epoll_create1(0);
    if (connections == NULL || idle == NULL || epoll_fd < 0)
        fail("setup");
    prctl(PR_SET_TIMERSLACK, 1);
    watch_timer();
    for (int i = 0; i < n; i++)
        connect_one(&connections[i], atoi(argv[1]));

    double cpu = cpu_s();
    uint64_t start_ns = now_ns() + 1000000, end_ns = start_ns + (uint64_t)(seconds * 1e9);
    if (rate > 0)
        run_open(n, start_ns, end_ns, rate, argc > 5);
    else
        run_closed(n, end_ns);
    report((double)(now_ns() - start_ns) / 1e9, cpu_s() - cpu);
    return 0;
}
