import type { Json } from "@hub/connector";
import {
  type WorkflowEdge,
  workflowCommentSchema,
  workflowEdgeSchema,
  workflowSettingsSchema,
} from "@hub/contract/workflow-body.ts";
import type { WorkflowDifference } from "@hub/contract/workflow-difference.ts";
import { workflowNodeSchema } from "@hub/contract/workflow-node.ts";
import { workflowTriggerSchema } from "@hub/contract/workflow-trigger.ts";
import type { z } from "zod";
import { quote, toPointer } from "../validation/problem-list.ts";
import { createPace, type Pace } from "../validation/validation-pace.ts";
import { describeChange, diffValues, type ValueDifference } from "./diff-values.ts";

/** More sentences are counted. */
const sentencesMax = 200;

/**
 * What differs between two bodies of any origin, from the older to the newer one. Drafts with
 * errors can be compared too: what the schema refuses is compared as it is written.
 */
export async function diffBodies(before: Json, after: Json): Promise<WorkflowDifference> {
  const pace = createPace();
  const sentences: string[] = [];
  const say = (sentence: string) => sentences.push(sentence);
  const triggers = await diffItems(
    { pace, say, what: "trigger" },
    await readItems(pace, workflowTriggerSchema, findMember(before, "triggers")),
    await readItems(pace, workflowTriggerSchema, findMember(after, "triggers")),
  );
  const nodes = await diffItems(
    { pace, say, what: "node" },
    await readItems(pace, workflowNodeSchema, findMember(before, "nodes")),
    await readItems(pace, workflowNodeSchema, findMember(after, "nodes")),
  );
  const edges = diffEdges(say, findMember(before, "edges"), findMember(after, "edges"));
  const settings = diffValues(readSettings(before), readSettings(after));
  for (const change of settings) say(`The setting ${showPath(change)} ${describeChange(change)}.`);
  const old = await readComments(pace, before);
  const now = await readComments(pace, after);
  const comments = await diffItems({ pace, say, what: "comment" }, old.items, now.items);
  const layout = diffValues(
    { items: findMember(before, "layout") ?? {}, comments: old.positions },
    { items: findMember(after, "layout") ?? {}, comments: now.positions },
  );
  if (layout.length > 0) say("The layout changes.");
  return {
    sentences: limitSentences(sentences),
    nodes,
    triggers,
    edges,
    comments,
    settings: settings.map(({ path }) => toPointer(path)),
    layout: layout.length > 0,
  };
}

type ItemContext = {
  pace: Pace;
  say: (sentence: string) => void;
  what: "node" | "trigger" | "comment";
};

async function diffItems(
  { pace, say, what }: ItemContext,
  before: ReadonlyMap<string, Json>,
  after: ReadonlyMap<string, Json>,
): Promise<WorkflowDifference["nodes"]> {
  const added = [...after.keys()].filter((id) => !before.has(id));
  const removed = [...before.keys()].filter((id) => !after.has(id));
  for (const id of added) {
    const isOff = what === "node" && findMember(after.get(id), "disabled") === true;
    say(`The ${what} ${quote(id)} is added${isOff ? ", switched off" : ""}.`);
  }
  for (const id of removed) say(`The ${what} ${quote(id)} is removed.`);
  const changed: { id: string; fields: string[] }[] = [];
  for (const [id, item] of after) {
    if (!before.has(id)) continue;
    await pace();
    const changes = diffValues(before.get(id), item);
    if (changes.length === 0) continue;
    changed.push({ id, fields: changes.map(({ path }) => toPointer(path)) });
    for (const change of changes) {
      say(`The ${what} ${quote(id)}: ${describeItemChange(what, change)}.`);
    }
  }
  return { added, removed, changed };
}

function describeItemChange(what: ItemContext["what"], change: ValueDifference): string {
  const isSwitch = what === "node" && change.path.length === 1 && change.path[0] === "disabled";
  if (isSwitch && change.after === true) return "it is switched off";
  if (isSwitch && change.before === true) return "it is switched on";
  return `${showPath(change)} ${describeChange(change)}`;
}

/** The items of a list by their ids. Of two with one id, the first counts. */
async function readItems(
  pace: Pace,
  schema: z.ZodType,
  list: Json,
): Promise<ReadonlyMap<string, Json>> {
  const items = new Map<string, Json>();
  for (const item of Array.isArray(list) ? list : []) {
    await pace();
    const id = findMember(item, "id");
    if (typeof id !== "string" || items.has(id)) continue;
    const parsed = schema.safeParse(item);
    items.set(id, parsed.success ? parsed.data : item);
  }
  return items;
}

/** The comments, and where those are that the other body may have, too: that is layout. */
async function readComments(pace: Pace, body: Json) {
  const comments = await readItems(pace, workflowCommentSchema, findMember(body, "comments"));
  const items = new Map<string, Json>();
  const positions: Record<string, Json> = {};
  for (const [id, comment] of comments) {
    const { position, ...rest } = Object(comment);
    items.set(id, rest);
    positions[id] = position;
  }
  return { items, positions };
}

function diffEdges(
  say: (sentence: string) => void,
  before: Json,
  after: Json,
): WorkflowDifference["edges"] {
  const old = readEdges(before);
  const now = readEdges(after);
  const added = [...now].flatMap(([key, edge]) => (old.has(key) ? [] : [edge]));
  const removed = [...old].flatMap(([key, edge]) => (now.has(key) ? [] : [edge]));
  for (const edge of added) say(`The edge ${describeEdge(edge)} is added.`);
  for (const edge of removed) say(`The edge ${describeEdge(edge)} is removed.`);
  return { added, removed };
}

function readEdges(list: Json): ReadonlyMap<string, WorkflowEdge> {
  const edges = new Map<string, WorkflowEdge>();
  for (const item of Array.isArray(list) ? list : []) {
    const { data } = workflowEdgeSchema.safeParse(item);
    if (data !== undefined) edges.set(JSON.stringify([data.from, data.to, data.case]), data);
  }
  return edges;
}

function describeEdge({ from, to, case: name }: WorkflowEdge): string {
  const along = name === undefined ? "" : ` for the case ${quote(name)}`;
  return `from ${quote(from)} to ${quote(to)}${along}`;
}

function readSettings(body: Json): Json {
  const settings = findMember(body, "settings") ?? {};
  const parsed = workflowSettingsSchema.safeParse(settings);
  return parsed.success ? parsed.data : settings;
}

/** `params.list.0`, as people write the place of a value. */
function showPath({ path }: ValueDifference): string {
  return path.length === 0 ? "everything" : path.join(".");
}

function limitSentences(sentences: readonly string[]): string[] {
  if (sentences.length <= sentencesMax) return [...sentences];
  const more = sentences.length - sentencesMax;
  return [...sentences.slice(0, sentencesMax), `There are ${more} more changes.`];
}

function findMember(value: Json, key: string): Json {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return Reflect.get(value, key);
}
