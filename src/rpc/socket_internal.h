// All socket calls of rpc are here, so that another transport (TLS) can be added in
// one place. All sockets are non-blocking; no call raises SIGPIPE.
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

// Creates a listening socket on |address| (NULL: all) and |port| (0: any), and returns its port.
sli_status_t *sli_rpc_socket_listen(const char *address, int port, int *out_fd, int *out_port);
// An address as gRPC writes it: "ipv4:127.0.0.1:5000", "ipv6:[::1]:5000".
void sli_rpc_socket_describe(const struct sockaddr_storage *address, char out_text[SLI_RPC_PEER_SIZE]);
// Returns the next connection, ready for use, or -1 and errno.
int sli_rpc_socket_accept(int listener, char out_peer[SLI_RPC_PEER_SIZE]);
// Starts connecting. Returns 0 if connected, EINPROGRESS if the caller must wait until the socket is writable;
// otherwise the error, and there is no socket.
int sli_rpc_socket_connect(const struct sockaddr *address, socklen_t size, int *out_fd);
// Completes a connect in progress. Returns 0 if the socket is ready for use, otherwise the error.
int sli_rpc_socket_finish_connect(int fd);

// For processes of one host (socket_local.c). Creates the Unix socket that listens in addition to the TCP |listener|.
// Returns -1 if that listens on all addresses or the system refuses.
int sli_rpc_socket_listen_local(int listener);
// Connects to the Unix socket of the TCP listener at |address|. Returns -1 if there is none.
int sli_rpc_socket_connect_local(const struct sockaddr *address, socklen_t size);
// Prepares an accepted Unix socket for use, and describes its peer.
void sli_rpc_socket_adopt_local(int fd, char out_peer[SLI_RPC_PEER_SIZE]);

// Whether |fd| is a Unix socket; whether both its ends are loopback addresses.
bool sli_rpc_socket_is_local(int fd);
bool sli_rpc_socket_is_loopback(int fd);
// The process id of |fd|'s peer if that is on this host and runs as our user or as root; otherwise 0.
int sli_rpc_socket_trusted_peer(int fd);

// Whether |fd|'s peer is a process of our user or of root on this host, reached over the Unix socket or the loopback
// device. False also where the system does not tell (socket_owner.c).
bool sli_rpc_socket_is_of_our_user(int fd);

// Return the number of bytes, 0 at the end of input, -1 and errno on failure.
ssize_t sli_rpc_socket_read(int fd, const struct iovec *parts, int count);
ssize_t sli_rpc_socket_write(int fd, const struct iovec *parts, int count);
// The same with a file descriptor, over a Unix socket. It is sent with the first byte. If several are received, the
// caller gets the last one, which it owns; -1 if there is none.
ssize_t sli_rpc_socket_write_file(int fd, const struct iovec *parts, int count, int file);
ssize_t sli_rpc_socket_read_file(int fd, const struct iovec *parts, int count, int *out_file);
// Whether there are bytes to read.
bool sli_rpc_socket_has_input(int fd);

#endif  // SLI_RPC_SOCKET_INTERNAL_H_
