import { expect, test } from "bun:test";
import { parseFields, wick } from "@hub/connector";
import type { Caller } from "../../../caller.ts";
import type { RegisteredConnector } from "../../../connectors/connector-port.ts";
import type { RowRecord } from "../../../store/rows/row-record.ts";
import { listWidgets } from "./list-widgets.ts";

const configFields = parseFields("tracker", {
  Mode: wick("dropdown=plain|signed;default=plain"),
  Plain: wick("html=show;visible_when=mode:plain;desc=Without a signature"),
  Signed: wick("html=show;visible_when=mode:signed;locked"),
  Secret: wick("html=show;hidden"),
  Upkeep: wick("html=maintain"),
  Own: wick("html=own"),
  Gone: wick("html=nothing"),
});
const show = { key: "show", adminOnly: false };
// Only these members are read.
const connector = {
  configFields,
  operations: new Map([
    ["show", show],
    ["maintain", { key: "maintain", adminOnly: true }],
    ["own", { key: "own", adminOnly: false }],
  ]),
  adminOperations: new Set(["own"]),
} as unknown as RegisteredConnector;
const toRow = (more: object) =>
  ({ tags: ["red"], tests: "tag", values: [], ...more }) as unknown as RowRecord;
const user = { role: "user", tags: new Set(["red"]) } as unknown as Caller;
const admin = { role: "admin", tags: new Set() } as unknown as Caller;
const keys = (caller: Caller, row: object = {}, of: RegisteredConnector | null = connector) =>
  listWidgets(caller, of, toRow(row)).map(({ key }) => key);

test("A user is given what a widget is called, and no value", () => {
  const stored = [
    { key: "plain", value: "chosen" },
    { key: "mode", value: null, sealed: "x" },
  ];
  expect(listWidgets(user, connector, toRow({ values: stored }))).toEqual([
    { key: "plain", name: "Plain", description: "Without a signature", locked: false },
  ]);
});

test("Hidden widgets, those of other modes and those without an operation are not listed, maintenance for admins only", () => {
  expect(keys(user)).toEqual(["plain"]);
  expect(keys(user, { values: [{ key: "mode", value: "signed" }] })).toEqual(["signed"]);
  expect(keys(admin)).toEqual(["plain", "upkeep", "own"]);
});

test("A user who may not test the row has no widgets, nor has a row without its connector", () => {
  expect(keys(user, { tests: "admins" })).toEqual([]);
  expect(keys(user, { tags: ["blue"] })).toEqual([]);
  expect(keys(user, {}, null)).toEqual([]);
  expect(keys(admin, { tests: "admins" })).toHaveLength(3);
});
