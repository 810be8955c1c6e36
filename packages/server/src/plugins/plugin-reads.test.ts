import { expect, test } from "bun:test";
import type { InstalledPlugin } from "./installed/installed-plugin.ts";
import { createPluginConnector } from "./plugin-connector.ts";
import { craftPlugin } from "./testing/craft-plugin.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };
const pool = { call: () => Promise.reject(new Error("No call is made.")) };

function toConnector(signature: InstalledPlugin["signature"], protoVersion = 2) {
  const { manifest } = craftPlugin();
  const toOperation = (key: string, more: object) => ({
    Key: key,
    Name: key,
    Description: "Does it.",
    Input: [],
    Destructive: false,
    ConfigOnly: false,
    AdminOnly: false,
    ...more,
  });
  const Ops = [
    toOperation("look", { Reads: true }),
    toOperation("list", {}),
    toOperation("send", { Destructive: true, Reads: true }),
    toOperation("widget", { ConfigOnly: true, Reads: true }),
  ];
  const module = { ...manifest.module, Operations: [{ Title: "", Description: "", Ops }] };
  const { operations } = createPluginConnector({ pool, log }, {
    key: "tracker",
    signature,
    manifest: { ...manifest, proto_version: protoVersion, module },
    // Safe: nothing runs, so the files of the plugin are not needed.
  } as unknown as InstalledPlugin);
  const listKeys = (member: "reads" | "isMarkable") =>
    [...operations.values()].filter((one) => one[member]).map(({ key }) => key);
  return { reads: listKeys("reads"), markable: listKeys("isMarkable") };
}

test("The mark of a signed plugin's author counts, and no admin says it", () => {
  expect(toConnector("signed")).toEqual({ reads: ["look", "widget"], markable: [] });
});

test.each([
  "unsigned",
  "unchecked",
  "binary-only",
] as const)("The mark of a plugin that is %s does not count, and admins mark what is not destructive", (signature) => {
  expect(toConnector(signature)).toEqual({ reads: [], markable: ["look", "list"] });
});

test("A manifest of version 1 has no mark", () => {
  expect(toConnector("signed", 1).reads).toEqual([]);
});
