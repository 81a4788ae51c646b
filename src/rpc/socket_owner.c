// Whose process is at the other end of a connection. For a Unix socket the kernel tells directly. A TCP connection over
// the loopback device has both its ends in this network namespace, so the kernel also knows the socket of the peer: it
// is asked for by its addresses, through netlink.
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

#include "rpc/socket_internal.h"

// Writes address and port of one end in the form of the kernel. An IPv4 address inside an IPv6 one counts as IPv4: so
// the kernel finds the socket of either kind.
static int family_of(const struct sockaddr_storage *address, __be32 out_host[4], __be16 *out_port) {
  memset(out_host, 0, 4 * sizeof(*out_host));
  if (address->ss_family == AF_INET) {
    const struct sockaddr_in *four = (const struct sockaddr_in *)address;
    memcpy(out_host, &four->sin_addr, sizeof(four->sin_addr));
    *out_port = four->sin_port;
    return AF_INET;
  }
  const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;
  bool is_four = IN6_IS_ADDR_V4MAPPED(&six->sin6_addr);
  memcpy(out_host, six->sin6_addr.s6_addr + (is_four ? 12 : 0), is_four ? 4 : 16);
  *out_port = six->sin6_port;
  return is_four ? AF_INET : AF_INET6;
}

typedef struct {
  struct nlmsghdr head;
  struct inet_diag_req_v2 body;
} question_t;

typedef union {
  struct nlmsghdr head;
  char bytes[4096];
} answer_t;

// The user of the established socket that |question| asks for; false if there is none.
static bool ask(const question_t *question, uid_t *out_user) {
  int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG);
  if (fd < 0) return false;
  answer_t answer;
  ssize_t size =
      send(fd, question, sizeof(*question), 0) == sizeof(*question) ? recv(fd, &answer, sizeof(answer), 0) : -1;
  close(fd);
  if (size < (ssize_t)NLMSG_LENGTH(sizeof(struct inet_diag_msg)) || answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY)
    return false;
  const struct inet_diag_msg *found = NLMSG_DATA(&answer.head);
  // A listener, or what is left of a closed socket, has other values.
  if (found->idiag_state != TCP_ESTABLISHED || found->id.idiag_sport != question->body.id.idiag_sport ||
      found->id.idiag_dport != question->body.id.idiag_dport)
    return false;
  *out_user = found->idiag_uid;
  return true;
}

static bool user_at_other_end(int fd, uid_t *out_user) {
  struct sockaddr_storage own = {0}, peer = {0};
  socklen_t own_size = sizeof(own), peer_size = sizeof(peer);
  if (getsockname(fd, (struct sockaddr *)&own, &own_size) != 0 ||
      getpeername(fd, (struct sockaddr *)&peer, &peer_size) != 0)
    return false;
  question_t question = {
      .head = {.nlmsg_len = sizeof(question), .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
      .body = {.sdiag_protocol = IPPROTO_TCP, .idiag_states = 1u << TCP_ESTABLISHED}};
  struct inet_diag_sockid *id = &question.body.id;
  id->idiag_cookie[0] = id->idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  int family = family_of(&peer, id->idiag_src, &id->idiag_sport);
  if (family_of(&own, id->idiag_dst, &id->idiag_dport) != family) return false;
  question.body.sdiag_family = (unsigned char)family;
  return ask(&question, out_user);
}

bool sli_rpc_socket_is_of_our_user(int fd) {
  if (sli_rpc_socket_is_local(fd)) return sli_rpc_socket_trusted_peer(fd) > 0;
  uid_t user;
  return sli_rpc_socket_is_loopback(fd) && user_at_other_end(fd, &user) && (user == geteuid() || user == 0);
}
