/** Ordinary mistakes are answered with a sentence that says what is wrong and what to do: the page with all of them is true. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { resolve } from "node:path";
import { openMistakeBench } from "./support/mistake-bench.ts";
import { makeMistakes, type Said, toMistakesPage } from "./support/mistakes.ts";
import { describeOnSqlite } from "./support/test-on-sqlite.ts";

setDefaultTimeout(180_000);

const page = resolve(import.meta.dirname, "../docs/reference/mistakes.md");

describeOnSqlite("databaseFile", "Ordinary mistakes", () => {
  const owned = new AsyncDisposableStack();
  let all: Said[];
  beforeAll(async () => {
    all = await makeMistakes(await openMistakeBench(owned));
  });
  afterAll(() => owned.disposeAsync());

  test("Each of more than fifty mistakes is answered, as the page in the documentation shows", async () => {
    expect(all.length).toBeGreaterThan(50);
    expect(toMistakesPage(all)).toBe(await Bun.file(page).text());
  });

  test("No answer is empty, an internal error, a stack or a list of a schema library", () => {
    expect(all.length).toBeGreaterThan(50);
    for (const { words, said } of all) {
      expect([words, said.length > 20]).toEqual([words, true]);
      expect(said).not.toMatch(/internal error|\n\s+at |ZodError|undefined|\[object/);
    }
  });
});
