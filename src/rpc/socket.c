#include "rpc/socket_internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"

sli_status_t *sli_rpc_target_parse(const char *target, char **out_host, int *out_port) {
  *out_host = NULL;
  *out_port = 0;
  sli_view_t host = {0};
  const char *colon = strrchr(target, ':');
  if (colon && target[0] == '[' && colon > target + 1 && colon[-1] == ']')
    host = sli_view_of(target + 1, (size_t)(colon - target) - 2);
  else if (colon && memchr(target, ':', (size_t)(colon - target)) == NULL)
    host = sli_view_of(target, (size_t)(colon - target));
  int64_t port = 0;
  if (!host.size || !sli_view_to_int64(sli_view(colon + 1), &port) || port <= 0 || port > 65535)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Could not interpret \"%s\" as a host-port pair.", target);
  *out_host = sli_strndup(host.data, host.size);
  *out_port = (int)port;
  return NULL;
}

// Small frames must be sent at once, and a peer whose machine is gone must be noticed although nothing is sent.
static void tune(int fd) {
  int on = 1, idle = 30, interval = 10, probes = 3;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
}

// Converts the address to IPv6. Returns false for other families.
static bool host_of(const struct sockaddr_storage *address, struct in6_addr *out_host) {
  if (address->ss_family == AF_INET6) {
    *out_host = ((const struct sockaddr_in6 *)address)->sin6_addr;
  } else if (address->ss_family == AF_INET) {
    *out_host = (struct in6_addr){.s6_addr = {[10] = 0xff, [11] = 0xff}};
    memcpy(out_host->s6_addr + 12, &((const struct sockaddr_in *)address)->sin_addr, 4);
  } else {
    return false;
  }
  return true;
}

static bool is_loopback(const struct in6_addr *host) {
  return IN6_IS_ADDR_LOOPBACK(host) || (IN6_IS_ADDR_V4MAPPED(host) && host->s6_addr[12] == 127);
}

bool sli_rpc_socket_is_loopback(int fd) {
  struct sockaddr_storage own = {0}, peer = {0};
  socklen_t own_size = sizeof(own), peer_size = sizeof(peer);
  struct in6_addr here, there;
  return getsockname(fd, (struct sockaddr *)&own, &own_size) == 0 &&
         getpeername(fd, (struct sockaddr *)&peer, &peer_size) == 0 && host_of(&own, &here) && host_of(&peer, &there) &&
         is_loopback(&here) && is_loopback(&there);
}

// Between tasks of one host nothing is lost or queued on the way. A congestion control that paces the sender (BBR, the
// default of many hosts) mistakes copies in memory for a slow line and delays them. Reno, which every kernel has, does
// not.
static void tune_for_peer(int fd, const struct sockaddr_storage *peer) {
  struct sockaddr_storage own = {0};
  socklen_t size = sizeof(own);
  struct in6_addr here, there;
  if (getsockname(fd, (struct sockaddr *)&own, &size) != 0 || !host_of(&own, &here) || !host_of(peer, &there)) return;
  if (!IN6_ARE_ADDR_EQUAL(&here, &there) && !(is_loopback(&here) && is_loopback(&there))) return;
  const char control[] = "reno";
  setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, control, sizeof(control) - 1);
}

static int port_of(const struct sockaddr_storage *address) {
  return ntohs(address->ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)address)->sin6_port
                                              : ((const struct sockaddr_in *)address)->sin_port);
}

// 0 or an errno.
static int listen_on(const struct sockaddr *address, socklen_t size, int *out_fd) {
  int fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  int on = 1, off = 0;
  // A restarted task can bind its port at once; two tasks never share one.
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (address->sa_family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
  if (bind(fd, address, size) != 0 || listen(fd, SLI_RPC_BACKLOG) != 0) {
    int error = errno;
    close(fd);
    return error;
  }
  *out_fd = fd;
  return 0;
}

static int listen_on_all(int port, int *out_fd) {
  struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port), .sin6_addr = in6addr_any};
  int error = listen_on((struct sockaddr *)&six, sizeof(six), out_fd);
  if (error != EAFNOSUPPORT && error != EADDRNOTAVAIL && error != EINVAL) return error;
  struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  return listen_on((struct sockaddr *)&four, sizeof(four), out_fd);
}

static sli_status_t *listen_on_name(const char *address, int port, int *out_fd, int *out_error) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found = NULL;
  int result = getaddrinfo(address, NULL, &hints, &found);
  if (result != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "cannot listen on %s:%d: %s", address, port, gai_strerror(result));
  *out_error = EADDRNOTAVAIL;
  for (struct addrinfo *entry = found; entry && *out_error; entry = entry->ai_next) {
    if (entry->ai_family == AF_INET6)
      ((struct sockaddr_in6 *)entry->ai_addr)->sin6_port = htons((uint16_t)port);
    else if (entry->ai_family == AF_INET)
      ((struct sockaddr_in *)entry->ai_addr)->sin_port = htons((uint16_t)port);
    else
      continue;
    *out_error = listen_on(entry->ai_addr, entry->ai_addrlen, out_fd);
    if (*out_error == EADDRINUSE) break;  // do not hide this error behind that of another address
  }
  freeaddrinfo(found);
  return NULL;
}

sli_status_t *sli_rpc_socket_listen(const char *address, int port, int *out_fd, int *out_port) {
  *out_fd = -1;
  *out_port = 0;
  const char *shown = address ? address : "*";
  if (port < 0 || port > 65535)
    return sli_status_make(SLI_INVALID_ARGUMENT, "port must be from 0 to 65535, got %d", port);
  int error = 0;
  if (address)
    SLI_RETURN_IF_ERROR(listen_on_name(address, port, out_fd, &error));
  else
    error = listen_on_all(port, out_fd);
  if (error == EADDRINUSE)
    return sli_status_make(SLI_FAILED_PRECONDITION,
                           "cannot listen on %s:%d: address already in use (another process is listening)", shown,
                           port);
  if (error) return sli_status_from_errno(error, "cannot listen on %s:%d", shown, port);
  struct sockaddr_storage bound;
  socklen_t size = sizeof(bound);
  if (getsockname(*out_fd, (struct sockaddr *)&bound, &size) != 0) {
    sli_status_t *status = sli_status_from_errno(errno, "cannot listen on %s:%d", shown, port);
    close(*out_fd);
    *out_fd = -1;
    return status;
  }
  *out_port = port_of(&bound);
  return NULL;
}

void sli_rpc_socket_describe(const struct sockaddr_storage *address, char out_text[SLI_RPC_PEER_SIZE]) {
  char text[INET6_ADDRSTRLEN] = "?";
  bool four = address->ss_family == AF_INET;
  if (four) {
    inet_ntop(AF_INET, &((const struct sockaddr_in *)address)->sin_addr, text, sizeof(text));
  } else if (address->ss_family == AF_INET6) {
    const struct in6_addr *six = &((const struct sockaddr_in6 *)address)->sin6_addr;
    four = IN6_IS_ADDR_V4MAPPED(six);
    if (four)
      inet_ntop(AF_INET, six->s6_addr + 12, text, sizeof(text));
    else
      inet_ntop(AF_INET6, six, text, sizeof(text));
  }
  snprintf(out_text, SLI_RPC_PEER_SIZE, four ? "ipv4:%s:%d" : "ipv6:[%s]:%d", text, port_of(address));
}

int sli_rpc_socket_accept(int listener, char out_peer[SLI_RPC_PEER_SIZE]) {
  struct sockaddr_storage address = {0};
  socklen_t size = sizeof(address);
  int fd = accept4(listener, (struct sockaddr *)&address, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) return -1;
  if (address.ss_family == AF_UNIX) {
    sli_rpc_socket_adopt_local(fd, out_peer);
    return fd;
  }
  tune(fd);
  tune_for_peer(fd, &address);
  sli_rpc_socket_describe(&address, out_peer);
  return fd;
}

int sli_rpc_socket_connect(const struct sockaddr *address, socklen_t size, int *out_fd) {
  *out_fd = -1;
  int fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  tune(fd);
  int error = connect(fd, address, size) == 0 ? 0 : errno;
  if (error == EINTR) error = EINPROGRESS;
  if (error != 0 && error != EINPROGRESS)
    close(fd);
  else
    *out_fd = fd;
  return error;
}

// A connect to a port of the ephemeral range can reach itself if nothing listens there.
static bool is_own(int fd, const struct sockaddr_storage *peer, socklen_t peer_size) {
  struct sockaddr_storage own = {0};
  socklen_t size = sizeof(own);
  return getsockname(fd, (struct sockaddr *)&own, &size) == 0 && size == peer_size && memcmp(&own, peer, size) == 0;
}

int sli_rpc_socket_finish_connect(int fd) {
  int error = 0;
  socklen_t size = sizeof(error);
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  if (error) return error;
  struct sockaddr_storage peer = {0};
  size = sizeof(peer);
  if (getpeername(fd, (struct sockaddr *)&peer, &size) != 0) return errno;
  if (is_own(fd, &peer, size)) return ECONNREFUSED;
  tune_for_peer(fd, &peer);
  return 0;
}

ssize_t sli_rpc_socket_read(int fd, const struct iovec *parts, int count) { return readv(fd, parts, count); }

ssize_t sli_rpc_socket_write(int fd, const struct iovec *parts, int count) {
  struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = (size_t)count};
  return sendmsg(fd, &message, MSG_NOSIGNAL);
}

bool sli_rpc_socket_has_input(int fd) {
  char byte;
  return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}
