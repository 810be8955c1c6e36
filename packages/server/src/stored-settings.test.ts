import { expect, test } from "bun:test";
import { loadConfig } from "./config.ts";
import { reportSettings, toLiveSettings } from "./stored-settings.ts";

const variable = "HUB_AUDIT_RETENTION_DAYS";
const load = (env: Record<string, string> = {}, flags = {}) =>
  loadConfig({ cwd: "/", env, flags }).config;

function find(config: ReturnType<typeof load>, stored: Record<string, string>) {
  const texts = new Map(Object.entries(stored));
  const report = reportSettings(config, texts).find(({ name }) => name === variable);
  const { value, origin, changeable } = report ?? {};
  return [toLiveSettings(config, texts).auditRetentionDays, value, origin, changeable];
}

test("A stored value overrides the default, and a value of the process overrides both", () => {
  expect(find(load(), {})).toEqual([7, "7", "default", true]);
  expect(find(load(), { [variable]: "30" })).toEqual([30, "30", "stored", true]);
  const env = { [variable]: "90" };
  expect(find(load(env), { [variable]: "30" })).toEqual([90, "90", "environment", false]);
  expect(find(load(env, { auditRetentionDays: "3" }), { [variable]: "30" })).toEqual([
    3,
    "3",
    "flag",
    false,
  ]);
});

test("A variable with the default value overrides a stored value", () => {
  const env = { [variable]: "7" };
  expect(find(load(env), { [variable]: "30" })).toEqual([7, "7", "environment", false]);
});

test("A stored value that is invalid in this version is ignored", () => {
  expect(find(load(), { [variable]: "forever" })).toEqual([7, "7", "default", true]);
});

test("A setting that is read only at start cannot be stored", () => {
  const reports = reportSettings(load(), new Map([["HUB_PORT", "1"]]));
  expect(reports.find(({ name }) => name === "HUB_PORT")).toMatchObject({
    value: "7420",
    origin: "default",
    changeable: false,
  });
});
