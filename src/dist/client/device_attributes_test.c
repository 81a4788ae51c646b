#include "dist/client/device_attributes.h"

#include "base/test.h"

static const char device_name[] = "/job:ps/replica:0/task:3/device:CPU:0";

SLI_TEST(test_devices_survive_the_wire) {
  sli_device_set_t set = {0}, read = {0};
  sli_device_set_add(&set, device_name, "CPU", 0xfedcba9876543210, 1 << 28, NULL);
  sli_string_t bytes = {0};
  sli_device_attributes_encode(&set.devices.items[0], &bytes);
  SLI_EXPECT_OK(sli_device_attributes_decode(sli_view_of(bytes.data, bytes.size), &read));
  SLI_EXPECT_INT(read.devices.count, 1);
  SLI_EXPECT_TEXT(read.devices.items[0].name, device_name);
  SLI_EXPECT_TEXT(read.devices.items[0].type, "CPU");
  SLI_EXPECT(read.devices.items[0].incarnation == 0xfedcba9876543210);
  SLI_EXPECT_INT(read.devices.items[0].memory_limit, 1 << 28);
  SLI_EXPECT_STATUS(sli_device_attributes_decode(sli_view("\x0a\x03 no"), &read), SLI_INVALID_ARGUMENT);
  sli_string_deinitialize(&bytes);
  sli_device_set_deinitialize(&set);
  sli_device_set_deinitialize(&read);
}

SLI_TEST(test_devices_are_copied_into_a_status) {
  sli_device_set_t set = {0};
  sli_device_set_add(&set, device_name, "CPU", 7, 5, NULL);
  sli_device_set_add(&set, "/job:ps/replica:0/task:3/device:CPU:1", "CPU", 8, 6, NULL);
  sli_arena_t arena = {0};
  Sluice__StatusResponse status = SLUICE__STATUS_RESPONSE__INIT;
  sli_device_attributes_fill_status(&set, &arena, &status);
  sli_device_set_deinitialize(&set);
  SLI_EXPECT_INT(status.n_device, 2);
  SLI_EXPECT_TEXT(status.device[0]->name, device_name);
  SLI_EXPECT_TEXT(status.device[0]->type, "CPU");
  SLI_EXPECT(status.device[1]->incarnation == 8 && status.device[1]->memory_limit == 6);
  sli_arena_deinitialize(&arena);
}

SLI_TEST_MAIN(test_devices_survive_the_wire, test_devices_are_copied_into_a_status)
