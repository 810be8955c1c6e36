import { describe, expect, test } from "bun:test";
import { toWorkflowBodyJsonSchema, workflowBodySchema } from "./workflow-body.ts";
import { listCases } from "./workflow-cases.ts";
import { workflowNodeSchema } from "./workflow-node.ts";

const node = (fields: Record<string, unknown>) => workflowNodeSchema.safeParse(fields);

/** The paths of the fields that a body's schema refuses. */
function findRefused(body: unknown): string[] {
  const { error } = workflowBodySchema.safeParse(body);
  return (error?.issues ?? []).map(({ path }) => path.join("/"));
}

describe("workflowBodySchema", () => {
  test("An empty body gets every default", () => {
    expect(workflowBodySchema.parse({})).toEqual({
      schema: 1,
      triggers: [],
      nodes: [],
      edges: [],
      settings: {
        queue: { policy: "parallel", runs_at_once: 8, frees_place: false, waiting_max: 1000 },
        timeout_s: 600,
        severity: "error",
        env: {},
      },
      layout: {},
    });
  });

  test("Unknown keys are refused at every level", () => {
    expect(findRefused({ node: [] })).toEqual([""]);
    expect(findRefused({ settings: { queue: { polizy: "drop" } } })).toEqual(["settings/queue"]);
    const nodes = [{ id: "a", type: "set", value: 1, retries: 3 }];
    expect(findRefused({ nodes })).toEqual(["nodes/0"]);
    expect(findRefused({ edges: [{ from: "a", to: "b", when: "x" }] })).toEqual(["edges/0"]);
  });

  test("A value that may be any JSON must be present", () => {
    expect(findRefused({ nodes: [{ id: "a", type: "set" }] })).toEqual(["nodes/0/value"]);
    expect(findRefused({ nodes: [{ id: "a", type: "set", value: null }] })).toEqual([]);
  });

  test("A number may be a template where the reference says so", () => {
    const respond = { id: "a", type: "webhook_respond" };
    expect(node({ ...respond, respond_status: "{{.Node.b.status}}" }).success).toBe(true);
    expect(node({ ...respond, respond_status: "200" }).success).toBe(false);
    expect(node({ ...respond, respond_status: 199 }).success).toBe(false);
    expect(node({ id: "a", type: "wait", seconds: "{{.Event.Payload.s}}" }).success).toBe(true);
    expect(node({ id: "a", type: "fail", message: "x", timeout_s: "{{1}}" }).success).toBe(false);
  });

  test("Ids start with a letter and have at most 64 characters", () => {
    for (const id of ["a", "a_1", "a".repeat(64)]) {
      expect(node({ id, type: "set", value: 1 }).success).toBe(true);
    }
    for (const id of ["", "A", "1a", "a-b", "a.b", "a".repeat(65)]) {
      expect(node({ id, type: "set", value: 1 }).success).toBe(false);
    }
  });

  test("A body has at most 500 nodes and 2,000 edges", () => {
    const nodes = Array.from({ length: 501 }, (_, at) => ({ id: `n${at}`, type: "set", value: 1 }));
    const edges = Array.from({ length: 2001 }, () => ({ from: "n0", to: "n1" }));
    expect(findRefused({ nodes, edges })).toEqual(["nodes", "edges"]);
    expect(findRefused({ nodes: nodes.slice(1), edges: edges.slice(1) })).toEqual([]);
  });
});

describe("listCases", () => {
  test("The cases of a node are its own, and error with on_error: route", () => {
    const branch = { id: "a", type: "branch", conditions: [{ left: 1, op: "is_true" }] };
    expect(listCases(workflowNodeSchema.parse(branch))).toEqual(["true", "false"]);
    const cases = [{ case: "one", right: 1 }];
    const choice = { id: "a", type: "switch", value: 1, cases, on_error: "route" };
    expect(listCases(workflowNodeSchema.parse(choice))).toEqual(["one", "default", "error"]);
    expect(listCases(workflowNodeSchema.parse({ id: "a", type: "set", value: 1 }))).toEqual([]);
  });
});

describe("toWorkflowBodyJsonSchema", () => {
  test("The JSON Schema asks only for fields without a default", () => {
    const schema = toWorkflowBodyJsonSchema();
    expect(schema).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $defs: {
        WorkflowBody: { additionalProperties: false },
        SetNode: { required: ["type", "id", "value"] },
        HttpNode: { required: ["type", "id", "url"] },
        WebhookTrigger: { required: ["type", "id", "entry"] },
      },
    });
    expect(schema.$defs?.WorkflowBody?.required).toBeUndefined();
  });
});
