import { expect, test } from "bun:test";
import { KeptAnswer } from "../../operations/answers/kept-answer.ts";
import { presentResult } from "./present-result.ts";

test("A long kept answer is quoted once, and says the same as one that is not kept", async () => {
  const value = {
    tools: Array.from({ length: 20_000 }, (_, id) => ({ label: `"Row" ${id} é😀` })),
  };
  const text = JSON.stringify(value);
  const kept = new KeptAnswer(value);
  const first = await presentResult({ text, kept });
  expect(first).toBe(await presentResult({ text }));
  expect(kept.quoted).toBe(JSON.stringify(text));
  // The second call waits for nothing.
  expect(presentResult({ text, kept })).toBe(first);
});
