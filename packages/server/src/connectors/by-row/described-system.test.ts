import { expect, test } from "bun:test";
import { operationsMax } from "./clean-discovery.ts";
import { cleanSystem } from "./described-system.ts";

test("What a system says of itself is cut, and has tags of no more operations than a row", () => {
  const tags = Array.from(
    { length: operationsMax + 1 },
    (_, at) => [`op${at}`, ["a\u202eb", "x".repeat(100), "c", "d", "e", "f"]] as const,
  );
  const rest = { version: "", description: "", servers: [], authentications: [] };
  const clean = cleanSystem({ title: "x".repeat(1_000), ...rest, tags });
  expect(clean.title).toHaveLength(100);
  expect(clean.tags).toHaveLength(operationsMax);
  expect(clean.tags[0]).toEqual(["op0", ["ab", `${"x".repeat(59)}…`, "c", "d", "e"]]);
});
