import type { ChannelReference, ChannelUses } from "@hub/contract/channel.ts";
import { z } from "zod";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import type { Db } from "../../store/database/database.ts";
import {
  type CurrentBody,
  listCurrentBodies,
  readBodiesWith,
} from "../../store/workflows/workflow-bodies.ts";

/** How much of the workflows one search reads. It takes about 3 ms for each MiB. */
export type SearchLimits = {
  /** Workflows in one statement. */
  workflowsAtOnce: number;
  /** Bodies that are read and parsed before other work runs. One body may be larger. */
  bytesAtOnce: number;
  bytesMax: number;
  /** Workflows in the answer. */
  workflowsMax: number;
};

const searchLimits: SearchLimits = {
  workflowsAtOnce: 500,
  bytesAtOnce: 1024 * 1024,
  bytesMax: 1024 ** 3,
  workflowsMax: 500,
};

const placesMax = 20;
/** A draft may have ids of any length. */
const idCharsMax = 100;

/**
 * The workflows whose drafts or published bodies name a channel by one of these names, by name. Reads all
 * of them in portions, because drafts and nodes have no index.
 */
export async function listChannelUses(
  db: Db,
  names: readonly string[],
  limits: SearchLimits = searchLimits,
): Promise<ChannelUses> {
  const uses = new Map<string, Use>();
  if (names.length === 0) return toUses(uses, false);
  // As they are in JSON.
  const texts = names.map((name) => `"${name}"`);
  let bytesLeft = limits.bytesMax;
  for await (const portion of listPortions(db, limits)) {
    bytesLeft -= portion.reduce((bytes, body) => bytes + body.bytes, 0);
    if (bytesLeft < 0) return toUses(uses, true);
    const ids = portion.map(({ id }) => id);
    const found = await readBodiesWith(db, ids, texts);
    for (const body of portion) {
      const references = findChannelReferences(found.get(body.id), names);
      if (references.length === 0) continue;
      const isNew = !uses.has(body.workflowId);
      if (isNew && uses.size === limits.workflowsMax) return toUses(uses, true);
      uses.set(body.workflowId, withReferences(uses.get(body.workflowId), body, references));
    }
    await yieldToEventLoop();
  }
  return toUses(uses, false);
}

async function* listPortions(db: Db, limits: SearchLimits): AsyncGenerator<CurrentBody[]> {
  let after: string | undefined = "";
  while (after !== undefined) {
    const bodies = await listCurrentBodies(db, { after, limit: limits.workflowsAtOnce });
    yield* toPortions(bodies, limits.bytesAtOnce);
    after = bodies.at(-1)?.workflowId;
  }
}

function* toPortions(bodies: readonly CurrentBody[], bytesMax: number): Generator<CurrentBody[]> {
  let portion: CurrentBody[] = [];
  let bytes = 0;
  for (const body of bodies) {
    if (portion.length > 0 && bytes + body.bytes > bytesMax) {
      yield portion;
      portion = [];
      bytes = 0;
    }
    portion.push(body);
    bytes += body.bytes;
  }
  if (portion.length > 0) yield portion;
}

/** The members of a trigger or node that say whether it names a channel. A draft may have errors. */
const itemSchema = z.object({ id: z.unknown(), type: z.unknown(), channel: z.unknown() });
const itemsSchema = z.array(itemSchema.catch({ id: "", type: "", channel: "" })).catch([]);
const bodySchema = z.object({ triggers: itemsSchema, nodes: itemsSchema });

type NamedReference = Pick<ChannelReference, "type" | "id" | "named">;

function findChannelReferences(
  text: string | undefined,
  names: readonly string[],
): NamedReference[] {
  if (text === undefined) return [];
  const { triggers, nodes } = bodySchema.parse(JSON.parse(text));
  const toReferences = (type: NamedReference["type"], items: typeof nodes) =>
    items.flatMap(({ id, type: itemType, channel }) => {
      const named = names.find((name) => name === channel);
      return itemType === "channel" && named !== undefined
        ? [{ type, id: String(id).slice(0, idCharsMax), named }]
        : [];
    });
  return [...toReferences("trigger", triggers), ...toReferences("node", nodes)];
}

/** A workflow with its references to the channel, which are cut in the answer. */
type Use = { id: string; name: string; references: Map<string, ChannelReference> };

function withReferences(
  use: Use | undefined,
  body: CurrentBody,
  found: readonly NamedReference[],
): Use {
  const references = use?.references ?? new Map<string, ChannelReference>();
  for (const reference of found) {
    const key = JSON.stringify([reference.type, reference.id, reference.named]);
    const bodies = references.get(key)?.bodies ?? [];
    if (body.isPublished) bodies.push("published");
    if (body.isDraft) bodies.push("draft");
    references.set(key, { ...reference, bodies });
  }
  return { id: body.workflowId, name: body.workflowName, references };
}

function toUses(uses: ReadonlyMap<string, Use>, isCut: boolean): ChannelUses {
  const workflows = [...uses.values()].map(({ id, name, references }) => ({
    id,
    name,
    places: [...references.values()].slice(0, placesMax),
    places_more: Math.max(references.size - placesMax, 0),
  }));
  return { workflows: workflows.sort((a, b) => (a.name < b.name ? -1 : 1)), is_cut: isCut };
}
