// The parts below the connection: header texts, message assembly, output, memory.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/test.h"
#include "rpc/grpc_internal.h"
#include "rpc/inbox_internal.h"
#include "rpc/message.h"
#include "rpc/output_internal.h"
#include "rpc/socket_internal.h"

SLI_TEST(test_timeout_formats_the_finest_unit_that_fits) {
  static const struct {
    int64_t nanos;
    const char *text;
  } cases[] = {
      {0, "0n"},
      {-5, "0n"},
      {99999999, "99999999n"},
      {100000000, "100000u"},
      {400000000, "400000u"},
      {INT64_C(100000000001), "100001m"},
      {INT64_C(99999999) * 1000000000 + 1, "1666667M"},
      {INT64_MAX, "2562048H"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    char text[16];
    sli_rpc_timeout_format(cases[i].nanos, text);
    SLI_EXPECT_TEXT(text, cases[i].text);
  }
}

SLI_TEST(test_timeout_parses_units_and_rejects_the_rest) {
  int64_t nanos = 0;
  SLI_EXPECT(sli_rpc_timeout_parse(sli_view("400m"), &nanos) && nanos == 400000000);
  SLI_EXPECT(sli_rpc_timeout_parse(sli_view("7S"), &nanos) && nanos == INT64_C(7000000000));
  SLI_EXPECT(sli_rpc_timeout_parse(sli_view("99999999H"), &nanos) && nanos == INT64_MAX);
  static const char *const wrong[] = {"", "m", "5", "-5m", "123456789m", "5x", "5 m", "0x5m"};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
    SLI_EXPECT(!sli_rpc_timeout_parse(sli_view(wrong[i]), &nanos));
}

SLI_TEST(test_percent_encoding_round_trips) {
  const char *text = "100% größer\n\t [[{{node a/b}}]] \x01~\x7f";
  sli_string_t encoded = {0}, decoded = {0};
  sli_rpc_percent_encode(text, 1000, &encoded);
  SLI_EXPECT_TEXT(encoded.data, "100%25 gr%C3%B6%C3%9Fer%0A%09 [[{{node a/b}}]] %01~%7F");
  sli_rpc_percent_decode(sli_view(encoded.data), &decoded);
  SLI_EXPECT_TEXT(decoded.data, text);
  sli_string_clear(&decoded);
  sli_rpc_percent_decode(sli_view("50% off %zz %4 %00."), &decoded);
  SLI_EXPECT_TEXT(decoded.data, "50% off %zz %4 ?.");
  sli_string_deinitialize(&encoded);
  sli_string_deinitialize(&decoded);
}

SLI_TEST(test_percent_encoding_hides_outer_blanks) {
  sli_string_t encoded = {0};
  sli_rpc_percent_encode(" a b ", 100, &encoded);
  SLI_EXPECT_TEXT(encoded.data, "%20a b%20");
  sli_string_deinitialize(&encoded);
}

SLI_TEST(test_percent_encoding_cuts_between_characters) {
  sli_string_t encoded = {0};
  sli_rpc_percent_encode("ab\xc3\xb6\xc3\xb6", 11, &encoded);
  SLI_EXPECT_TEXT(encoded.data, "ab%C3%B6...");
  sli_string_clear(&encoded);
  sli_rpc_percent_encode("ab\xc3\xb6\xc3\xb6", 10, &encoded);
  SLI_EXPECT_TEXT(encoded.data, "ab...");
  sli_string_clear(&encoded);
  sli_rpc_percent_encode("0123456789", 10, &encoded);
  SLI_EXPECT_TEXT(encoded.data, "0123456789");
  sli_string_deinitialize(&encoded);
}

SLI_TEST(test_target_parses_hosts_and_numbers) {
  char *host;
  int port;
  SLI_REQUIRE_OK(sli_rpc_target_parse("ps0.example.com:2222", &host, &port));
  SLI_EXPECT_TEXT(host, "ps0.example.com");
  SLI_EXPECT_INT(port, 2222);
  free(host);
  SLI_REQUIRE_OK(sli_rpc_target_parse("[::1]:80", &host, &port));
  SLI_EXPECT_TEXT(host, "::1");
  free(host);
  static const char *const wrong[] = {"",       ":",      "host",       "host:",   ":80",
                                      "::1:80", "host:0", "host:65536", "host:8x", "[]:80"};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
    SLI_EXPECT_STATUS(sli_rpc_target_parse(wrong[i], &host, &port), SLI_INVALID_ARGUMENT);
}

// Feeds the bytes in pieces of |step| and expects |wanted| at the end.
static void feed_in_steps(const char *bytes, size_t size, size_t step, const char *wanted, size_t wanted_size) {
  sli_rpc_inbox_t inbox = {0};
  size_t at = 0;
  while (at < size) {
    size_t part = size - at < step ? size - at : step, used;
    SLI_REQUIRE_OK(sli_rpc_inbox_feed(&inbox, bytes + at, part, &used));
    at += used;
    if (inbox.state == SLI_RPC_INBOX_SIZED) {
      size_t head_size;
      part = size - at < step ? size - at : step;
      const char *head = sli_rpc_inbox_head(&inbox, bytes + at, part, &head_size);
      if (!head) {
        at += part;
        continue;
      }
      SLI_EXPECT(memcmp(head, wanted, head_size) == 0);
      sli_rpc_message_t message;
      SLI_REQUIRE_OK(sli_rpc_message_allocate(inbox.size, &message));
      sli_rpc_inbox_place(&inbox, &message);
    }
  }
  SLI_EXPECT_INT(inbox.state, SLI_RPC_INBOX_COMPLETE);
  sli_rpc_message_t message = sli_rpc_inbox_take(&inbox);
  SLI_EXPECT_INT(message.size, wanted_size);
  SLI_EXPECT(memcmp(message.data, wanted, wanted_size) == 0);
  sli_rpc_message_release(&message);
  sli_rpc_inbox_deinitialize(&inbox);
}

SLI_TEST(test_inbox_assembles_any_fragmentation) {
  char bytes[1005] = {0, 0, 0, 1000 >> 8, 1000 & 0xff};
  for (int i = 0; i < 1000; i++) bytes[5 + i] = (char)(i * 7);
  for (size_t step = 1; step <= sizeof(bytes); step += step < 10 ? 1 : 99)
    feed_in_steps(bytes, sizeof(bytes), step, bytes + 5, 1000);
}

SLI_TEST(test_inbox_refuses_compressed_and_second_messages) {
  sli_rpc_inbox_t inbox = {0};
  size_t used;
  SLI_EXPECT_STATUS(sli_rpc_inbox_feed(&inbox, "\1\0\0\0\1x", 6, &used), SLI_UNIMPLEMENTED);
  inbox = (sli_rpc_inbox_t){0};
  SLI_EXPECT_OK(sli_rpc_inbox_feed(&inbox, "\0\0\0\0\0", 5, &used));
  sli_rpc_message_t message = {0};
  sli_rpc_inbox_place(&inbox, &message);
  SLI_EXPECT_STATUS(sli_rpc_inbox_feed(&inbox, "\0", 1, &used), SLI_INTERNAL);
  sli_rpc_inbox_deinitialize(&inbox);
}

static void count_release(void *context) { ++*(int *)context; }

SLI_TEST(test_output_keeps_order_and_releases_after_the_last_byte) {
  char large[5000];
  for (size_t i = 0; i < sizeof(large); i++) large[i] = (char)(i * 3);
  int released = 0;
  sli_slices_t slices = {0};
  sli_slices_append(&slices, "head", 4, NULL, NULL);
  sli_slices_append(&slices, large, sizeof(large), count_release, &released);
  sli_rpc_outgoing_t *outgoing = sli_rpc_outgoing_create(&slices), *dead = NULL;
  sli_rpc_output_t output = {0};
  sli_rpc_output_append(&output, "frame", 5);
  sli_rpc_output_append_message(&output, outgoing, 3);  // splits the prefix
  sli_rpc_output_append(&output, "FRAME", 5);
  sli_rpc_output_append_message(&output, outgoing, outgoing->left);
  sli_rpc_outgoing_release(outgoing, &dead);
  SLI_EXPECT(!dead);
  sli_string_t sent = {0};
  while (output.size > 0) {  // a socket that takes odd amounts
    struct iovec parts[8];
    SLI_EXPECT(sli_rpc_output_parts(&output, parts, 8) > 0);
    size_t size = parts[0].iov_len < 777 ? parts[0].iov_len : 777;
    sli_string_append(&sent, parts[0].iov_base, size);
    sli_rpc_output_advance(&output, size, &dead);
  }
  SLI_EXPECT(dead == outgoing);
  SLI_EXPECT_INT(released, 0);
  sli_rpc_outgoing_free(dead);
  SLI_EXPECT_INT(released, 1);
  static const char wanted[] = "frame\0\0\0FRAME\x13\x8chead";
  SLI_EXPECT_INT(sent.size, sizeof(wanted) - 1 + sizeof(large));
  SLI_EXPECT(memcmp(sent.data, wanted, sizeof(wanted) - 1) == 0);
  SLI_EXPECT(memcmp(sent.data + sizeof(wanted) - 1, large, sizeof(large)) == 0);
  sli_string_deinitialize(&sent);
  dead = NULL;
  sli_rpc_output_deinitialize(&output, &dead);
}

SLI_TEST(test_message_memory_is_aligned_and_large_blocks_return_warm) {
  static const size_t sizes[] = {0, 1, 63, 64, 65536, 100000, 5 << 20, 64 << 20, (64 << 20) + 2};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    sli_rpc_message_t message;
    SLI_REQUIRE_OK(sli_rpc_message_allocate(sizes[i], &message));
    SLI_EXPECT_INT((uintptr_t)message.data % 64, 0);
    if (sizes[i]) message.data[0] = message.data[sizes[i] - 1] = 1;
    char *data = message.data;
    sli_rpc_message_release(&message);
    SLI_EXPECT(!message.data);
    if (sizes[i] < 65536) continue;
    SLI_REQUIRE_OK(sli_rpc_message_allocate(sizes[i] - 1, &message));
    if (i > 4) SLI_EXPECT(message.data == data);
    sli_rpc_message_release(&message);
  }
  sli_rpc_message_t message;
  SLI_EXPECT_STATUS(sli_rpc_message_allocate(SIZE_MAX, &message), SLI_RESOURCE_EXHAUSTED);
}

SLI_TEST(test_huge_messages_take_the_tightest_kept_block) {
  // Only the first and the last page are touched.
  static const size_t sizes[] = {(size_t)70 << 20, (size_t)100 << 20};
  char *data[2];
  sli_rpc_message_t messages[2], message;
  for (int i = 0; i < 2; i++) {
    SLI_REQUIRE_OK(sli_rpc_message_allocate(sizes[i], &messages[i]));
    data[i] = messages[i].data;
    SLI_EXPECT_INT((uintptr_t)data[i] % 64, 0);
    SLI_EXPECT_INT(messages[i].size, sizes[i]);
    data[i][0] = data[i][sizes[i] - 1] = 1;
  }
  for (int i = 0; i < 2; i++) sli_rpc_message_release(&messages[i]);
  for (int i = 1; i >= 0; i--) {
    SLI_REQUIRE_OK(sli_rpc_message_allocate(sizes[i] - 1000, &message));
    SLI_EXPECT(message.data == data[i]);
    message.data[message.size - 1] = 1;
    sli_rpc_message_release(&message);
  }
  // A message that would waste most of a kept block, or fits none, gets a new one.
  SLI_REQUIRE_OK(sli_rpc_message_allocate((size_t)300 << 20, &message));
  SLI_EXPECT(message.data != data[0] && message.data != data[1]);
  char *own = message.data;
  sli_rpc_message_release(&message);
  for (int i = 0; i < 2; i++) SLI_REQUIRE_OK(sli_rpc_message_allocate(sizes[i], &messages[i]));
  SLI_REQUIRE_OK(sli_rpc_message_allocate(sizes[0], &message));
  SLI_EXPECT(message.data != own);
  sli_rpc_message_release(&message);
  for (int i = 0; i < 2; i++) sli_rpc_message_release(&messages[i]);
}

SLI_TEST(test_trimmed_messages_return_the_kept_blocks) {
  static const size_t sizes[] = {100000, 5 << 20, (size_t)70 << 20};
  char *data[3];
  sli_rpc_message_t messages[3];
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < 3; i++) {
      SLI_REQUIRE_OK(sli_rpc_message_allocate(sizes[i], &messages[i]));
      data[i] = messages[i].data;
      data[i][0] = data[i][sizes[i] - 1] = 1;
    }
    for (int i = 0; i < 3; i++) sli_rpc_message_release(&messages[i]);
    unsigned char pages;
    char *page = data[2] - 64;  // the block's first
    SLI_EXPECT_INT(mincore(page, 1, &pages), 0);
    sli_rpc_message_trim();
    SLI_EXPECT(mincore(page, 1, &pages) < 0 && errno == ENOMEM);  // not mapped any more
    sli_rpc_message_trim();
  }
}

static void await(int fd, short events) {
  struct pollfd poll_fd = {.fd = fd, .events = events};
  SLI_REQUIRE(poll(&poll_fd, 1, 60000) == 1);
}

SLI_TEST(test_tasks_of_one_host_do_not_pace_each_other) {
  int listener = -1, port = 0, ends[2] = {-1, -1};
  SLI_REQUIRE_OK(sli_rpc_socket_listen(NULL, 0, &listener, &port));
  // Debian calls a host 127.0.1.1 by its own name: not the address that the other end has.
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  SLI_REQUIRE(inet_pton(AF_INET, "127.0.1.1", &address.sin_addr) == 1);
  int error = sli_rpc_socket_connect((struct sockaddr *)&address, sizeof(address), &ends[0]);
  SLI_REQUIRE(error == 0 || error == EINPROGRESS);
  await(ends[0], POLLOUT);
  SLI_EXPECT(sli_rpc_socket_finish_connect(ends[0]) == 0);
  await(listener, POLLIN);
  char peer[SLI_RPC_PEER_SIZE];
  ends[1] = sli_rpc_socket_accept(listener, peer);
  SLI_REQUIRE(ends[1] >= 0);
  SLI_EXPECT(strncmp(peer, "ipv4:127.0.0.1:", 15) == 0);
  for (int i = 0; i < 2; i++) {
    char control[16] = "";
    socklen_t size = sizeof(control);
    SLI_EXPECT(getsockopt(ends[i], IPPROTO_TCP, TCP_CONGESTION, control, &size) == 0);
    SLI_EXPECT_TEXT(control, "reno");
    close(ends[i]);
  }
  close(listener);
}

SLI_TEST_MAIN(test_timeout_formats_the_finest_unit_that_fits, test_timeout_parses_units_and_rejects_the_rest,
              test_percent_encoding_round_trips, test_percent_encoding_hides_outer_blanks,
              test_percent_encoding_cuts_between_characters, test_target_parses_hosts_and_numbers,
              test_inbox_assembles_any_fragmentation, test_inbox_refuses_compressed_and_second_messages,
              test_output_keeps_order_and_releases_after_the_last_byte,
              test_message_memory_is_aligned_and_large_blocks_return_warm,
              test_huge_messages_take_the_tightest_kept_block, test_trimmed_messages_return_the_kept_blocks,
              test_tasks_of_one_host_do_not_pace_each_other)
