// Keys of the rendezvous. They come as text from peers, so every part is checked.
#include "core/step/rendezvous.h"

#include "core/step/device.h"

static sli_status_t *invalid_key(sli_view_t text) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid  rendezvous key: %.*s", SLI_VIEW_ARG(text));
}

static bool parse_hex(sli_view_t view, uint64_t *out_value) {
  if (view.size == 0 || view.size > 16) return false;
  uint64_t value = 0;
  for (size_t i = 0; i < view.size; i++) {
    char c = view.data[i];
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
    if (digit < 0) return false;
    value = value << 4 | (uint64_t)digit;
  }
  *out_value = value;
  return true;
}

// TensorFlow prints frames unsigned and iterations signed; both forms are accepted.
static bool parse_decimal(sli_view_t view, uint64_t *out_value) {
  int64_t negative;
  if (view.size && view.data[0] == '-' && sli_view_to_int64(view, &negative)) {
    *out_value = (uint64_t)negative;
    return true;
  }
  uint64_t value = 0;
  for (size_t i = 0; i < view.size; i++) {
    unsigned digit = (unsigned)(view.data[i] - '0');
    if (digit > 9 || __builtin_mul_overflow(value, UINT64_C(10), &value) ||
        __builtin_add_overflow(value, digit, &value))
      return false;
  }
  *out_value = value;
  return view.size > 0;
}

sli_status_t *sli_rendezvous_key_parse(sli_view_t text, sli_rendezvous_key_t *out_key) {
  *out_key = (sli_rendezvous_key_t){.text = text};
  sli_view_t incarnation, position, frame, iteration, extra, rest = text;
  sli_device_name_t name;
  bool ok = sli_view_split(rest, ';', &out_key->source_device, &rest) &&
            sli_view_split(rest, ';', &incarnation, &rest) &&
            sli_view_split(rest, ';', &out_key->destination_device, &rest) &&
            sli_view_split(rest, ';', &out_key->edge_name, &rest) && !sli_view_split(rest, ';', &position, &extra) &&
            sli_view_split(position, ':', &frame, &iteration);
  if (!ok || !out_key->edge_name.size || !parse_hex(incarnation, &out_key->source_incarnation) ||
      !parse_decimal(frame, &out_key->frame) || !parse_decimal(iteration, &out_key->iteration) ||
      !sli_device_name_parse(out_key->source_device, &name) ||
      !sli_device_name_parse(out_key->destination_device, &name))
    return invalid_key(text);
  return NULL;
}

void sli_rendezvous_key_append(sli_string_t *string, const char *source_device, uint64_t source_incarnation,
                               const char *destination_device, const char *edge_name, uint64_t frame,
                               uint64_t iteration) {
  sli_string_append_format(string, "%s;%016llx;%s;%s;%llu:%lld", source_device, (unsigned long long)source_incarnation,
                           destination_device, edge_name, (unsigned long long)frame, (long long)iteration);
}
