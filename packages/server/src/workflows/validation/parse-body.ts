import {
  type WorkflowBody,
  workflowBodySchema,
  workflowCommentSchema,
  workflowEdgeSchema,
} from "@hub/contract/workflow-body.ts";
import { workflowBodyLimits } from "@hub/contract/workflow-body-limits.ts";
import { workflowNodeSchema } from "@hub/contract/workflow-node.ts";
import { workflowTriggerSchema } from "@hub/contract/workflow-trigger.ts";
import type { z } from "zod";
import { issueWords } from "../../lib/input/issue-words.ts";
import { describeIssue } from "./describe-issue.ts";
import { type Path, type ProblemList, problemsMax } from "./problem-list.ts";
import type { Pace } from "./validation-pace.ts";

type ParseContext = { problems: ProblemList; pace: Pace };

/**
 * Parses a body item by item, and lists what its schema refuses. Returns null for a body that the
 * schema refuses. The size of the input is checked before.
 */
export async function parseBody(ctx: ParseContext, input: unknown): Promise<WorkflowBody | null> {
  if (!isRecord(input)) return parse(ctx, workflowBodySchema, input, []);
  if (!checkCounts(ctx.problems, input)) return null;
  const rest = { ...input };
  // Lists are left to the items' schemas. A value that is no list is refused by the body's schema.
  for (const key of ["triggers", "nodes", "edges", "comments"])
    if (Array.isArray(rest[key])) rest[key] = [];
  const body = parse(ctx, workflowBodySchema, rest, []);
  const triggers = await parseItems(ctx, workflowTriggerSchema, input, "triggers");
  const nodes = await parseItems(ctx, workflowNodeSchema, input, "nodes");
  const edges = await parseItems(ctx, workflowEdgeSchema, input, "edges");
  const comments = await parseItems(ctx, workflowCommentSchema, input, "comments");
  if (body === null || triggers === null || nodes === null || edges === null || comments === null) {
    return null;
  }
  return { ...body, triggers, nodes, edges, ...(body.comments !== undefined && { comments }) };
}

async function parseItems<Schema extends z.ZodType>(
  ctx: ParseContext,
  schema: Schema,
  input: Record<string, unknown>,
  key: string,
): Promise<z.output<Schema>[] | null> {
  const list = input[key];
  const items: z.output<Schema>[] = [];
  let isValid = true;
  for (const [at, item] of Array.isArray(list) ? list.entries() : []) {
    await ctx.pace();
    const parsed = parse(ctx, schema, item, [key, at]);
    if (parsed === null) isValid = false;
    else items.push(parsed);
  }
  return isValid ? items : null;
}

function parse<Schema extends z.ZodType>(
  { problems }: ParseContext,
  schema: Schema,
  value: unknown,
  at: Path,
): z.output<Schema> | null {
  const parsed = schema.safeParse(value, { error: issueWords });
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  problems.omit(Math.max(0, issues.length - problemsMax));
  for (const issue of issues.slice(0, problemsMax)) {
    for (const { path, message, hint } of describeIssue(schema, value, issue, at)) {
      problems.error([...at, ...path], message, hint);
    }
  }
  return null;
}

/** Only lists and records of an allowed length are parsed, because every wrong member costs an issue. */
function checkCounts(problems: ProblemList, input: Record<string, unknown>): boolean {
  const { nodesMax, edgesMax, triggersMax, commentsMax, textsMax } = workflowBodyLimits;
  const counted = [
    { path: ["nodes"], value: input.nodes, max: nodesMax },
    { path: ["edges"], value: input.edges, max: edgesMax },
    { path: ["triggers"], value: input.triggers, max: triggersMax },
    { path: ["comments"], value: input.comments, max: commentsMax },
    { path: ["layout"], value: input.layout, max: nodesMax + triggersMax },
    { path: ["settings", "env"], value: findMember(input.settings, "env"), max: textsMax },
    ...["headers", "query", "respond_headers"].flatMap((name) =>
      (Array.isArray(input.nodes) ? input.nodes.slice(0, nodesMax) : []).map((node, at) => ({
        path: ["nodes", at, name],
        value: findMember(node, name),
        max: textsMax,
      })),
    ),
  ];
  let isAllowed = true;
  for (const { path, value, max } of counted) {
    const count = typeof value === "object" && value !== null ? Object.keys(value).length : 0;
    if (count <= max) continue;
    const message = `The field "${path.at(-1)}" has ${count} items. It may have ${max}.`;
    problems.error(path, message, "A workflow node can run a part as another workflow.");
    isAllowed = false;
  }
  return isAllowed;
}

function findMember(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
