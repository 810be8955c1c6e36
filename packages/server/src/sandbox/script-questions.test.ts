/** Protects: a script that was stopped begins nothing more. */
import { expect, test } from "bun:test";
import { ScriptQuestions } from "./script-questions.ts";
import type { ScriptQuestion } from "./script-sandbox.ts";

const body = new TextEncoder().encode("{}");

test("A question that arrives after the script was stopped is not asked, and its id is not used again", async () => {
  const asked: ScriptQuestion[] = [];
  const questions = new ScriptQuestions({
    answer(question) {
      asked.push(question);
      return Promise.resolve({ kind: "value", text: "1" });
    },
    send: async () => {},
    firstId: 1,
  });
  questions.take({ header: { kind: "call", id: 1, toolId: "t" }, body });
  questions.stop(new Error("The script has ended."));
  questions.take({ header: { kind: "call", id: 2, toolId: "t" }, body });
  await questions.complete();
  expect(asked).toHaveLength(1);
  expect(questions.count().begun).toBe(1);
  expect(questions.nextId).toBe(3);
});
