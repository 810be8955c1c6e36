import { expect, test } from "bun:test";
import { formatSettingValue, toSettingLabel } from "./describe-setting.ts";

test("A setting has a name that people read, without its unit", () => {
  expect(toSettingLabel("HUB_AUDIT_RETENTION_DAYS")).toBe("Audit retention");
  expect(toSettingLabel("HUB_BASE_URL")).toBe("Base URL");
  expect(toSettingLabel("HUB_RESULT_BYTES_MAX")).toBe("Result size max");
});

test("0 is no limit where the description says so", () => {
  expect(formatSettingValue("HUB_A", "0", "Calls per minute; 0 is no limit")).toBe("No limit");
  expect(formatSettingValue("HUB_A_BYTES_MAX", "0", "Space; 0 is no limit")).toBe("No limit");
  expect(formatSettingValue("HUB_A", "0", "Port to listen on")).toBe("0");
});

test.each([
  ["HUB_A_BYTES", "1048576", "1 MiB"],
  ["HUB_A_BYTES", "1500", "1.5 KiB"],
  ["HUB_A_BYTES_MAX", "1048576", "1 MiB"],
  ["HUB_A_MS", "120000", "2 min"],
  ["HUB_A_DAYS", "1", "1 day"],
  ["HUB_A_S", "3600", "3,600 seconds"],
  ["HUB_A_DAYS", "never", "never"],
  ["HUB_A", "1048576", "1048576"],
])("The value of %s %s is shown as %s", (variable, value, shown) => {
  expect(formatSettingValue(variable, value)).toBe(shown);
});
