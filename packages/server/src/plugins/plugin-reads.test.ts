import { expect, test } from "bun:test";
import type { InstalledPlugin } from "./installed/installed-plugin.ts";
import { createPluginConnector } from "./plugin-connector.ts";
import { craftPlugin } from "./testing/craft-plugin.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };
const pool = { call: () => Promise.reject(new Error("No call is made.")) };

function toConnector(
  signature: InstalledPlugin["signature"],
  { protoVersion = 2, sha256 = "" } = {},
) {
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
  const connector = createPluginConnector({ pool, log }, {
    key: "tracker",
    signature,
    manifest: { ...manifest, sha256, proto_version: protoVersion, module },
    // Safe: nothing runs, so the files of the plugin are not needed.
  } as unknown as InstalledPlugin);
  const listKeys = (member: "reads" | "isMarkable") =>
    [...connector.operations.values()].filter((one) => one[member]).map(({ key }) => key);
  const markedFor = connector.markedFor?.(new Map());
  return { reads: listKeys("reads"), markable: listKeys("isMarkable"), markedFor };
}

test("The mark of a signed plugin's author counts, and no admin says it", () => {
  expect(toConnector("signed")).toEqual({
    reads: ["look", "widget"],
    markable: [],
    markedFor: undefined,
  });
});

test.each([
  "unsigned",
  "unchecked",
  "binary-only",
] as const)("The mark of a plugin that is %s does not count, and admins mark what is not destructive", (signature) => {
  expect(toConnector(signature)).toMatchObject({ reads: [], markable: ["look", "list"] });
});

test("A manifest of version 1 has no mark", () => {
  expect(toConnector("signed", { protoVersion: 1 }).reads).toEqual([]);
});

test("A mark of a plugin without a trusted signature is for its program, whatever the manifest says", () => {
  for (const sha256 of ["a1", "b2"]) {
    expect(toConnector("unsigned", { sha256 }).markedFor).toBe(sha256);
  }
});
