import { expect, test } from "bun:test";
import { emptyBody } from "../../graph/body.ts";
import { createStepNames } from "./name-steps.ts";

test("Steps are named as on the graph, with the id where several have the same name", () => {
  const name = createStepNames({
    ...emptyBody,
    nodes: [
      { id: "pay", type: "http", label: "Pay back" },
      { id: "first", type: "set" },
      { id: "second", type: "set" },
      { id: "ask", type: "approval", label: " " },
    ],
  });
  expect(["pay", "first", "second", "ask", "gone"].map(name)).toEqual([
    "Pay back",
    "Set (first)",
    "Set (second)",
    "Approval",
    "gone",
  ]);
});
