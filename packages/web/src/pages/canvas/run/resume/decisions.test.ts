import { expect, test } from "bun:test";
import { listQuestions, readDecisions } from "./decisions.ts";

const toName = (id: string) => (id === "pay" ? "Pay" : "Each");
const message = "The answer is missing.";

test("Each step that may have happened is a question, and many items of a node are one", () => {
  const steps = [
    { node_id: "pay", item: null, message },
    { node_id: "each", item: 3, message },
  ];
  expect(listQuestions(steps, toName).map(({ title }) => title)).toEqual(["Pay", "Each, item 3"]);
  const many = Array.from({ length: 21 }, (_, item) => ({ node_id: "each", item, message }));
  expect(listQuestions(many, toName).map(({ title }) => title)).toEqual(["Each, all 21 items"]);
});

test("The decisions are complete when each question has one and each output is JSON", () => {
  const questions = listQuestions(
    [
      { node_id: "pay", item: null, message },
      { node_id: "each", item: 3, message },
    ],
    toName,
  );
  const pay = { decision: "succeeded", output: '{"id": 7}' } as const;
  expect(readDecisions(questions, { pay }).isComplete).toBe(false);
  const repeat = { decision: "repeat", output: "null" } as const;
  expect(readDecisions(questions, { pay, "each, item 3": repeat })).toEqual({
    isComplete: true,
    decisions: [
      { node_id: "pay", decision: "succeeded", output: { id: 7 } },
      { node_id: "each", item: 3, decision: "repeat" },
    ],
    problems: {},
  });
  const wrong = { pay: { ...pay, output: "{" }, "each, item 3": repeat };
  expect(readDecisions(questions, wrong)).toMatchObject({
    isComplete: false,
    problems: { pay: "This is not valid JSON." },
  });
});
