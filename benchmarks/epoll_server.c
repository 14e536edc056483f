/* A server cheap enough that the generator is what saturates: one thread, epoll, keep-alive, the
 * same 100-byte body for every request that ends in a blank line. Request bodies are not read.
 *
 *   epoll_server
 *
 * Listens on a free loopback port and prints it as its first line.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS = 256, BUFFER = 16384, BACKLOG = 4096 };

#define TEN "0123456789"
static const char RESPONSE[] =
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\n"
    TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN;

static int epoll_fd;

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static void watch(int fd)
{
    struct epoll_event e = { .events = EPOLLIN, .data.fd = fd };
    if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &e) < 0)
        fail("epoll_ctl");
}

static int listen_on_loopback(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET };
    socklen_t size = sizeof at;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) < 0 || listen(fd, BACKLOG) < 0)
        fail("listen");
    getsockname(fd, (struct sockaddr *)&at, &size);
    printf("%d\n", ntohs(at.sin_port));
    fflush(stdout);
    return fd;
}

static void accept_all(int listener)
{
    int one = 1, fd;
    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        watch(fd);
    }
}

/* One response for each request; a request that arrives in two parts ends in the second. */
static void answer(int fd)
{
    char buffer[BUFFER];
    ssize_t n = recv(fd, buffer, sizeof buffer, 0);
    if (n <= 0) {
        if (n == 0 || errno != EAGAIN)
            close(fd);
        return;
    }
    char *at = buffer;
    while ((at = memmem(at, (size_t)(buffer + n - at), "\r\n\r\n", 4)) != NULL) {
        at += 4;
        if (send(fd, RESPONSE, sizeof RESPONSE - 1, MSG_NOSIGNAL) < 0) {
            close(fd);
            return;
        }
    }
}

int main(void)
{
    struct epoll_event events[EVENTS];
    epoll_fd = epoll_create1(0);
    int listener = listen_on_loopback();
    watch(listener);
    for (;;) {
        int n = epoll_wait(epoll_fd, events, EVENTS, -1);
        for (int i = 0; i < n; i++) {
            if (events[i].data.fd == listener)
                accept_all(listener);
            else
                answer(events[i].data.fd);
        }
    }
}
