import { expect, test } from "bun:test";
import { readExport } from "./read-export.ts";

const read = (value: unknown) => readExport(new Blob([JSON.stringify(value)]));

test("An exported workflow is read, and members that are not understood are left out", async () => {
  const exported = {
    format: "hub-workflow",
    name: "A",
    description: "B",
    run_by: "owner",
    body: {},
  };
  expect(await read({ ...exported, secrets: ["KEY", 7], other: true })).toEqual({
    name: "A",
    description: "B",
    run_by: "owner",
    body: {},
    secrets: ["KEY"],
  });
  expect(await read({ name: "A", body: { big: 1 }, run_by: "everyone" })).toEqual({
    name: "A",
    body: { big: 1 },
    secrets: [],
  });
});

test("A file that is no workflow is refused with what to do", async () => {
  expect(await readExport(new Blob(["{"]))).toContain("not JSON");
  for (const value of [null, [], "x", { name: "A" }, { body: {} }, { name: 1, body: {} }]) {
    expect(await read(value)).toContain("no name or no body");
  }
  expect(await readExport(new Blob(["x".repeat(3_000_000)]))).toContain("too large");
});

test("A number of a body keeps all its digits", async () => {
  const text = '{"name":"A","body":{"id":12345678901234567890}}';
  expect(JSON.stringify(await readExport(new Blob([text])))).toContain("12345678901234567890");
});
