import { expect, test } from "bun:test";
import {
  describeRefusal,
  formatSettingValue,
  readSettingValue,
  toSettingLabel,
  toWrittenValue,
} from "./describe-setting.ts";

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
  ["HUB_A_S", "3600", "1 hour"],
  ["HUB_A_SECONDS", "120", "2 minutes"],
  ["HUB_A_BYTES_PER_DAY", "4294967296", "4 GiB"],
  ["HUB_A_BYTES_MIN", "67108864", "64 MiB"],
  ["HUB_A_CHARS", "2000000", "2,000,000"],
  ["HUB_PORT", "17420", "17420"],
  ["HUB_A_DAYS", "never", "never"],
  ["HUB_A", "1048576", "1048576"],
])("The value of %s %s is shown as %s", (variable, value, shown) => {
  expect(formatSettingValue(variable, value)).toBe(shown);
});

test.each([
  ["HUB_A_BYTES_MAX", "1 MiB", "1048576"],
  ["HUB_A_BYTES_PER_DAY", "1.5GiB", "1610612736"],
  ["HUB_A_DAYS", "30 days", "30"],
  ["HUB_A_DAYS", "2 weeks", "14"],
  ["HUB_A_SECONDS", "2 min", "120"],
  ["HUB_A_MS", "1.2 s", "1200"],
  ["HUB_A_PER_DAY", "100,000", "100000"],
  ["HUB_A_DAYS", "1 hour", "1 hour"],
  ["HUB_A_DAYS", " 7 ", "7"],
  ["HUB_A_BYTES_MAX", "much", "much"],
  ["HUB_BASE_URL", "5 s", "5 s"],
])("For %s, %p means %s", (variable, typed, value) => {
  expect(readSettingValue(variable, typed)).toBe(value);
});

test.each([
  ["HUB_A_BYTES_MAX", "1048576", "1 MiB"],
  ["HUB_A_BYTES_MAX", "1048577", "1048577"],
  ["HUB_A_DAYS", "7", "7 days"],
  ["HUB_A_BYTES_MAX", "0", "0 B"],
])("An input shows %s of %s as %s, which means the same", (variable, value, written) => {
  expect(toWrittenValue(variable, value)).toBe(written);
  expect(readSettingValue(variable, written)).toBe(value);
});

test("A refusal names the setting and its bounds as people write them", () => {
  const message = "HUB_RESULT_BYTES_MAX must be a whole number from 1024 to 1073741824.";
  expect(describeRefusal("HUB_RESULT_BYTES_MAX", message)).toBe(
    "Result size max must be from 1 KiB to 1 GiB.",
  );
});
