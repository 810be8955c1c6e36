import { expect, test } from "bun:test";
import { sourceSettingsSchema } from "@hub/contract/secret-source.ts";
import type { ReferenceDefinition } from "./secret-definitions.ts";
import { createSecretReader, type SecretReadOutcome } from "./secret-reader.ts";
import { SourceFailure } from "./source-failure.ts";

const settings = sourceSettingsSchema.parse({
  kind: "vault",
  address: "https://vault.example.com",
  auth: "token",
});
const toSource = (id: string) => ({
  id,
  name: id,
  settings,
  sealed: null,
  prefixes: ["apps"],
  revision: 1,
});
const toReference = (id: string, source = toSource("vault")): ReferenceDefinition => ({
  id,
  name: id,
  source,
  path: "apps/tracker",
  field: "",
  version: null,
  tags: [],
  rows: [],
  hosts: [],
  revision: 1,
});
const one = toReference("one");

function openReader() {
  const world = {
    at: 1_000_000,
    reads: 0,
    answer: async (_source: string): Promise<string> => "first",
    outcomes: [] as SecretReadOutcome["outcome"][],
  };
  const reader = createSecretReader({
    openClient: async ({ id }) => ({
      async read() {
        world.reads += 1;
        return { value: await world.answer(id), version: null };
      },
    }),
    now: () => world.at,
    keepMs: () => 300_000,
    awayMs: () => 3_600_000,
    onRead: async ({ outcome }) => void world.outcomes.push(outcome),
  });
  const fail = (kind: SourceFailure["kind"]) => {
    world.answer = () => Promise.reject(new SourceFailure(kind, "it says so"));
  };
  return { world, reader, fail };
}

test("A value is kept for its time, then read again", async () => {
  const { world, reader } = openReader();
  await reader.prepare(one);
  world.at += 299_999;
  await reader.prepare(one);
  expect(world.reads).toBe(1);
  world.answer = async () => "second";
  world.at += 1;
  await reader.prepare(one);
  expect([world.reads, reader.peek(one), reader.listFormer("one")]).toEqual([
    2,
    "second",
    ["first"],
  ]);
});

test("While a manager is away, the last value is used for the set time, then the reason is said", async () => {
  const { world, reader, fail } = openReader();
  await reader.prepare(one);
  fail("away");
  world.at += 300_000;
  await reader.prepare(one);
  expect(reader.peek(one)).toBe("first");
  world.at += 3_599_999;
  expect(reader.peek(one)).toBe("first");
  world.at += 1;
  expect(() => reader.peek(one)).toThrow("it says so");
  expect(reader.listFormer("one")).toEqual(["first"]);
});

test("A manager that is away is asked again after a pause only", async () => {
  const { world, reader, fail } = openReader();
  fail("away");
  for (let call = 0; call < 10; call += 1) await reader.prepare(one);
  expect(world.reads).toBe(1);
  world.at += 15_000;
  await reader.prepare(one);
  expect(world.reads).toBe(2);
});

test("A manager that was away holds up no call while the last value serves", async () => {
  const { world, reader, fail } = openReader();
  await reader.prepare(one);
  fail("away");
  world.at += 300_000;
  await reader.prepare(one);
  const { promise, resolve } = Promise.withResolvers<string>();
  world.answer = () => promise;
  world.at += 15_000;
  await reader.prepare(one);
  expect(reader.peek(one)).toBe("first");
  resolve("second");
  // After the one that is under way.
  await reader.refresh(one);
  expect([world.reads, reader.peek(one)]).toEqual([4, "second"]);
});

test("A new name, tag, row or host of a reference leaves the value to calls under way", async () => {
  const { world, reader } = openReader();
  await reader.prepare(one);
  const rows = [{ id: "row", addresses: [] }];
  const changed = { ...one, revision: 2, name: "Two", tags: ["blue"], rows, hosts: ["a.example"] };
  expect(reader.peek(changed)).toBe("first");
  await reader.prepare(changed);
  expect(world.reads).toBe(1);
  for (const more of [{ field: "x" }, { version: "2" }, { source: toSource("another") }]) {
    expect(() => reader.peek({ ...changed, ...more })).toThrow("has not been read yet");
  }
});

for (const kind of ["refused", "absent", "bad"] as const) {
  test(`A value is dropped at once when it is ${kind}, and stays masked`, async () => {
    const { reader, fail, world } = openReader();
    await reader.prepare(one);
    fail(kind);
    await reader.refresh(one);
    expect(() => reader.peek(one)).toThrow("it says so");
    expect(reader.listFormer("one")).toEqual(["first"]);
    expect(world.outcomes).toEqual(["read", kind]);
  });
}

test("A former value stays masked for a day", async () => {
  const { world, reader } = openReader();
  await reader.prepare(one);
  world.answer = async () => "second";
  await reader.refresh(one);
  world.at += 24 * 60 * 60_000 - 1;
  expect(reader.listFormer("one")).toEqual(["first"]);
  world.at += 1;
  expect(reader.listFormer("one")).toEqual([]);
});

test("A slow manager holds up no other one", async () => {
  const { world, reader } = openReader();
  const { promise, resolve } = Promise.withResolvers<string>();
  world.answer = (source) => (source === "slow" ? promise : Promise.resolve("quick"));
  const slow = Array.from({ length: 20 }, (_, at) => toReference(`slow ${at}`, toSource("slow")));
  const waiting = slow.map((reference) => reader.prepare(reference));
  await reader.prepare(one);
  expect(reader.peek(one)).toBe("quick");
  // No more than eight are sent at once.
  expect(world.reads).toBe(9);
  resolve("late");
  await Promise.all(waiting);
  expect(slow.map((reference) => reader.peek(reference))).toEqual(slow.map(() => "late"));
});

test("A reference that is changed gets nothing that was read for it before", async () => {
  const { world, reader } = openReader();
  await reader.prepare(one);
  const changed = { ...one, revision: 2, path: "apps/other" };
  expect(() => reader.peek(changed)).toThrow("has not been read yet");
  const outside = { ...one, revision: 3, path: "others/tracker" };
  await reader.prepare(outside);
  expect(() => reader.peek(outside)).toThrow("outside of the prefixes");
  const climbing = { ...one, revision: 4, path: "apps/../others" };
  await reader.prepare(climbing);
  expect(() => reader.peek(climbing)).toThrow("outside of the prefixes");
  expect(world.reads).toBe(1);
});
