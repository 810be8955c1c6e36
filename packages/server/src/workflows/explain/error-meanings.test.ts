import { expect, test } from "bun:test";
import { join } from "node:path";
import { errorTable } from "../../errors.ts";
import { errorMeanings, findMeaning } from "./error-meanings.ts";

test("Every code of a failure has a meaning and an advice", () => {
  for (const code of Object.keys(errorTable)) {
    expect(findMeaning(code, null)).toBe(errorMeanings[code as keyof typeof errorMeanings]);
  }
  for (const { meaning, advice } of Object.values(errorMeanings)) {
    for (const text of [meaning, advice]) expect(text).toMatch(/^[A-Z].*\.$/);
  }
});

test("Codes that the reference lists for steps have a meaning of their own", async () => {
  const page = join(import.meta.dir, "../../../../../docs/reference/workflow-errors.md");
  const [, table = ""] = (await Bun.file(page).text()).split("## Steps and runs");
  const codes = [...(table.split("\n## ")[0] ?? "").matchAll(/^\| `(\w+)` \|/gm)].map(
    ([, code = ""]) => code,
  );
  expect(codes.length).toBeGreaterThan(15);
  for (const code of codes) {
    expect([code, findMeaning(code, null)]).not.toEqual([code, errorMeanings.parse_error]);
    expect([code, Object.hasOwn(errorMeanings, code)]).toEqual([code, true]);
  }
});

test("The status of the outside system says more than the code", () => {
  const meanings = [401, 403, 404, 429, 422, 503].map(
    (status) => findMeaning("upstream_error", status).meaning,
  );
  expect(new Set(meanings).size).toBe(6);
  expect(findMeaning("upstream_error", 200)).toBe(errorMeanings.upstream_error);
});
