#include "ops/string/unicode_text.h"

#include <ctype.h>
#include <errno.h>
#include <iconv.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"

// Reads a character at |text|, which has |size| > 0 bytes, into |*out_code| (-1: malformed). Returns its size.
typedef size_t (*read_fn_t)(const unsigned char *text, size_t size, int32_t *out_code);

struct sli_unicode_decoder {
  read_fn_t read;  // NULL: by |converter|
  bool has_mark;   // a byte order mark at the start decides between |read| and |swapped|
  read_fn_t swapped;
  size_t mark_size;
  iconv_t converter;
  bool is_shift_jis;
  bool keeps_controls;  // a byte of [0x80, 0x9f] without a character is a control character, as in Windows' code pages
  // The current text.
  sli_view_t text;
  size_t at;
  read_fn_t current;
};

enum { REPLACEMENT = 0xfffd, LAST = 0x10ffff, NOTHING = 0xffff };

// A malformed sequence ends before the first byte that cannot continue it.
static size_t read_utf8(const unsigned char *text, size_t size, int32_t *out_code) {
  unsigned char lead = text[0];
  *out_code = -1;
  if (lead < 0x80) {
    *out_code = lead;
    return 1;
  }
  size_t length = lead >= 0xc2 && lead <= 0xdf   ? 2
                  : lead >= 0xe0 && lead <= 0xef ? 3
                  : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                 : 1;
  if (length == 1) return 1;
  int32_t code = lead & (0x7f >> length);
  for (size_t i = 1; i < length; i++) {
    unsigned char low = 0x80, high = 0xbf;
    if (i == 1 && lead == 0xe0) low = 0xa0;
    if (i == 1 && lead == 0xed) high = 0x9f;
    if (i == 1 && lead == 0xf0) low = 0x90;
    if (i == 1 && lead == 0xf4) high = 0x8f;
    if (i >= size || text[i] < low || text[i] > high) return i;
    code = code << 6 | (text[i] & 0x3f);
  }
  *out_code = code;
  return length;
}

static size_t read_utf16(const unsigned char *text, size_t size, bool is_big, int32_t *out_code) {
  *out_code = -1;
  if (size < 2) return size;
  int32_t unit = is_big ? text[0] << 8 | text[1] : text[1] << 8 | text[0];
  if (unit < 0xd800 || unit > 0xdfff) {
    *out_code = unit;
    return 2;
  }
  if (unit >= 0xdc00) return 2;
  if (size < 4) return size;
  int32_t second = is_big ? text[2] << 8 | text[3] : text[3] << 8 | text[2];
  if (second < 0xdc00 || second > 0xdfff) return 2;
  *out_code = 0x10000 + ((unit - 0xd800) << 10) + (second - 0xdc00);
  return 4;
}

static size_t read_utf16_be(const unsigned char *text, size_t size, int32_t *out_code) {
  return read_utf16(text, size, true, out_code);
}
static size_t read_utf16_le(const unsigned char *text, size_t size, int32_t *out_code) {
  return read_utf16(text, size, false, out_code);
}

static size_t read_utf32(const unsigned char *text, size_t size, bool is_big, int32_t *out_code) {
  *out_code = -1;
  if (size < 4) return size;
  uint32_t code = 0;
  for (int i = 0; i < 4; i++) code = code << 8 | text[is_big ? i : 3 - i];
  if (code <= LAST && (code < 0xd800 || code > 0xdfff)) *out_code = (int32_t)code;
  return 4;
}

static size_t read_utf32_be(const unsigned char *text, size_t size, int32_t *out_code) {
  return read_utf32(text, size, true, out_code);
}
static size_t read_utf32_le(const unsigned char *text, size_t size, int32_t *out_code) {
  return read_utf32(text, size, false, out_code);
}

static size_t read_ascii(const unsigned char *text, size_t size, int32_t *out_code) {
  *out_code = text[0] < 0x80 ? text[0] : -1;
  return 1;
}

static size_t read_latin1(const unsigned char *text, size_t size, int32_t *out_code) {
  *out_code = text[0];
  return 1;
}

// By name, without case and punctuation.
static const struct {
  const char *name;
  read_fn_t read, swapped;  // swapped: the text may begin with a mark
  size_t mark_size;
} encodings[] = {
    {"utf8", read_utf8, NULL, 0},
    {"utf16be", read_utf16_be, NULL, 0},
    {"utf16le", read_utf16_le, NULL, 0},
    {"utf16", read_utf16_be, read_utf16_le, 2},
    {"utf32be", read_utf32_be, NULL, 0},
    {"utf32le", read_utf32_le, NULL, 0},
    {"utf32", read_utf32_be, read_utf32_le, 4},
    {"usascii", read_ascii, NULL, 0},
    {"ascii", read_ascii, NULL, 0},
    {"iso88591", read_latin1, NULL, 0},
    {"latin1", read_latin1, NULL, 0},
};

sli_status_t *sli_unicode_decoder_create(sli_view_t encoding, sli_unicode_decoder_t **out_decoder) {
  *out_decoder = NULL;
  char name[64] = "", plain[64] = "";
  size_t length = 0;
  if (encoding.size > 0 && encoding.size < sizeof(name)) memcpy(name, encoding.data, encoding.size);
  for (const char *c = name; *c; c++)
    if (isalnum((unsigned char)*c)) plain[length++] = (char)tolower((unsigned char)*c);
  sli_unicode_decoder_t made = {.converter = (iconv_t)-1};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(encodings); i++) {
    if (strcmp(encodings[i].name, plain) != 0) continue;
    made.read = encodings[i].read;
    made.swapped = encodings[i].swapped;
    made.mark_size = encodings[i].mark_size;
    made.has_mark = made.swapped != NULL;
  }
  // ICU takes "euc_kr" for "EUC-KR". A suffix such as //TRANSLIT is not part of a name.
  if (!strncmp(plain, "euc", 3) || !strncmp(plain, "iso", 3))
    for (char *c = name; *c; c++) *c = *c == '_' ? '-' : *c;
  // ICU's is that of Windows.
  made.is_shift_jis = !strcmp(plain, "shiftjis") || !strcmp(plain, "sjis") || !strcmp(plain, "mskanji");
  if (made.is_shift_jis) snprintf(name, sizeof(name), "CP932");
  made.keeps_controls = !strncmp(plain, "windows125", 10) || !strncmp(plain, "cp125", 5);
  if (!made.read && length && !strchr(name, '/')) made.converter = iconv_open("UTF-32BE", name);
  if (!made.read && made.converter == (iconv_t)-1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Could not create converter for input encoding: %.*s",
                           SLI_VIEW_ARG(encoding));
  *out_decoder = sli_memdup(&made, sizeof(made));
  return NULL;
}

void sli_unicode_decoder_destroy(sli_unicode_decoder_t *decoder) {
  if (decoder && decoder->converter != (iconv_t)-1) iconv_close(decoder->converter);
  free(decoder);
}

void sli_unicode_decoder_start(sli_unicode_decoder_t *decoder, sli_view_t text) {
  decoder->text = text;
  decoder->at = 0;
  decoder->current = decoder->read;
  if (!decoder->read) iconv(decoder->converter, NULL, NULL, NULL, NULL);
}

// What ICU makes of some single bytes of Shift_JIS, as IBM's terminals had them; -1: malformed; 0: nothing special.
static int32_t special_shift_jis(unsigned char byte) {
  switch (byte) {
    case 0x1a: return 0x1c;
    case 0x1c: return 0x7f;
    case 0x7f: return 0x1a;
    default: return byte == 0x80 || byte == 0xa0 || byte >= 0xfd ? -1 : 0;
  }
}

// Reads one character by iconv. A byte that it cannot read is malformed by itself.
static void convert(sli_unicode_decoder_t *decoder, sli_unicode_character_t *out_character) {
  unsigned char code[4];
  char *in = (char *)decoder->text.data + decoder->at, *out = (char *)code;
  const char *begin = in;
  int32_t special = decoder->is_shift_jis ? special_shift_jis((unsigned char)*begin) : 0;
  if (special) {
    out_character->code = special < 0 ? REPLACEMENT : special;
    out_character->is_malformed = special < 0;
    out_character->size = 1;
    return;
  }
  size_t in_left = decoder->text.size - decoder->at, out_left = sizeof(code);
  size_t result = iconv(decoder->converter, &in, &in_left, &out, &out_left);
  int error = errno;
  if (out_left == 0) {
    out_character->code =
        (int32_t)((uint32_t)code[0] << 24 | (uint32_t)code[1] << 16 | (uint32_t)code[2] << 8 | code[3]);
    out_character->size = (size_t)(in - begin);
    if (out_character->size) return;
  }
  unsigned char byte = (unsigned char)*begin;
  if (decoder->keeps_controls && byte >= 0x80 && byte < 0xa0) {
    out_character->code = byte;
    out_character->size = 1;
    return;
  }
  out_character->code = REPLACEMENT;
  out_character->is_malformed = true;
  // A sequence that the text cuts off is one character; so is a shift to another character set that nothing follows.
  bool is_cut = result != (size_t)-1 || error == EINVAL;
  out_character->size = is_cut ? decoder->text.size - decoder->at : (size_t)(in - begin) + 1;
}

static void read_mark(sli_unicode_decoder_t *decoder, size_t *out_size) {
  int32_t code;
  const unsigned char *bytes = (const unsigned char *)decoder->text.data;
  *out_size = 0;
  if (decoder->text.size < decoder->mark_size) return;
  decoder->read(bytes, decoder->mark_size, &code);
  if (code == 0xfeff) *out_size = decoder->mark_size;
  decoder->swapped(bytes, decoder->mark_size, &code);
  if (code != 0xfeff) return;
  *out_size = decoder->mark_size;
  decoder->current = decoder->swapped;
}

bool sli_unicode_decoder_next(sli_unicode_decoder_t *decoder, sli_unicode_character_t *out_character) {
  if (decoder->at >= decoder->text.size) return false;
  *out_character = (sli_unicode_character_t){.begin = decoder->at};
  size_t mark = 0;
  if (!decoder->current) {
    convert(decoder, out_character);
    decoder->at += out_character->size;
    return true;
  }
  if (decoder->has_mark && decoder->at == 0) read_mark(decoder, &mark);
  size_t left = decoder->text.size - decoder->at - mark;
  if (left == 0) {  // ICU gives this for a text that is a mark only
    out_character->code = NOTHING;
    out_character->size = mark;
  } else {
    int32_t code;
    size_t size = decoder->current((const unsigned char *)decoder->text.data + decoder->at + mark, left, &code);
    out_character->size = mark + size;
    out_character->is_malformed = code < 0;
    out_character->code = code < 0 ? REPLACEMENT : code;
  }
  decoder->at += out_character->size;
  return true;
}

static void append_bytes(sli_string_t *text, uint32_t value, int size) {
  for (int i = size - 1; i >= 0; i--) sli_string_append_char(text, (char)(value >> 8 * i));
}

static void append_utf8(sli_string_t *text, uint32_t code) {
  if (code < 0x80) {
    sli_string_append_char(text, (char)code);
    return;
  }
  static const unsigned char leads[] = {0, 0xc0, 0xe0, 0xf0};
  int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  sli_string_append_char(text, (char)(leads[more] | code >> 6 * more));
  while (more-- > 0) sli_string_append_char(text, (char)(0x80 | (code >> 6 * more & 0x3f)));
}

void sli_unicode_append(sli_string_t *text, sli_unicode_form_t form, int32_t code) {
  bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if (is_surrogate && form == SLI_UNICODE_UTF8) code = REPLACEMENT;
  if (form == SLI_UNICODE_UTF8) {
    append_utf8(text, (uint32_t)code);
  } else if (form == SLI_UNICODE_UTF32_BE) {
    append_bytes(text, (uint32_t)code, 4);
  } else if (code < 0x10000) {
    append_bytes(text, (uint32_t)code, 2);
  } else {
    append_bytes(text, 0xd800 + (uint32_t)((code - 0x10000) >> 10), 2);
    append_bytes(text, 0xdc00 + (uint32_t)((code - 0x10000) & 0x3ff), 2);
  }
}

static const struct {
  uint32_t first : 24, script : 8;
} scripts[] = {
#include "ops/string/unicode_scripts.inc"
};

int32_t sli_unicode_script(int32_t code) {
  if (code < 0 || code > LAST) return -1;
  size_t low = 0, high = SLI_ARRAY_COUNT_OF(scripts);
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    if ((int32_t)scripts[middle].first <= code)
      low = middle;
    else
      high = middle;
  }
  return scripts[low].script;
}
