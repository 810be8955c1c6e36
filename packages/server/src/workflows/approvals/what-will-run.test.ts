import { expect, test } from "bun:test";
import { parseTemplate } from "../templates/parse/parser.ts";
import { buildGraph } from "../validation/graph/body-graph.ts";
import { toBody } from "../validation/testing/sample-bodies.ts";
import { findWillRun } from "./what-will-run.ts";

const post = { type: "http", method: "POST", url: "https://example.com" };
const later = { type: "set", value: { schedule_at: 1 } };
const off = { disabled: true };

test("Approvers are shown and asked for what runs, not for nodes that are switched off", async () => {
  const nodes = [
    { id: "ask", type: "approval", title: "?", approvers: { tags: ["ops"] } },
    { id: "a", ...post, ...off },
    { id: "b", ...post },
    { id: "c", ...later, ...off },
    { id: "d", ...later },
  ];
  const body = toBody(nodes, ["ask>a:approved", "a>b", "b>c", "c>d"]);
  const plan = {
    bodyId: "b",
    body,
    graph: buildGraph(body),
    hasScheduleTrigger: true,
    tokens: [],
  };
  const deps = {
    plan,
    parse: parseTemplate,
    render: async (value: unknown) => value,
    isCompleted: () => true,
    findOperation: async () => null,
    findWorkflowName: async () => null,
    seal: async (value: unknown) => value,
  };
  const { shown, expected } = await findWillRun(deps, "ask");
  expect(shown.map(({ node_id }) => node_id)).toEqual(["b", "d"]);
  expect(Object.keys(expected)).toEqual(["b", "d"]);
});
