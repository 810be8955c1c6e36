import { expect, test } from "bun:test";
import { listNamed, listOpened } from "./walk-body.ts";

const operation = (id: string) => ({ id, type: "operation", tool_id: `conn:${id}/read` });

test("What nodes call is listed by their types, also of a draft with errors", () => {
  const body = {
    nodes: [
      operation("a"),
      { id: "b", type: "http", url: "https://shop.example" },
      { id: "c", type: "http", method: "POST", url: "x".repeat(1000) },
      { id: "d", type: "workflow", workflow_id: "report-abc" },
      { id: "e", type: "channel", channel: "team", op: "send_message" },
      { id: "f", type: "set" },
      { id: 7, type: "operation", tool_id: {} },
      "text",
    ],
  };
  expect(listOpened(body)).toEqual([
    { node: "a", type: "operation", target: "conn:a/read" },
    { node: "b", type: "http", target: "GET https://shop.example" },
    { node: "c", type: "http", target: `POST ${"x".repeat(495)}` },
    { node: "d", type: "workflow", target: "report-abc" },
    { node: "e", type: "channel", target: "team send_message" },
    { node: "7", type: "operation", target: "" },
  ]);
  expect(listOpened({ nodes: "none" })).toEqual([]);
  expect(listNamed({ ...body, triggers: [{ source_workflow: "other" }] })).toEqual({
    toolIds: ["conn:a/read", ""],
    workflowIds: ["report-abc", "other"],
    hasChannels: true,
  });
});

test("What is switched off is named by the body, and not called", () => {
  const body = { nodes: [operation("a"), { ...operation("b"), disabled: true }] };
  expect(listOpened(body).map(({ node }) => node)).toEqual(["a"]);
  expect(listNamed(body).toolIds).toEqual(["conn:a/read", "conn:b/read"]);
});

test("Of a body that is built to be slow, no more is listed than a workflow can have", () => {
  const nodes = Array.from({ length: 2_000 }, (_, index) => operation(`n${index}`));
  expect(listOpened({ nodes })).toHaveLength(500);
});
