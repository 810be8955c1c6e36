import type { Caller } from "../caller.ts";
import type { Directory, Row, RowDirectory } from "../connectors/rows/row-directory.ts";
import { isRowOn } from "../operations/admission/list-form.ts";
import { toCompared } from "../workflows/channels/event-filters.ts";
import { findChannel } from "../workflows/channels/find-channel.ts";
import { isUnavailable } from "../workflows/engine/claim/wait-for-database.ts";
import { hideTokens } from "../workflows/engine/secrets/hide-tokens.ts";
import { findFiredTrigger } from "../workflows/triggers/find-fired-trigger.ts";
import type { OpenWorkflows, Workflows } from "../workflows/workflows.ts";
import type { ChannelTriggers, ListedTrigger } from "./channel-triggers.ts";
import type { ChatEnvelope } from "./chat-adapter.ts";
import type { Waiting } from "./envelope-queue.ts";
import type { FailedPart } from "./failed-envelopes.ts";
import { createStarts } from "./start-runs.ts";

export type BatchDeps = {
  directory: Pick<RowDirectory, "current">;
  triggers: ChannelTriggers;
  openWorkflows: OpenWorkflows;
  findCaller(userId: string): Promise<Caller | null>;
  /**
   * Handles a text that a person sent to the bot alone. True if it was meant for the hub itself, so
   * that it starts no run.
   */
  takeDirect?(row: Row, envelope: ChatEnvelope): Promise<boolean>;
  /** Decides an approval for the person who clicked a button of its message. */
  handleClick?(row: Row, envelope: ChatEnvelope): Promise<void>;
  /** The user to whom the account of a person is linked; null for other accounts. */
  findLinkedUser?(
    kind: string,
    sender: NonNullable<ChatEnvelope["sender"]>,
  ): Promise<string | null>;
  /** A delivery has no form that the adapter knows. `reason` has no content of it. */
  logUnreadable(channel: string, reason: string): void;
  /** `workflowId` is null if the event itself could not be read. */
  logFailure(err: unknown, ctx: { channel: string; workflowId: string | null }): void;
};

/** What became of an envelope: its runs, and the parts that failed. */
export type Stored = { runs: number; failed: FailedPart[] };

/** Starts the runs of a batch. One envelope that fails does not stop the others; a database that is away does. */
export async function storeBatch(
  deps: BatchDeps,
  rowId: string,
  batch: readonly Waiting[],
): Promise<Stored[]> {
  const directory = await deps.directory.current();
  const row = directory.find(rowId);
  const stored = batch.map((): Stored => ({ runs: 0, failed: [] }));
  // Disabled or deleted since the platform sent them.
  if (row === null || row.slug === null || !isRowOn(directory, row)) return stored;
  const fail = (at: number, err: unknown, workflowId: FailedPart) => {
    deps.logFailure(err, { channel: row.slug ?? rowId, workflowId });
    stored[at]?.failed.push(workflowId);
  };
  const ctx: BatchContext = {
    deps,
    row,
    slug: row.slug,
    fail,
    findOwner: createOwnerFinder(deps),
    sees: createVisibility(directory, rowId),
    starts: createStarts({
      count(at) {
        const one = stored[at];
        if (one !== undefined) one.runs += 1;
      },
      fail,
    }),
  };
  for (const [at, { envelope, chars }] of batch.entries()) {
    try {
      await readEnvelope(ctx, envelope, { at, chars });
    } catch (err) {
      if (isUnavailable(err)) throw err;
      fail(at, err, null);
    }
  }
  await ctx.starts.finish();
  return stored;
}

type BatchContext = {
  deps: BatchDeps;
  row: Row;
  slug: string;
  findOwner: ReturnType<typeof createOwnerFinder>;
  sees: ReturnType<typeof createVisibility>;
  starts: ReturnType<typeof createStarts>;
  fail(at: number, err: unknown, workflowId: FailedPart): void;
};

async function readEnvelope(
  ctx: BatchContext,
  envelope: ChatEnvelope,
  { at, chars }: { at: number; chars: number },
): Promise<void> {
  const { deps, row, slug } = ctx;
  if (envelope.unreadable !== undefined) {
    return deps.logUnreadable(slug, envelope.unreadable);
  }
  if (envelope.click !== undefined) return await deps.handleClick?.(row, envelope);
  if (envelope.direct !== null && (await deps.takeDirect?.(row, envelope)) === true) return;
  let starterIds: string[] | null = null;
  for (const [index, { event, payload }] of envelope.events.entries()) {
    const names = [slug, row.connectorKey];
    const compared = toCompared(envelope.from, payload);
    const matching = await deps.triggers.findMatching(names, event, compared);
    if (matching.length === 0) continue;
    const workflows = await deps.openWorkflows();
    // Value tokens belong to one user, and the text of a chat is of anyone.
    const shown = hideTokens(payload);
    const deliveryId = toDeliveryId(row.id, envelope.id, index);
    starterIds ??= await findStarters(ctx, envelope);
    for (const trigger of matching) {
      const owner = await ctx.findOwner(trigger.ownerId);
      if (owner === null) continue;
      if (!ctx.sees(owner, trigger.channel)) continue;
      const fired = await fire(ctx, workflows, trigger, at);
      if (fired === null) continue;
      const request = {
        ...fired,
        payload: shown,
        source: slug,
        deliveryId,
        startedBy: `channel ${trigger.triggerId}`,
        starterIds,
      };
      await ctx.starts.add(workflows, request, at, chars);
    }
  }
}

/** Who sent it may not decide the approvals of its runs. */
async function findStarters(
  { deps, row }: BatchContext,
  { sender, from }: ChatEnvelope,
): Promise<string[]> {
  if (sender === null || from !== "person") return [];
  const userId = (await deps.findLinkedUser?.(row.connectorKey, sender)) ?? null;
  return userId === null ? [] : [userId];
}

/** Whether the channel is what an owner means by a name, with the rights of this moment. */
function createVisibility({ rows }: Directory, rowId: string) {
  const channels = rows.filter(({ slug }) => slug !== null);
  const known = new Map<string, boolean>();
  return (owner: Caller, name: string): boolean => {
    const key = `${owner.userId} ${name}`;
    const seen = known.get(key) ?? findChannel(channels, owner, name)?.id === rowId;
    known.set(key, seen);
    return seen;
  };
}

/** Owners of one batch are read once. */
function createOwnerFinder({ findCaller }: Pick<BatchDeps, "findCaller">) {
  const known = new Map<string, Promise<Caller | null>>();
  return (userId: string) => {
    const found = known.get(userId) ?? findCaller(userId);
    known.set(userId, found);
    return found;
  };
}

async function fire(
  { fail }: BatchContext,
  { directory, engine }: Workflows,
  { workflowId, triggerId }: ListedTrigger,
  at: number,
) {
  try {
    const { plans } = engine;
    return await findFiredTrigger({ directory, plans }, "channel", { workflowId, triggerId });
  } catch (err) {
    // A broken workflow must not stop the others.
    if (isUnavailable(err)) throw err;
    fail(at, err, workflowId);
    return null;
  }
}

const idCharsMax = 100;

/** The key of one event of a delivery. */
function toDeliveryId(rowId: string, envelopeId: string, index: number): string {
  const id =
    envelopeId.length <= idCharsMax
      ? envelopeId
      : new Bun.CryptoHasher("sha256").update(envelopeId).digest("hex");
  return `channel:${rowId}:${id}${index === 0 ? "" : `:${index}`}`;
}
