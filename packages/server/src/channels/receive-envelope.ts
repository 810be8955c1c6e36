import type { Caller } from "../caller.ts";
import type { Directory, Row, RowDirectory } from "../connectors/row-directory.ts";
import { HubError } from "../errors.ts";
import { findChannel } from "../workflows/channels/find-channel.ts";
import { toCompared } from "../workflows/channels/match-event.ts";
import { hideTokens } from "../workflows/engine/hide-tokens.ts";
import { isUnavailable } from "../workflows/engine/wait-for-database.ts";
import { findTrigger } from "../workflows/triggers/trigger-run.ts";
import type { OpenWorkflows, Workflows } from "../workflows/workflows.ts";
import type { ChannelTriggers, ListedTrigger } from "./channel-triggers.ts";
import type { ChatEnvelope, ReceivedEnvelope } from "./chat-adapter.ts";
import { createStarts } from "./start-runs.ts";

/** Turns what channels receive into runs. */
export type EnvelopeReceiver = {
  /**
   * Resolves when the runs of all matching workflows are on disk. Rejects if they cannot be stored
   * now. A second delivery of an envelope starts only what is missing.
   */
  receive(rowId: string, envelope: ChatEnvelope): Promise<ReceivedEnvelope>;
};

export type ReceiverDeps = {
  directory: Pick<RowDirectory, "current">;
  triggers: ChannelTriggers;
  openWorkflows: OpenWorkflows;
  findCaller(userId: string): Promise<Caller | null>;
  /**
   * Handles a text that a person sent to the bot alone. True if it was meant for the hub itself, so
   * that it starts no run.
   */
  takeDirect?(row: Row, envelope: ChatEnvelope): Promise<boolean>;
  note?(rowId: string, envelope: ChatEnvelope, received: ReceivedEnvelope): void;
  /** `workflowId` is null if the event itself could not be read. */
  logFailure(err: unknown, place: { channel: string; workflowId: string | null }): void;
};

type Waiting = {
  envelope: ChatEnvelope;
  resolve(received: ReceivedEnvelope): void;
  reject(reason: unknown): void;
};

/** Envelopes of one channel that are matched and stored together. */
const batchMax = 64;
/** More of one channel are refused, so that the platform delivers them again later. */
const waitingMax = 10_000;

export function createEnvelopeReceiver(deps: ReceiverDeps): EnvelopeReceiver {
  // Each channel has its own turn, so that a noisy one does not keep the others waiting.
  const waiting = new Map<string, Waiting[]>();

  async function work(rowId: string, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.splice(0, batchMax);
      try {
        const received = await receiveBatch(deps, rowId, batch);
        for (const [at, { envelope, resolve }] of batch.entries()) {
          const one = received[at] ?? { runs: 0 };
          deps.note?.(rowId, envelope, one);
          resolve(one);
        }
      } catch (err) {
        for (const { reject } of batch) reject(err);
      }
    }
    waiting.delete(rowId);
  }

  return {
    receive(rowId, envelope) {
      const { promise, resolve, reject } = Promise.withResolvers<ReceivedEnvelope>();
      const known = waiting.get(rowId);
      if (known !== undefined && known.length >= waitingMax) {
        const message = "Too many events of this channel wait. Deliver it again later.";
        reject(new HubError("rate_limited", message, { detail: { retry_after_s: 5 } }));
        return promise;
      }
      const entry = { envelope, resolve, reject };
      if (known !== undefined) known.push(entry);
      else {
        const queue = [entry];
        waiting.set(rowId, queue);
        // After the calls of this moment, so that they share a batch.
        queueMicrotask(() => void work(rowId, queue));
      }
      return promise;
    },
  };
}

async function receiveBatch(
  deps: ReceiverDeps,
  rowId: string,
  batch: readonly Waiting[],
): Promise<ReceivedEnvelope[]> {
  const directory = await deps.directory.current();
  const row = directory.find(rowId);
  // Disabled or deleted since the platform sent them.
  if (row === null || row.slug === null || !isOn(directory, row)) {
    return batch.map(() => ({ runs: 0 }));
  }
  const received = batch.map(() => ({ runs: 0 }));
  const place: Place = {
    ...{ deps, row, slug: row.slug },
    findOwner: createOwnerFinder(deps),
    sees: createSight(directory, rowId),
    starts: createStarts(deps, row, (at) => {
      const one = received[at];
      if (one !== undefined) one.runs += 1;
    }),
  };
  for (const [at, { envelope }] of batch.entries()) {
    try {
      await readEnvelope(place, envelope, at);
    } catch (err) {
      if (!(err instanceof HubError) || isUnavailable(err)) throw err;
      // It would come again for ever, and stop those that came with it.
      deps.logFailure(err, { channel: row.slug, workflowId: null });
    }
  }
  await place.starts.finish();
  return received;
}

type Place = {
  deps: ReceiverDeps;
  row: Row;
  slug: string;
  findOwner: ReturnType<typeof createOwnerFinder>;
  sees: ReturnType<typeof createSight>;
  starts: ReturnType<typeof createStarts>;
};

async function readEnvelope(place: Place, envelope: ChatEnvelope, at: number): Promise<void> {
  const { deps, row, slug } = place;
  if (envelope.direct !== null && (await deps.takeDirect?.(row, envelope)) === true) return;
  for (const [index, { event, payload }] of envelope.events.entries()) {
    const names = [slug, row.connectorKey];
    const compared = toCompared(envelope.from, payload);
    const matching = await deps.triggers.findMatching(names, event, compared);
    if (matching.length === 0) continue;
    const workflows = await deps.openWorkflows();
    // Value tokens belong to one user, and the text of a chat is of anyone.
    const shown = hideTokens(payload);
    const deliveryId = toDeliveryId(row.id, envelope.id, index);
    for (const trigger of matching) {
      const owner = await place.findOwner(trigger.ownerId);
      if (owner === null) continue;
      if (!place.sees(owner, trigger.channel)) continue;
      const fired = await fire(deps, workflows, row, trigger);
      if (fired === null) continue;
      const request = {
        ...{ ...fired, payload: shown, source: slug, deliveryId },
        startedBy: `channel ${trigger.triggerId}`,
      };
      await place.starts.add(workflows, request, at, compared.text.length);
    }
  }
}

function isOn(directory: Directory, row: Row): boolean {
  return !row.disabled && !directory.isTypeDisabled(row.connectorKey);
}

/** Whether the channel is what an owner means by a name, with the rights of this moment. */
function createSight({ rows }: Directory, rowId: string) {
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
function createOwnerFinder({ findCaller }: Pick<ReceiverDeps, "findCaller">) {
  const known = new Map<string, Promise<Caller | null>>();
  return (userId: string) => {
    const found = known.get(userId) ?? findCaller(userId);
    known.set(userId, found);
    return found;
  };
}

async function fire(
  deps: ReceiverDeps,
  { directory, engine }: Workflows,
  row: Row,
  { workflowId, triggerId }: ListedTrigger,
) {
  try {
    const { plans } = engine;
    return await findTrigger({ directory, plans }, "channel", { workflowId, triggerId });
  } catch (err) {
    // A broken workflow must not stop the others.
    if (isUnavailable(err)) throw err;
    deps.logFailure(err, { channel: row.slug ?? row.id, workflowId });
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
