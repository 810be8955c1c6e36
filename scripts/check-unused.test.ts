import { expect, test } from "bun:test";
import { findUnused } from "./check-unused.ts";

test("A file that no other imports is found, and tests, workers and other packages are not", () => {
  const server = (name: string) => `packages/server/src/${name}`;
  const imports = new Map([
    [server("hub.test.ts"), [server("hub.ts")]],
    [server("hub.ts"), [server("lib/used.ts")]],
    [server("lib/used.ts"), []],
    [server("lib/left.ts"), [server("lib/used.ts")]],
    [server("lib/answer-worker.ts"), []],
    [server("lib/testing/program.ts"), []],
    ["packages/cli/src/hub.ts", []],
  ]);
  expect(findUnused(imports)).toEqual([server("lib/left.ts")]);
});
