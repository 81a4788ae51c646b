// Connections between two processes of one host. A server also listens on a Unix socket whose abstract name contains
// its TCP address; a client that connects to the address tries that name first. The bytes are the same as over TCP, at
// a quarter of the processor time for large tensors. Abstract names belong to a network namespace, as addresses do, and
// end with their socket.
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/un.h>
#include <unistd.h>

#include "rpc/socket_internal.h"

// Large enough that the writer can continue while the reader copies; the system may allow less.
#define SEND_BUFFER_SIZE (1 << 20)

// For users who want to watch or filter the traffic.
static bool is_off(void) {
  const char *text = getenv("SLUICE_TCP_ONLY");
  return text && *text && strcmp(text, "0") != 0;
}

// Not a wildcard, and not a link-local address, which may be that of several hosts.
static bool is_of_one_host(const struct sockaddr_storage *address) {
  if (address->ss_family == AF_INET) return ((const struct sockaddr_in *)address)->sin_addr.s_addr != htonl(INADDR_ANY);
  const struct in6_addr *six = &((const struct sockaddr_in6 *)address)->sin6_addr;
  return address->ss_family == AF_INET6 && !IN6_IS_ADDR_UNSPECIFIED(six) && !IN6_IS_ADDR_LINKLOCAL(six);
}

// "sluice/ipv4:127.0.0.1:5000"; false if |address| is not that of one host.
static bool local_name(const struct sockaddr_storage *address, struct sockaddr_un *out_name, socklen_t *out_size) {
  if (!is_of_one_host(address)) return false;
  char text[SLI_RPC_PEER_SIZE];
  sli_rpc_socket_describe(address, text);
  *out_name = (struct sockaddr_un){.sun_family = AF_UNIX};  // sun_path[0] == 0: abstract
  int length = snprintf(out_name->sun_path + 1, sizeof(out_name->sun_path) - 1, "sluice/%s", text);
  *out_size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
  return true;
}

static bool peer_of(int fd, struct ucred *out_peer) {
  socklen_t size = sizeof(*out_peer);
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, out_peer, &size) == 0;
}

// Any user can bind an abstract name, so the user of its owner is checked.
static bool is_trusted_user(const struct ucred *peer) { return peer->uid == geteuid() || peer->uid == 0; }

static void set_buffer(int fd) {
  int size = SEND_BUFFER_SIZE;
  setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
}

static int open_local(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

int sli_rpc_socket_listen_local(int listener) {
  struct sockaddr_storage bound;
  socklen_t bound_size = sizeof(bound), size;
  struct sockaddr_un name;
  if (is_off() || getsockname(listener, (struct sockaddr *)&bound, &bound_size) != 0 ||
      !local_name(&bound, &name, &size))
    return -1;
  int fd = open_local();
  if (fd < 0) return -1;
  if (bind(fd, (struct sockaddr *)&name, size) == 0 && listen(fd, SLI_RPC_BACKLOG) == 0) return fd;
  close(fd);
  return -1;
}

int sli_rpc_socket_connect_local(const struct sockaddr *address, socklen_t address_size) {
  struct sockaddr_storage full = {0};
  struct sockaddr_un name;
  socklen_t size;
  memcpy(&full, address, address_size < sizeof(full) ? address_size : sizeof(full));
  if (is_off() || !local_name(&full, &name, &size)) return -1;
  int fd = open_local();
  if (fd < 0) return -1;
  // Another user's server is reached through its TCP port.
  struct ucred peer;
  if (connect(fd, (struct sockaddr *)&name, size) == 0 && peer_of(fd, &peer) && is_trusted_user(&peer)) {
    set_buffer(fd);
    return fd;
  }
  close(fd);
  return -1;
}

void sli_rpc_socket_adopt_local(int fd, char out_peer[SLI_RPC_PEER_SIZE]) {
  set_buffer(fd);
  struct ucred peer = {0};
  peer_of(fd, &peer);
  snprintf(out_peer, SLI_RPC_PEER_SIZE, "unix:pid %d", (int)peer.pid);
}

bool sli_rpc_socket_is_local(int fd) {
  int domain = 0;
  socklen_t size = sizeof(domain);
  return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX;
}

int sli_rpc_socket_trusted_peer(int fd) {
  struct ucred peer;
  bool is_trusted = sli_rpc_socket_is_local(fd) && peer_of(fd, &peer) && is_trusted_user(&peer);
  return is_trusted ? (int)peer.pid : 0;
}

// A buffer for a few descriptors with a message, aligned as the system requires.
enum { MAX_FILES = 4 };
typedef union {
  struct cmsghdr head;
  char bytes[CMSG_SPACE(MAX_FILES * sizeof(int))];
} files_t;

ssize_t sli_rpc_socket_write_file(int fd, const struct iovec *parts, int count, int file) {
  files_t control = {.head = {.cmsg_len = CMSG_LEN(sizeof(file)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
  memcpy(CMSG_DATA(&control.head), &file, sizeof(file));
  struct msghdr message = {.msg_iov = (struct iovec *)parts,
                           .msg_iovlen = (size_t)count,
                           .msg_control = &control,
                           .msg_controllen = CMSG_SPACE(sizeof(file))};
  return sendmsg(fd, &message, MSG_NOSIGNAL);
}

ssize_t sli_rpc_socket_read_file(int fd, const struct iovec *parts, int count, int *out_file) {
  *out_file = -1;
  files_t control;
  struct msghdr message = {.msg_iov = (struct iovec *)parts,
                           .msg_iovlen = (size_t)count,
                           .msg_control = &control,
                           .msg_controllen = sizeof(control)};
  ssize_t size = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
  if (size < 0) return size;
  for (struct cmsghdr *head = CMSG_FIRSTHDR(&message); head; head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    for (size_t at = CMSG_LEN(0); at + sizeof(int) <= head->cmsg_len; at += sizeof(int)) {
      if (*out_file >= 0) close(*out_file);
      memcpy(out_file, (char *)head + at, sizeof(int));
    }
  }
  return size;
}
