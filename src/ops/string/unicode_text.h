// Decoding and encoding of Unicode text, one code point at a time. UTF-8, UTF-16, UTF-32, ASCII and Latin-1 are decoded
// here, with the errors that ICU finds, which TensorFlow uses; other encodings by the C library's iconv.
#ifndef SLI_OPS_STRING_UNICODE_TEXT_H_
#define SLI_OPS_STRING_UNICODE_TEXT_H_

#include "base/status.h"
#include "base/string.h"

typedef struct sli_unicode_decoder sli_unicode_decoder_t;

// INVALID_ARGUMENT "Could not create converter for input encoding: X".
sli_status_t *sli_unicode_decoder_create(sli_view_t encoding, sli_unicode_decoder_t **out_decoder);
void sli_unicode_decoder_destroy(sli_unicode_decoder_t *decoder);
// Starts with the text |text|, which must stay until the next call. Not thread-safe.
void sli_unicode_decoder_start(sli_unicode_decoder_t *decoder, sli_view_t text);
// The next character: its code point (U+FFFD if malformed) and its bytes. Returns false at the end.
typedef struct {
  int32_t code;
  size_t begin, size;
  bool is_malformed;
} sli_unicode_character_t;
bool sli_unicode_decoder_next(sli_unicode_decoder_t *decoder, sli_unicode_character_t *out_character);

typedef enum { SLI_UNICODE_UTF8, SLI_UNICODE_UTF16_BE, SLI_UNICODE_UTF32_BE } sli_unicode_form_t;
// Appends |code|, from 0 to 0x10FFFF. In UTF-8 a surrogate becomes U+FFFD.
void sli_unicode_append(sli_string_t *text, sli_unicode_form_t form, int32_t code);

// The number of the script of |code|, as ICU numbers them; -1 if it is not a code point.
int32_t sli_unicode_script(int32_t code);

#endif  // SLI_OPS_STRING_UNICODE_TEXT_H_
