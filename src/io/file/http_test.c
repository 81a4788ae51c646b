// Files of web servers and S3 stores, against a small server in this process that fails as it is told.
#include "io/file/http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/string.h"
#include "base/sync.h"
#include "base/test.h"
#include "io/file/atomic_file.h"
#include "io/file/file.h"
#include "io/file/s3_request.h"
#include "io/file/xml.h"

enum { MAX_REQUEST = 1 << 20, CONTENT_SIZE = 300000 };

// --- The server ---

static struct {
  int listener;
  sli_mutex_t mutex;
  int failures;  // of the next requests, by 503
  int cuts;      // of the next bodies, in the middle
  bool ignores_ranges;
  int requests;
  char last[2048];  // the head of the last request
} server = {.mutex = SLI_MUTEX_INITIALIZER};
static char content[CONTENT_SIZE];

static void reply_to(int socket, const char *request) {
  sli_mutex_lock(&server.mutex);
  server.requests++;
  snprintf(server.last, sizeof(server.last), "%s", request);
  bool fails = server.failures > 0 && server.failures--, cuts = !fails && server.cuts > 0 && server.cuts--;
  bool ignores_ranges = server.ignores_ranges;
  sli_mutex_unlock(&server.mutex);
  unsigned long begin = 0, end = CONTENT_SIZE - 1;
  const char *range = strstr(request, "Range: bytes=");
  bool part = range && !ignores_ranges && sscanf(range, "Range: bytes=%lu-%lu", &begin, &end) == 2;
  if (end >= CONTENT_SIZE) end = CONTENT_SIZE - 1;
  char head[512];
  const char *body = content + begin;
  size_t size = end - begin + 1;
  int code = part ? 206 : 200;
  if (fails || strstr(request, "/denied") || strstr(request, "/absent") || begin >= CONTENT_SIZE) {
    code = fails ? 503 : strstr(request, "/denied") ? 403 : begin >= CONTENT_SIZE ? 416 : 404;
    body = code == 403 ? "<Error><Code>AccessDenied</Code><Message>not you</Message></Error>" : "<Error></Error>";
    size = strlen(body);
  }
  snprintf(head, sizeof(head),
           "HTTP/1.1 %d X\r\nContent-Length: %zu\r\nLast-Modified: Tue, 17 Nov 2026 04:25:00 GMT\r\n\r\n", code, size);
  if (!strncmp(request, "HEAD", 4)) size = 0;
  if (send(socket, head, strlen(head), MSG_NOSIGNAL) < 0) return;
  for (size_t done = 0, all = cuts ? size / 2 : size; done < all;) {
    ssize_t count = send(socket, body + done, all - done, MSG_NOSIGNAL);
    if (count <= 0) return;
    done += (size_t)count;
  }
  if (cuts) shutdown(socket, SHUT_RDWR);
}

static void *serve_one(void *context) {
  int socket = (int)(intptr_t)context;
  char *request = sli_malloc(MAX_REQUEST);
  size_t size = 0;
  for (ssize_t got; size < MAX_REQUEST - 1 && (got = read(socket, request + size, MAX_REQUEST - 1 - size)) > 0;) {
    size += (size_t)got;
    request[size] = '\0';
    if (!strstr(request, "\r\n\r\n")) continue;
    reply_to(socket, request);
    size = 0;
  }
  free(request);
  close(socket);
  return NULL;
}

static void *serve(void *context) {
  for (;;) {
    int socket = accept(server.listener, NULL, NULL);
    if (socket < 0) return NULL;
    pthread_t thread;
    if (pthread_create(&thread, NULL, serve_one, (void *)(intptr_t)socket) == 0) pthread_detach(thread);
  }
}

// Starts it once. Returns its address.
static const char *address(void) {
  static char text[64];
  if (text[0]) return text;
  for (size_t i = 0; i < CONTENT_SIZE; i++) content[i] = (char)(i * 7 + i / 256);
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof(here);
  server.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  pthread_t thread;
  if (bind(server.listener, (struct sockaddr *)&here, size) || listen(server.listener, 16) ||
      getsockname(server.listener, (struct sockaddr *)&here, &size) || pthread_create(&thread, NULL, serve, NULL))
    abort();
  pthread_detach(thread);
  snprintf(text, sizeof(text), "127.0.0.1:%d", ntohs(here.sin_port));
  return text;
}

static void tell(int failures, int cuts, bool ignores_ranges) {
  sli_mutex_lock(&server.mutex);
  server.failures = failures;
  server.cuts = cuts;
  server.ignores_ranges = ignores_ranges;
  server.requests = 0;
  sli_mutex_unlock(&server.mutex);
}

// --- Tests ---

static void expect_content(const char *path) {
  sli_string_t bytes;
  SLI_REQUIRE_OK(sli_file_read_whole(path, SIZE_MAX, &bytes));
  SLI_EXPECT(bytes.size == CONTENT_SIZE && !memcmp(bytes.data, content, CONTENT_SIZE));
  sli_string_deinitialize(&bytes);
  sli_file_reader_t *reader;
  char part[1000];
  SLI_REQUIRE_OK(sli_file_reader_open(path, &reader));
  SLI_EXPECT_OK(sli_file_reader_read_all(reader, 123456, part, sizeof(part)));
  SLI_EXPECT(!memcmp(part, content + 123456, sizeof(part)));
  size_t got = 1;
  SLI_EXPECT_OK(sli_file_reader_read(reader, CONTENT_SIZE, part, sizeof(part), &got));
  SLI_EXPECT_INT(got, 0);
  sli_file_reader_release(reader);
}

SLI_TEST(test_a_file_of_a_web_server_is_read_although_it_fails_at_first) {
  char *path = sli_format("http://%s/dir/file", address());
  tell(0, 0, false);
  expect_content(path);
  tell(2, 0, false);
  expect_content(path);
  tell(0, 2, false);
  expect_content(path);
  tell(0, 0, true);
  expect_content(path);
  tell(0, 0, false);
  sli_file_info_t info;
  SLI_EXPECT_OK(sli_file_info(path, &info));
  SLI_EXPECT_INT(info.size, CONTENT_SIZE);
  SLI_EXPECT(info.modified_nanos == (int64_t)1794889500 * 1000000000);
  free(path);
}

SLI_TEST(test_web_files_are_read_only_and_errors_say_so) {
  char *path = sli_format("http://%s/dir/file", address()), *absent = sli_format("http://%s/absent", address());
  sli_file_writer_t *writer;
  sli_file_info_t info;
  SLI_EXPECT_STATUS(sli_file_writer_open(path, SLI_FILE_TRUNCATE, &writer), SLI_UNIMPLEMENTED);
  SLI_EXPECT_STATUS(sli_file_delete(path), SLI_UNIMPLEMENTED);
  SLI_EXPECT_STATUS(sli_file_info(absent, &info), SLI_NOT_FOUND);
  // Nobody listens there: the attempts end.
  SLI_EXPECT_STATUS(sli_file_info("http://127.0.0.1:1/file", &info), SLI_UNAVAILABLE);
  free(path);
  free(absent);
}

SLI_TEST(test_an_object_is_read_with_a_signature_and_ranges) {
  tell(1, 1, false);
  expect_content("s3://bucket/some key");
  sli_mutex_lock(&server.mutex);
  SLI_EXPECT_CONTAINS(server.last, "/bucket/some%20key HTTP");
  SLI_EXPECT_CONTAINS(server.last, "Authorization: AWS4-HMAC-SHA256 Credential=me/");
  SLI_EXPECT_CONTAINS(server.last,
                      "/eu-west-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Sig");
  sli_mutex_unlock(&server.mutex);
  // Small reads in sequence are few requests.
  tell(0, 0, false);
  sli_file_reader_t *reader;
  char byte[100];
  SLI_REQUIRE_OK(sli_file_reader_open("s3://bucket/key", &reader));
  for (size_t i = 0; i + sizeof(byte) <= CONTENT_SIZE; i += sizeof(byte)) {
    SLI_EXPECT_OK(sli_file_reader_read_all(reader, i, byte, sizeof(byte)));
    SLI_EXPECT(!memcmp(byte, content + i, sizeof(byte)));
  }
  sli_file_reader_release(reader);
  sli_mutex_lock(&server.mutex);
  SLI_EXPECT(server.requests <= 5);
  sli_mutex_unlock(&server.mutex);
}

SLI_TEST(test_errors_of_a_store_name_bucket_key_code_and_what_to_set) {
  tell(0, 0, false);
  sli_status_t *status = sli_atomic_file_write("s3://bucket/denied", sli_view("x"));
  SLI_EXPECT_INT(sli_status_code(status), SLI_PERMISSION_DENIED);
  SLI_EXPECT_CONTAINS(sli_status_message(status), "of bucket 'bucket', key 'denied.tempstate");
  SLI_EXPECT_CONTAINS(sli_status_message(status), "AWS_SECRET_ACCESS_KEY and the policy of the bucket (HTTP 403)");
  sli_status_release(status);
  sli_path_list_t names;
  status = sli_file_list("s3://denied/x", &names);
  SLI_EXPECT_CONTAINS(sli_status_message(status), "AccessDenied: not you");
  sli_status_release(status);
  SLI_EXPECT_STATUS(sli_file_list("s3:///x", &names), SLI_INVALID_ARGUMENT);
}

// The signing example of AWS's documentation of signature version 4 for S3.
SLI_TEST(test_the_signature_is_that_of_the_example_of_aws) {
  char signature[65];
  sli_s3_sign("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "20130524", "us-east-1",
              "AWS4-HMAC-SHA256\n20130524T000000Z\n20130524/us-east-1/s3/aws4_request\n"
              "7344ae5b7ee6c3e7e6b0fe0640412a37625d1fbfff95c48bbb2dc43964946972",
              signature);
  SLI_EXPECT_TEXT(signature, "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

SLI_TEST(test_texts) {
  sli_string_t text = {0};
  sli_http_append_encoded(&text, sli_view("a b/c~ü+"), true);
  SLI_EXPECT_TEXT(sli_string_text(&text), "a%20b/c~%C3%BC%2B");
  char *back = sli_http_decode(sli_view(text.data));
  SLI_EXPECT_TEXT(back, "a b/c~ü+");
  free(back);
  back = sli_http_decode(sli_view("%4%zz%"));
  SLI_EXPECT_TEXT(back, "%4%zz%");
  free(back);
  sli_string_deinitialize(&text);
  sli_view_t rest = sli_view("<A><Key>1</Key><Key>2</Key><Key>3"), key;
  SLI_EXPECT(sli_xml_next_element(&rest, "Key", &key) && sli_view_is(key, "1"));
  SLI_EXPECT(sli_xml_next_element(&rest, "Key", &key) && sli_view_is(key, "2"));
  SLI_EXPECT(!sli_xml_next_element(&rest, "Key", &key));
  SLI_EXPECT(sli_http_time(sli_view("yesterday")) == 0);
}

__attribute__((constructor)) static void set_environment(void) {
  static char endpoint[128];
  snprintf(endpoint, sizeof(endpoint), "http://%s/", address());
  setenv("AWS_ENDPOINT_URL", endpoint, 1);
  setenv("AWS_ACCESS_KEY_ID", "me", 1);
  setenv("AWS_SECRET_ACCESS_KEY", "secret", 1);
  setenv("AWS_REGION", "eu-west-1", 1);
  setenv("SLUICE_FILE_TIMEOUT", "3", 1);
}

SLI_TEST_MAIN(test_a_file_of_a_web_server_is_read_although_it_fails_at_first,
              test_web_files_are_read_only_and_errors_say_so, test_an_object_is_read_with_a_signature_and_ranges,
              test_errors_of_a_store_name_bucket_key_code_and_what_to_set,
              test_the_signature_is_that_of_the_example_of_aws, test_texts)
