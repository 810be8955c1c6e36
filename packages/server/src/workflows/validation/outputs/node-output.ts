import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import type { ValidationWorld } from "../validation-world.ts";
import type { Shape } from "./find-member.ts";

type OutputWorld = Pick<ValidationWorld, "findOperation" | "findChannel">;

const toShape = (schema: unknown): Shape => ({ kind: "schema", schema, root: schema });
const toObject = (properties: Record<string, unknown>) =>
  toShape({ type: "object", properties, additionalProperties: false });

const text = { type: "string" };
const textOrNull = { type: ["string", "null"] };
const list = toShape({ type: "array" });
const texts = { type: "object", additionalProperties: text };
const answer = toObject({ status: { type: "integer" }, headers: texts, body: {} });
const failure = toObject({ error: text, code: text });
const decision = toObject({ by: textOrNull, at: textOrNull, comment: textOrNull });

/**
 * What operations of rows return besides what their schema says: of an answer without content or that is no JSON, and
 * of a tool whose content is no text.
 */
const otherAnswers = toShape({
  type: "object",
  properties: {
    status: {},
    headers: {},
    content_type: {},
    bytes: {},
    base64: {},
    left_out: {},
    content: {},
    structured: {},
  },
});

/** What the output of a node may be, as one of some shapes. Null if nothing is known of it. */
export async function findOutput(
  world: OutputWorld,
  node: WorkflowNode,
): Promise<readonly Shape[] | null> {
  // It passes on what was before it.
  if (node.disabled) return null;
  const isList = "for_each" in node && node.for_each !== undefined;
  const outputs = isList ? [list] : await findOwnOutput(world, node);
  if (outputs === null || node.on_error === "fail") return outputs;
  return [...outputs, failure];
}

/** Of one item, if there are several. */
async function findOwnOutput(
  world: OutputWorld,
  node: WorkflowNode,
): Promise<readonly Shape[] | null> {
  switch (node.type) {
    case "operation": {
      const found = await world.findOperation?.(node.tool_id);
      const schema = found?.readOutputSchema?.();
      if (schema === undefined) return null;
      return found?.isFromRow ? [toShape(schema), otherAnswers] : [toShape(schema)];
    }
    case "channel": {
      const schema = world.findChannel?.(node.channel)?.findOp(node.op)?.readOutputSchema?.();
      return schema === undefined ? null : [toShape(schema)];
    }
    case "http":
    case "webhook_respond":
      return [answer];
    case "branch":
      return [toShape({ type: "boolean" })];
    case "switch":
      return [toShape(text)];
    case "set":
      return [{ kind: "value", value: node.value }];
    case "wait":
      return [toObject({ until: text })];
    case "approval":
      return [decision];
    case "workflow":
      return node.wait ? null : [toShape(text)];
    case "code":
    case "fail":
      return null;
  }
}
