#include "cli/launch/launch_link.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

enum { HEADER_SIZE = 9, MAX_FRAME = 16 << 20, FULL_OUTBOX = 1 << 20, MAX_NOISE = 1 << 16, READ_SIZE = 1 << 16 };

// Ends with the version of the frames.
static const char GREETING[] = "\nsluice-agent-frames-1\n";

static int64_t quarter(const sli_launch_link_t *link) { return (int64_t)(link->silence / 4 * 1e9); }

void sli_launch_link_open(sli_launch_link_t *link, int in, int out, double silence, bool greets) {
  *link = (sli_launch_link_t){.in = in, .out = out, .silence = silence, .greeted = greets};
  fcntl(in, F_SETFL, O_NONBLOCK);
  fcntl(out, F_SETFL, O_NONBLOCK);
  link->heard_at = link->written_at = sli_clock_now_nanos();
  if (greets) sli_string_append_text(&link->outbox, GREETING);
}

void sli_launch_link_close(sli_launch_link_t *link) {
  if (link->in >= 0) close(link->in);
  if (link->out >= 0) close(link->out);
  link->in = link->out = -1;
  link->ended = true;
  sli_string_deinitialize(&link->inbox);
  sli_string_deinitialize(&link->outbox);
  link->read = link->written = 0;
}

// --- Frames ---

static void append_number(sli_string_t *out, uint32_t number) {
  unsigned char bytes[] = {(unsigned char)number, (unsigned char)(number >> 8), (unsigned char)(number >> 16),
                           (unsigned char)(number >> 24)};
  sli_string_append(out, bytes, sizeof(bytes));
}

static uint32_t number_at(const char *data) {
  const unsigned char *bytes = (const unsigned char *)data;
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

void sli_launch_link_send(sli_launch_link_t *link, sli_launch_frame_type_t type, size_t number, const void *data,
                          size_t size) {
  if (link->ended) return;
  sli_string_append_char(&link->outbox, (char)type);
  append_number(&link->outbox, (uint32_t)number);
  append_number(&link->outbox, (uint32_t)size);
  if (size) sli_string_append(&link->outbox, data, size);
}

void sli_launch_link_send_texts(sli_launch_link_t *link, sli_launch_frame_type_t type, size_t number,
                                const char *const *texts, size_t count) {
  sli_string_t data = {0};
  for (size_t i = 0; i < count; i++) sli_string_append(&data, texts[i], strlen(texts[i]) + 1);
  sli_launch_link_send(link, type, number, data.data, data.size);
  sli_string_deinitialize(&data);
}

const char *sli_launch_frame_next_text(const sli_launch_frame_t *frame, const char *text) {
  const char *next = text ? text + strlen(text) + 1 : frame->data;
  return next < frame->data + frame->size ? next : NULL;
}

int sli_launch_frame_next_number(const sli_launch_frame_t *frame, const char **text) {
  *text = sli_launch_frame_next_text(frame, *text);
  int64_t number = 0;
  if (!*text || !sli_view_to_int64(sli_view(*text), &number)) return 0;
  return (int)number;
}

// Skips what came before the greeting.
static bool find_greeting(sli_launch_link_t *link) {
  const char *found =
      link->inbox.size ? memmem(link->inbox.data, link->inbox.size, GREETING, sizeof(GREETING) - 1) : NULL;
  if (!found && link->inbox.size > MAX_NOISE) link->ended = true;
  if (!found) return false;
  link->read = (size_t)(found - link->inbox.data) + sizeof(GREETING) - 1;
  link->greeted = true;
  return true;
}

bool sli_launch_link_next(sli_launch_link_t *link, sli_launch_frame_t *out_frame) {
  if (!link->greeted && !find_greeting(link)) return false;
  const char *header = link->inbox.data + link->read;
  size_t left = link->inbox.size - link->read;
  size_t size = left < HEADER_SIZE ? 0 : number_at(header + 5);
  if (size > MAX_FRAME) link->ended = true;
  if (left < HEADER_SIZE || link->ended || left - HEADER_SIZE < size) {
    // The rest of a frame will follow.
    if (link->read && left) memmove(link->inbox.data, header, left);
    if (link->read) link->inbox.data[left] = '\0';
    link->inbox.size = left;
    link->read = 0;
    return false;
  }
  *out_frame = (sli_launch_frame_t){.type = (sli_launch_frame_type_t)header[0],
                                    .number = number_at(header + 1),
                                    .data = header + HEADER_SIZE,
                                    .size = size};
  link->read += HEADER_SIZE + size;
  return true;
}

// --- Bytes ---

void sli_launch_link_read(sli_launch_link_t *link) {
  char buffer[READ_SIZE];
  ssize_t count = read(link->in, buffer, sizeof(buffer));
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    link->ended = true;
    return;
  }
  link->heard_at = sli_clock_now_nanos();
  sli_string_append(&link->inbox, buffer, (size_t)count);
}

bool sli_launch_link_has_output(const sli_launch_link_t *link) {
  return !link->ended && link->outbox.size > link->written;
}

bool sli_launch_link_is_full(const sli_launch_link_t *link) { return link->outbox.size - link->written > FULL_OUTBOX; }

void sli_launch_link_write(sli_launch_link_t *link) {
  ssize_t count = write(link->out, link->outbox.data + link->written, link->outbox.size - link->written);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count < 0) {
    link->ended = true;
    return;
  }
  link->written += (size_t)count;
  link->written_at = sli_clock_now_nanos();
  if (link->written < link->outbox.size) return;
  sli_string_clear(&link->outbox);
  link->written = 0;
}

int64_t sli_launch_link_keep_alive(sli_launch_link_t *link) {
  int64_t now = sli_clock_now_nanos();
  bool due = now - link->written_at >= quarter(link);
  if (due && !sli_launch_link_has_output(link)) {
    sli_launch_link_send(link, SLI_LAUNCH_FRAME_ALIVE, 0, NULL, 0);
    link->written_at = now;
  }
  return (due ? now : link->written_at) + quarter(link);
}

bool sli_launch_link_is_silent(const sli_launch_link_t *link) {
  return sli_clock_now_nanos() - link->heard_at >= 4 * quarter(link);
}
