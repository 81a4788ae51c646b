// Notes about messages in shared memory, which may be forged. The first byte selects a note (its fields are those of a
// true one, changed by the input) or a file that claims to be an arena. What a note gives must be readable.
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rpc/loan_internal.h"
#include "tests/fuzz/fuzz.h"

enum { MESSAGE_SIZE = 48 << 10, MAX_SIZE = 1 << 20 };

static sli_lend_borrower_t *borrower;
static sli_lend_mapping_t *own;

static void start(void) {
  SLI_CHECK(sli_lend_start());
  own = sli_lend_mapping_create(sli_lend_file());
  borrower = sli_lend_borrower_create((int)getpid());
  SLI_CHECK(own && borrower);
}

static sli_lend_note_t lend(void) {
  sli_slices_t slices = {0};
  sli_lend_note_t note;
  static char message[MESSAGE_SIZE];
  sli_slices_append(&slices, message, sizeof(message), NULL, NULL);
  SLI_CHECK(sli_rpc_lend(borrower, &slices, &note));
  return note;
}

static void take(sli_lend_mapping_t *memory, const sli_lend_note_t *note) {
  sli_rpc_message_t message;
  sli_status_t *status = sli_rpc_borrow(memory, note, MAX_SIZE, &message);
  if (!status) {
    volatile char sum = 0;
    for (size_t i = 0; i < message.size; i++) sum = (char)(sum + message.data[i]);
    sli_rpc_message_release(&message);
  }
  fuzz_ignore(status);
}

static void change_note(const uint8_t *data, size_t size) {
  sli_lend_note_t note = lend(), forged = note;
  if (size > sizeof(forged)) size = sizeof(forged);
  for (size_t i = 0; i < size; i++) ((uint8_t *)&forged)[i] ^= data[i];
  take(own, &forged);
  take(own, &note);  // a second time, if nothing was changed
  sli_lend_note_withdraw(&note);
}

// A file of the input's words, which tell the state of loans, and of its bytes.
static void map_file(const uint8_t *data, size_t size) {
  enum { WORDS_SIZE = 32 << 10 };
  sli_lend_note_t note = {0};
  sli_view_t part = fuzz_part(&data, &size), words = fuzz_part(&data, &size);
  if (part.size) memcpy(&note, part.data, part.size < sizeof(note) ? part.size : sizeof(note));
  int fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  SLI_CHECK(fd >= 0 && pwrite(fd, words.data, words.size, 0) == (ssize_t)words.size &&
            pwrite(fd, data, size, WORDS_SIZE) == (ssize_t)size && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
  sli_lend_mapping_t *memory = sli_lend_mapping_create(fd);
  close(fd);
  if (memory) take(memory, &note);
  sli_lend_mapping_release(memory);
}

void fuzz_one(const uint8_t *data, size_t size) {
  if (!own) start();
  if (size < 1) return;
  if (data[0] & 1)
    map_file(data + 1, size - 1);
  else
    change_note(data + 1, size - 1);
}
