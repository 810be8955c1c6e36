import { yieldToEventLoop } from "../lib/time/yield-to-event-loop.ts";
import type { Db } from "../store/database/database.ts";
import { listChannelTriggers } from "../store/workflows/workflow-triggers.ts";
import {
  type ComparedEvent,
  type EventFilters,
  matchesFilters,
  readFilters,
} from "../workflows/channels/event-filters.ts";
import { createTextIndex, type TextIndex } from "./text-index.ts";

/** A published trigger that may match events of a channel. */
export type ListedTrigger = {
  workflowId: string;
  triggerId: string;
  ownerId: string;
  /** What the trigger names: the slug or the kind. */
  channel: string;
  filters: EventFilters;
};

/** The published triggers of channels, kept in memory until the configuration changes. */
export type ChannelTriggers = {
  /** The triggers that match the event. `names` are the slug and the kind of its channel. */
  findMatching(
    names: readonly string[],
    eventId: string,
    event: ComparedEvent,
  ): Promise<ListedTrigger[]>;
};

type TriggerDeps = { db: Db; readRevision(): Promise<number> };

/** Triggers with a list of channels by channel, then those with a text, and all others. */
type TriggerIndex = {
  byChannelId: ReadonlyMap<string, readonly ListedTrigger[]>;
  byText: TextIndex<ListedTrigger>;
  others: readonly ListedTrigger[];
};

/** Between two looks at the clock. A comparison takes about a microsecond. */
const portion = 16;
/** Between two looks at the event loop. A long text that is built to hurt takes longer to search. */
const sliceMs = 5;
/** Read triggers between two looks at the event loop. */
const readPortion = 2_000;
/** Of channels and events with many triggers. More are read again. */
const keptMax = 1_000;

export function createChannelTriggers({ db, readRevision }: TriggerDeps): ChannelTriggers {
  const kept = new Map<string, Promise<TriggerIndex>>();
  let revision = -1;
  // For all events: many short searches one after another are a long one.
  let sliceEnd = 0;

  async function find(names: readonly string[], eventId: string): Promise<TriggerIndex> {
    const present = await readRevision();
    if (present !== revision || kept.size > keptMax) kept.clear();
    revision = present;
    const key = JSON.stringify([eventId, ...names]);
    const known = kept.get(key) ?? load(db, names, eventId);
    kept.set(key, known);
    known.catch(() => kept.delete(key));
    return await known;
  }

  return {
    async findMatching(names, eventId, event) {
      const { byChannelId, byText, others } = await find(names, eventId);
      const { channel_id: channelId } = event.payload;
      const listed = typeof channelId === "string" ? (byChannelId.get(channelId) ?? []) : [];
      const found: ListedTrigger[] = [];
      let compared = 0;
      for (const triggers of [listed, ...byText.findCandidates(event.text), others]) {
        for (const trigger of triggers) {
          compared += 1;
          if (compared % portion === 0 && performance.now() >= sliceEnd) {
            await yieldToEventLoop();
            sliceEnd = performance.now() + sliceMs;
          }
          if (matchesFilters(trigger.filters, event)) found.push(trigger);
        }
      }
      return found;
    },
  };
}

async function load(db: Db, names: readonly string[], event: string): Promise<TriggerIndex> {
  const byChannelId = new Map<string, ListedTrigger[]>();
  const byText = createTextIndex<ListedTrigger>();
  const others: ListedTrigger[] = [];
  for (const [at, stored] of (
    await listChannelTriggers(db, { channels: names, event })
  ).entries()) {
    if (at % readPortion === readPortion - 1) await yieldToEventLoop();
    const match: unknown = stored.match === null ? {} : JSON.parse(stored.match);
    const { workflowId, triggerId, ownerId, channel } = stored;
    const trigger = { workflowId, triggerId, ownerId, channel, filters: readFilters(match) };
    const { lists, text } = trigger.filters;
    const ids = lists.find(({ member }) => member === "channel_id");
    if (ids !== undefined) for (const id of ids.values) add(byChannelId, id, trigger);
    else if (text === null || !byText.add(text, trigger)) others.push(trigger);
  }
  return { byChannelId, byText, others };
}

function add(index: Map<string, ListedTrigger[]>, id: string, trigger: ListedTrigger): void {
  const own = index.get(id);
  if (own === undefined) index.set(id, [trigger]);
  else own.push(trigger);
}
