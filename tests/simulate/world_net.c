// The network and the descriptors of the tasks: TCP connections between hosts, epoll, event and timer descriptors. A
// connection delivers in order, but each at its own pace, so that messages of two connections overtake each other.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "tests/simulate/world_internal.h"

enum { SEGMENT_SIZE = 64 << 10, BACKLOG = 4096, CALL_NANOS = 800 };
static const int64_t retry_nanos = 200 * WORLD_MILLI;      // of what a cut link holds back
static const int64_t dead_peer_nanos = 60 * WORLD_SECOND;  // TCP's keep-alive: 30 s, then three probes
static const int64_t connect_retry_nanos = 1000 * WORLD_MILLI;

// Bytes on their way, or the end of them.
typedef struct segment segment_t;
struct segment {
  segment_t *next;
  int64_t due;
  bool is_end, is_reset;
  size_t size;
  char data[];
};

typedef enum { LISTENER, STREAM, EPOLL, EVENT, TIMER } kind_t;
typedef enum { STREAM_NEW, STREAM_CONNECTING, STREAM_OPEN, STREAM_CLOSED } stream_state_t;

struct world_file {
  int fd;
  kind_t kind;
  world_process_t *process;
  bool is_closed, is_blocking, is_loopback;
  // A watcher, and whether it is in the watcher's list of those to look at.
  world_file_t *epoll;
  uint32_t events;
  epoll_data_t data;
  bool is_candidate;
  SLI_ARRAY(world_file_t *) candidates;  // of an epoll
  // Listeners and streams.
  int host, port, peer_host, peer_port;
  SLI_ARRAY(world_file_t *) backlog;
  stream_state_t state;
  world_file_t *peer;  // the other end; stays after a close
  int error;
  char *input;
  size_t input_at, input_size, input_capacity;
  bool input_ended, is_shut;
  segment_t *first, **last;  // sent, not yet arrived
  int64_t last_due;
  size_t in_flight;  // sent, and not yet read at the other end
  // Event and timer.
  uint64_t count;
  int64_t expires;
};

static SLI_ARRAY(world_file_t *) files;
static bool cuts[WORLD_MAX_HOSTS][WORLD_MAX_HOSTS];
static int64_t messages;

int64_t world_message_count(void) { return messages; }

static world_file_t *open_file(kind_t kind) {
  world_file_t *file = sli_calloc(1, sizeof(*file));
  file->fd = WORLD_FIRST_FD + (int)files.count;
  file->kind = kind;
  file->process = world_current->process;
  file->host = file->process->host;
  file->last = &file->first;
  file->expires = WORLD_NEVER;
  sli_array_push(&files, file);
  return file;
}

world_file_t *world_file_of(int fd) {
  if (fd < WORLD_FIRST_FD || fd - WORLD_FIRST_FD >= (int)files.count) return NULL;
  world_file_t *file = files.items[fd - WORLD_FIRST_FD];
  return file->is_closed ? NULL : file;
}

// --- Readiness ---

static uint32_t readiness(const world_file_t *file) {
  uint32_t ready = 0;
  switch (file->kind) {
    case LISTENER: return file->backlog.count ? EPOLLIN : 0;
    case EVENT: return file->count ? EPOLLIN : 0;
    case TIMER: return file->expires <= world_now() ? EPOLLIN : 0;
    case EPOLL: return 0;
    case STREAM: break;
  }
  if (file->state == STREAM_NEW) return EPOLLOUT | EPOLLHUP;
  if (file->input_size || file->input_ended) ready |= EPOLLIN;
  if (file->error) ready |= EPOLLIN | EPOLLOUT | EPOLLERR | EPOLLHUP;
  if (file->state == STREAM_OPEN && file->in_flight < world_options.socket_buffer) ready |= EPOLLOUT;
  return ready;
}

// Something changed: threads that wait for the file or its watcher look again.
static void notify(world_file_t *file) {
  if (file->is_closed) return;
  world_wake(file->process, file, true);
  world_file_t *epoll = file->epoll;
  if (!epoll) return;
  if (!file->is_candidate) {
    file->is_candidate = true;
    sli_array_push(&epoll->candidates, file);
  }
  world_wake(epoll->process, epoll, true);
}

// --- Links ---

void world_cut(int from, int to, bool is_cut) {
  if (cuts[from][to] == is_cut) return;
  world_note(NULL, "the link from %s to %s is %s", world_address(from), world_address(to), is_cut ? "cut" : "healed");
  cuts[from][to] = is_cut;
}

static int64_t draw_delay(int from, int to) {
  if (from == to) return 10000;
  int64_t delay = world_options.latency + (int64_t)world_random((uint64_t)world_options.jitter + 1);
  if (world_one_in(world_options.late_one_in)) delay += (int64_t)world_random((uint64_t)world_options.late);
  return delay;
}

// When |size| bytes that are sent now have passed both network cards.
static int64_t transfer_end(int from, int to, size_t size) {
  int64_t now = world_now(), delay = draw_delay(from, to);
  if (world_options.bytes_per_second <= 0 || from == to) return now + delay;
  int64_t busy = (int64_t)((double)size * world_options.byte_weight / world_options.bytes_per_second * 1e9);
  world_host_t *sender = &world_hosts[from], *receiver = &world_hosts[to];
  if (sender->send_free < now) sender->send_free = now;
  sender->send_free += busy;
  int64_t arrival = sender->send_free + delay;
  if (receiver->receive_free < arrival - busy) receiver->receive_free = arrival - busy;
  receiver->receive_free += busy;
  return receiver->receive_free;
}

static void take_input(world_file_t *file, const segment_t *segment) {
  if (file->input_at + file->input_size + segment->size > file->input_capacity) {
    size_t capacity = 2 * (file->input_size + segment->size) + 1024;
    char *input = sli_malloc(capacity);
    if (file->input_size) memcpy(input, file->input + file->input_at, file->input_size);
    free(file->input);
    file->input = input;
    file->input_capacity = capacity;
    file->input_at = 0;
  }
  memcpy(file->input + file->input_at + file->input_size, segment->data, segment->size);
  file->input_size += segment->size;
}

static void fail_stream(world_file_t *file, int error) {
  if (file->is_closed || file->state == STREAM_CLOSED) return;
  file->error = error;
  file->state = STREAM_CLOSED;
  notify(file);
}

static void reset_arrives(void *context, uint64_t error) {
  world_file_t *file = context;
  if (!file->is_closed) world_note(file->process, "a connection to %s breaks", world_address(file->peer_host));
  fail_stream(file, (int)error);
}

static void send_segment(world_file_t *from, segment_t *segment);

// One segment arrives at the other end of |from|.
static void arrive(world_file_t *from, const segment_t *segment) {
  world_file_t *to = from->peer;
  if (world_options.is_verbose && segment->size)
    world_note(to->process, "receives %zu bytes from %s", segment->size, from->process->name);
  if (world_hosts[from->peer_host].is_down) return;
  if (to->is_closed || to->state == STREAM_CLOSED) {
    if (!segment->is_end && !segment->is_reset)
      world_push(world_clock + draw_delay(to->host, from->host), reset_arrives, from, ECONNRESET);
    return;
  }
  if (segment->is_reset) {
    reset_arrives(to, ECONNRESET);
  } else if (segment->is_end) {
    to->input_ended = true;
    notify(to);
  } else {
    take_input(to, segment);
    notify(to);
  }
}

// Delivers what is due. A cut link keeps it and everything behind it.
static void deliver(void *context, uint64_t number) {
  world_file_t *from = context;
  while (from->first && from->first->due <= world_clock) {
    if (cuts[from->host][from->peer_host]) {
      world_push(world_clock + retry_nanos, deliver, from, 0);
      return;
    }
    segment_t *segment = from->first;
    from->first = segment->next;
    if (!from->first) from->last = &from->first;
    arrive(from, segment);
    free(segment);
  }
}

static void send_segment(world_file_t *from, segment_t *segment) {
  messages += segment->size > 0;
  int64_t due = transfer_end(from->host, from->peer_host, segment->size + 60);
  if (due < from->last_due) due = from->last_due;
  from->last_due = segment->due = due;
  segment->next = NULL;
  *from->last = segment;
  from->last = &segment->next;
  world_push(due, deliver, from, 0);
}

static void send_end(world_file_t *file, bool is_reset) {
  segment_t *segment = sli_calloc(1, sizeof(*segment));
  segment->is_end = !is_reset;
  segment->is_reset = is_reset;
  send_segment(file, segment);
}

static void peer_is_lost(void *context, uint64_t number) {
  world_file_t *file = context;
  if (world_hosts[file->peer_host].is_down || (file->peer && file->peer->is_closed)) fail_stream(file, ETIMEDOUT);
}

void world_net_host_failed(int host) {
  for (size_t i = 0; i < files.count; i++) {
    world_file_t *file = files.items[i];
    if (file->kind == STREAM && !file->is_closed && file->peer_host == host && file->host != host)
      world_push(world_clock + dead_peer_nanos, peer_is_lost, file, 0);
  }
}

// --- Connecting ---

// The listener for connections of other hosts, or of the host itself.
static world_file_t *find_listener(int host, int port, bool is_loopback) {
  for (size_t i = files.count; i-- > 0;) {
    world_file_t *file = files.items[i];
    if (file->kind == LISTENER && !file->is_closed && file->host == host && file->port == port && file->peer_port &&
        file->is_loopback == is_loopback)
      return file;
  }
  return NULL;
}

static void connected(void *context, uint64_t error) {
  world_file_t *file = context;
  if (file->is_closed || file->state != STREAM_CONNECTING) return;
  if (error) {
    fail_stream(file, (int)error);
    return;
  }
  file->state = STREAM_OPEN;
  notify(file);
}

static void reply_to_connect(world_file_t *file, int error) {
  world_push(world_clock + draw_delay(file->peer_host, file->host), connected, file, (uint64_t)error);
}

static void knock(void *context, uint64_t number) {
  world_file_t *file = context;
  if (file->is_closed) return;
  int from = file->host, to = file->peer_host;
  if (cuts[from][to] || cuts[to][from] || world_hosts[to].is_down) {
    world_push(world_clock + connect_retry_nanos, knock, file, 0);
    return;
  }
  world_file_t *listener = find_listener(to, file->peer_port, file->is_loopback);
  if (!listener || listener->backlog.count >= BACKLOG) {
    reply_to_connect(file, ECONNREFUSED);
    return;
  }
  world_thread_t *thread = world_current;
  world_current = listener->process->threads;
  world_file_t *accepted = open_file(STREAM);
  world_current = thread;
  accepted->state = STREAM_OPEN;
  accepted->port = file->peer_port;
  accepted->peer_host = from;
  accepted->peer_port = file->port;
  accepted->peer = file;
  file->peer = accepted;
  sli_array_push(&listener->backlog, accepted);
  notify(listener);
  reply_to_connect(file, 0);
}

// The host of an address; -1: there is none.
static int host_of(const struct sockaddr *address) {
  uint32_t number = 0;
  if (address->sa_family == AF_INET) number = ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr);
  if (number >> 24 == 127) return world_current->process->host;
  if (number >> 16 != (10 << 8)) return -1;
  int host = (int)(number >> 8 & 255) * 250 + (int)(number & 255) - 1;
  return host < world_host_count ? host : -1;
}

static void write_address(int host, int port, struct sockaddr *out, socklen_t *size) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  inet_pton(AF_INET, world_address(host), &address.sin_addr);
  if (*size > sizeof(address)) *size = sizeof(address);
  memcpy(out, &address, *size);
}

int __wrap_socket(int family, int type, int protocol) {
  world_charge(CALL_NANOS);
  if (family != AF_INET) {
    errno = EAFNOSUPPORT;
    return -1;
  }
  world_file_t *file = open_file(STREAM);
  file->is_blocking = !(type & SOCK_NONBLOCK);
  return file->fd;
}

int __wrap_bind(int fd, const struct sockaddr *address, socklen_t size) {
  world_file_t *file = world_file_of(fd);
  file->port = ntohs(((const struct sockaddr_in *)address)->sin_port);
  if (!file->port) file->port = 20000 + (int)(files.count % 20000);
  file->is_loopback = ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == 127;
  if (find_listener(file->host, file->port, file->is_loopback)) {
    errno = EADDRINUSE;
    return -1;
  }
  return 0;
}

int __wrap_listen(int fd, int backlog) {
  world_file_t *file = world_file_of(fd);
  file->kind = LISTENER;
  file->peer_port = 1;  // it listens
  return 0;
}

int __wrap_connect(int fd, const struct sockaddr *address, socklen_t size) {
  world_charge(CALL_NANOS);
  world_file_t *file = world_file_of(fd);
  file->peer_host = host_of(address);
  file->is_loopback = ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == 127;
  file->peer_port = ntohs(((const struct sockaddr_in *)address)->sin_port);
  if (file->peer_host < 0) {
    errno = ENETUNREACH;
    return -1;
  }
  file->port = 40000 + (int)(files.count % 20000);
  file->state = STREAM_CONNECTING;
  world_push(world_now() + draw_delay(file->host, file->peer_host), knock, file, 0);
  if (!file->is_blocking) {
    errno = EINPROGRESS;
    return -1;
  }
  while (file->state == STREAM_CONNECTING) world_block(file, "a connection", WORLD_NEVER);
  errno = file->error;
  return file->error ? -1 : 0;
}

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags) {
  world_charge(CALL_NANOS);
  world_file_t *listener = world_file_of(fd);
  if (!listener->backlog.count) {
    errno = EAGAIN;
    return -1;
  }
  world_file_t *file = listener->backlog.items[0];
  memmove(listener->backlog.items, listener->backlog.items + 1, --listener->backlog.count * sizeof(file));
  write_address(file->peer_host, file->peer_port, address, size);
  return file->fd;
}

int __wrap_getsockname(int fd, struct sockaddr *address, socklen_t *size) {
  const world_file_t *file = world_file_of(fd);
  write_address(file->host, file->port, address, size);
  return 0;
}

int __wrap_getpeername(int fd, struct sockaddr *address, socklen_t *size) {
  const world_file_t *file = world_file_of(fd);
  if (file->state != STREAM_OPEN) {
    errno = ENOTCONN;
    return -1;
  }
  write_address(file->peer_host, file->peer_port, address, size);
  return 0;
}

int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *size) {
  world_file_t *file = world_file_of(fd);
  if (level == SOL_SOCKET && (name == SO_ERROR || name == SO_DOMAIN)) {
    *(int *)value = name == SO_DOMAIN ? AF_INET : file->error;
    if (name == SO_ERROR) file->error = 0;
    return 0;
  }
  errno = ENOPROTOOPT;
  return -1;
}

int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t size) { return 0; }

// --- Bytes ---

static ssize_t fail(int error) {
  errno = error;
  return -1;
}

// Costs of copying, and of the call.
static void charge_bytes(size_t size) { world_charge(CALL_NANOS + (int64_t)size / 4); }

ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags) {
  world_file_t *file = world_file_of(fd);
  if (file->error) return fail(file->error);
  if (file->state != STREAM_OPEN || file->is_shut) return fail(EPIPE);
  size_t room = file->in_flight < world_options.socket_buffer ? world_options.socket_buffer - file->in_flight : 0;
  size_t sent = 0;
  for (size_t i = 0; i < message->msg_iovlen && room; i++) {
    const char *data = message->msg_iov[i].iov_base;
    size_t left = message->msg_iov[i].iov_len;
    while (left && room) {
      size_t size = left < room ? left : room;
      if (size > SEGMENT_SIZE) size = SEGMENT_SIZE;
      segment_t *segment = sli_calloc(1, sizeof(*segment) + size);
      segment->size = size;
      memcpy(segment->data, data, size);
      send_segment(file, segment);
      data += size;
      left -= size;
      room -= size;
      sent += size;
      file->in_flight += size;
    }
  }
  charge_bytes(sent);
  return sent ? (ssize_t)sent : fail(EAGAIN);
}

static ssize_t receive(world_file_t *file, const struct iovec *parts, int count, bool keep) {
  if (file->error && !file->input_size) return fail(file->error);
  if (!file->input_size) return file->input_ended ? 0 : fail(file->state == STREAM_OPEN ? EAGAIN : ENOTCONN);
  size_t got = 0;
  for (int i = 0; i < count && got < file->input_size; i++) {
    size_t size = file->input_size - got < parts[i].iov_len ? file->input_size - got : parts[i].iov_len;
    memcpy(parts[i].iov_base, file->input + file->input_at + got, size);
    got += size;
  }
  charge_bytes(got);
  if (keep) return (ssize_t)got;
  file->input_at += got;
  file->input_size -= got;
  if (!file->input_size) file->input_at = 0;
  // The sender may go on; how soon it learns so does not matter.
  bool was_full = file->peer->in_flight >= world_options.socket_buffer;
  file->peer->in_flight -= got;
  if (was_full) notify(file->peer);
  return (ssize_t)got;
}

ssize_t __wrap_readv(int fd, const struct iovec *parts, int count) {
  world_file_t *file = world_file_of(fd);
  return file ? receive(file, parts, count, false) : readv(fd, parts, count);
}

ssize_t __wrap_recv(int fd, void *data, size_t size, int flags) {
  return receive(world_file_of(fd), &(struct iovec){data, size}, 1, flags & MSG_PEEK);
}

ssize_t __wrap_recvmsg(int fd, struct msghdr *message, int flags) { return fail(EOPNOTSUPP); }
ssize_t __wrap_send(int fd, const void *data, size_t size, int flags) { return fail(EOPNOTSUPP); }

int __wrap_shutdown(int fd, int how) {
  world_file_t *file = world_file_of(fd);
  if (file->state == STREAM_OPEN && !file->is_shut) send_end(file, false);
  file->is_shut = true;
  return 0;
}

ssize_t __wrap_read(int fd, void *data, size_t size) {
  world_file_t *file = world_file_of(fd);
  if (!file) return read(fd, data, size);
  world_charge(CALL_NANOS);
  if (file->kind == TIMER) {
    while (file->expires > world_now()) world_block(file, "an alarm", file->expires);
    file->expires = WORLD_NEVER;
    *(uint64_t *)data = 1;
  } else {
    if (!file->count) return fail(EAGAIN);
    *(uint64_t *)data = file->count;
    file->count = 0;
  }
  return sizeof(uint64_t);
}

ssize_t world_disk_write(int fd, const void *data, size_t size);
ssize_t __wrap_write(int fd, const void *data, size_t size) {
  world_file_t *file = world_file_of(fd);
  if (!file) return world_disk_write(fd, data, size);
  world_charge(CALL_NANOS);
  file->count += *(const uint64_t *)data;
  notify(file);
  return (ssize_t)size;
}

// --- epoll, events, alarms ---

int __wrap_epoll_create1(int flags) { return open_file(EPOLL)->fd; }

int __wrap_eventfd(unsigned value, int flags) {
  world_file_t *file = open_file(EVENT);
  file->count = value;
  return file->fd;
}

int __wrap_timerfd_create(int clock, int flags) { return open_file(TIMER)->fd; }

int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *value, struct itimerspec *former) {
  world_file_t *file = world_file_of(fd);
  world_charge(CALL_NANOS);
  int64_t at = value->it_value.tv_sec * WORLD_SECOND + value->it_value.tv_nsec;
  file->expires = at ? at : WORLD_NEVER;
  world_wake(file->process, file, true);
  return 0;
}

int __wrap_epoll_ctl(int epoll_fd, int operation, int fd, struct epoll_event *event) {
  world_charge(CALL_NANOS / 2);
  world_file_t *epoll = world_file_of(epoll_fd), *file = world_file_of(fd);
  if (operation == EPOLL_CTL_DEL) {
    for (size_t i = 0; file->is_candidate && i < epoll->candidates.count; i++)
      if (epoll->candidates.items[i] == file)
        epoll->candidates.items[i] = epoll->candidates.items[--epoll->candidates.count];
    file->is_candidate = false;
    file->epoll = NULL;
    return 0;
  }
  file->epoll = epoll;
  file->events = event->events;
  file->data = event->data;
  notify(file);
  return 0;
}

static int collect(world_file_t *epoll, struct epoll_event *out, int limit) {
  int count = 0;
  size_t kept = 0;
  // Which of them come first is chance.
  for (size_t i = 1; i < epoll->candidates.count; i++) {
    size_t other = world_random(i + 1);
    world_file_t *swap = epoll->candidates.items[i];
    epoll->candidates.items[i] = epoll->candidates.items[other];
    epoll->candidates.items[other] = swap;
  }
  for (size_t i = 0; i < epoll->candidates.count; i++) {
    world_file_t *file = epoll->candidates.items[i];
    uint32_t ready = readiness(file) & (file->events | EPOLLERR | EPOLLHUP);
    file->is_candidate = ready != 0;
    if (!ready) continue;
    epoll->candidates.items[kept++] = file;
    if (out && count < limit) out[count] = (struct epoll_event){.events = ready, .data = file->data};
    count += count < limit;
  }
  epoll->candidates.count = kept;
  return count;
}

int __wrap_epoll_wait(int fd, struct epoll_event *events, int limit, int millis) {
  world_file_t *epoll = world_file_of(fd);
  world_charge(CALL_NANOS);
  int64_t deadline = millis < 0 ? WORLD_NEVER : world_now() + millis * WORLD_MILLI;
  for (;;) {
    int count = collect(epoll, events, limit);
    if (count || world_now() >= deadline) return count;
    world_block(epoll, "the network", deadline);
  }
}

int __wrap_poll(struct pollfd *polls, nfds_t count, int millis) {
  world_file_t *file = count == 1 ? world_file_of(polls[0].fd) : NULL;
  int64_t deadline = millis < 0 ? WORLD_NEVER : world_now() + millis * WORLD_MILLI;
  if (!file && count) return poll(polls, count, millis);
  for (;;) {
    world_charge(CALL_NANOS);
    if (file)
      polls[0].revents = (short)(file->kind == EPOLL ? (collect(file, NULL, 1) ? POLLIN : 0)
                                                     : readiness(file) & ((uint32_t)polls[0].events | EPOLLERR));
    if (file && polls[0].revents) return 1;
    if (world_now() >= deadline) return 0;
    world_block(file, "a descriptor", deadline);
  }
}

// --- Closing ---

static void close_file(world_file_t *file, bool silently) {
  if (file->is_closed) return;
  if (file->kind == STREAM && file->state == STREAM_OPEN && file->peer && !silently && !file->error)
    if (file->input_size || !file->is_shut) send_end(file, file->input_size > 0);
  for (size_t i = 0; i < file->backlog.count; i++) close_file(file->backlog.items[i], silently);
  if (file->epoll) {
    world_file_t *epoll = file->epoll;
    for (size_t i = 0; i < epoll->candidates.count; i++)
      if (epoll->candidates.items[i] == file)
        epoll->candidates.items[i--] = epoll->candidates.items[--epoll->candidates.count];
  }
  file->is_closed = true;
  free(file->input);
  file->input = NULL;
  file->input_size = 0;
}

int world_disk_close(int fd);
int __wrap_close(int fd) {
  world_file_t *file = world_file_of(fd);
  if (!file) return world_disk_close(fd);
  world_charge(CALL_NANOS);
  close_file(file, false);
  return 0;
}

void world_close_all(const world_process_t *process, bool silently) {
  for (size_t i = 0; i < files.count; i++)
    if (files.items[i]->process == process) close_file(files.items[i], silently);
}

int __wrap_fcntl(int fd, int command, long argument) { return world_file_of(fd) ? 0 : fcntl(fd, command, argument); }

// --- Addresses of the host ---

int __wrap_getifaddrs(struct ifaddrs **out) {
  struct ifaddrs *entry = sli_calloc(1, sizeof(*entry) + sizeof(struct sockaddr_in));
  socklen_t size = sizeof(struct sockaddr_in);
  entry->ifa_addr = (struct sockaddr *)(entry + 1);
  entry->ifa_name = "net0";
  write_address(world_current->process->host, 0, entry->ifa_addr, &size);
  *out = entry;
  return 0;
}

void __wrap_freeifaddrs(struct ifaddrs *list) { free(list); }
