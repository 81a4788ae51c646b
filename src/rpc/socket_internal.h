// All socket calls of rpc in one place: a transport of another kind (TLS) slots
// in here. Everything is non-blocking and safe from SIGPIPE.
#ifndef SLI_RPC_SOCKET_INTERNAL_H_
#define SLI_RPC_SOCKET_INTERNAL_H_

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "base/status.h"
#include "base/string.h"

// Room for "ipv6:[…]:65535" and "unix:pid 4194304".
#define SLI_RPC_PEER_SIZE 80

#define SLI_RPC_BACKLOG 1024

// Splits "host:port" or "[v6]:port". INVALID_ARGUMENT naming |target| otherwise. The caller frees |*out_host|.
sli_status_t *sli_rpc_target_parse(const char *target, char **out_host, int *out_port);

// A listening socket on |address| (NULL: all) and |port| (0: any), and the port it got.
sli_status_t *sli_rpc_socket_listen(const char *address, int port, int *out_fd, int *out_port);
// An address as gRPC writes it: "ipv4:127.0.0.1:5000", "ipv6:[::1]:5000".
void sli_rpc_socket_describe(const struct sockaddr_storage *address, char out_text[SLI_RPC_PEER_SIZE]);
// The next connection, ready for use, or -1 and errno.
int sli_rpc_socket_accept(int listener, char out_peer[SLI_RPC_PEER_SIZE]);
// Starts connecting. 0: connected, EINPROGRESS: wait until it is writable; else the error, and no socket.
int sli_rpc_socket_connect(const struct sockaddr *address, socklen_t size, int *out_fd);
// Ends a connect under way: 0, and the socket is ready for use, or its error.
int sli_rpc_socket_finish_connect(int fd);

// Between processes of one host (socket_local.c). A socket of the Unix domain that stands beside the TCP |listener|, if
// that has an address of its own: -1 without one, or when the system refuses.
int sli_rpc_socket_listen_local(int listener);
// A connection to the one beside the TCP listener at |address|, ready for use; -1: there is none.
int sli_rpc_socket_connect_local(const struct sockaddr *address, socklen_t size);
// Prepares an accepted one, and says whose it is.
void sli_rpc_socket_adopt_local(int fd, char out_peer[SLI_RPC_PEER_SIZE]);

// The process that |fd| leads to if it is of this host and of our user, or the system's; else 0.
int sli_rpc_socket_trusted_peer(int fd);

// Bytes moved, 0 at the end (read only), -1 and errno.
ssize_t sli_rpc_socket_read(int fd, const struct iovec *parts, int count);
ssize_t sli_rpc_socket_write(int fd, const struct iovec *parts, int count);
// The same with a file, over a Unix socket. It goes with the first byte; of several that come the last is the caller's,
// -1 if there is none.
ssize_t sli_rpc_socket_write_file(int fd, const struct iovec *parts, int count, int file);
ssize_t sli_rpc_socket_read_file(int fd, const struct iovec *parts, int count, int *out_file);
// Whether bytes wait to be read.
bool sli_rpc_socket_has_input(int fd);

#endif  // SLI_RPC_SOCKET_INTERNAL_H_
