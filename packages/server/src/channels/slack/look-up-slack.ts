import { createHash } from "node:crypto";
import type { LookupItem } from "@hub/connector";
import { containsText } from "@hub/connector";
import { z } from "zod";
import { findSource } from "../find-look-up-source.ts";
import { callPatiently, type SlackApi } from "./slack-api.ts";
import type { SlackSettings } from "./slack-config.ts";
import { toUpstreamError } from "./slack-failure.ts";

/** A picker shows a short list. */
const itemsMax = 20;
/** The most that Slack gives. */
const pageSize = 1_000;
/** Of a workspace that is larger, only the beginning is searched. All that is kept is at most twice as much. */
const namesMax = 100_000;
const sourcesMax = 20;
const keptMs = 5 * 60_000;

const page = z.looseObject({
  response_metadata: z.looseObject({ next_cursor: z.string().nullish() }).nullish(),
});

const user = z.looseObject({
  id: z.string(),
  name: z.string().catch(""),
  deleted: z.boolean().catch(false),
  real_name: z.string().nullish(),
  profile: z.looseObject({ display_name: z.string().nullish() }).nullish(),
});

const channel = z.looseObject({
  id: z.string(),
  name: z.string().catch(""),
  is_private: z.boolean().catch(false),
});

const group = z.looseObject({
  id: z.string(),
  name: z.string().catch(""),
  handle: z.string().catch(""),
});

type Source = {
  method: string;
  args: Record<string, unknown>;
  isPaged: boolean;
  /** The items of an answer with all texts in which the query is looked for. */
  read(answer: Record<string, unknown>): Found[];
};

const sources: Readonly<Record<string, Source>> = {
  "slack.users": {
    method: "users.list",
    args: {},
    isPaged: true,
    read: ({ members }) =>
      readList(user, members)
        .filter(({ deleted }) => !deleted)
        .map(({ id, name, real_name, profile }) => {
          const shown = real_name || profile?.display_name || name;
          const item = { id, name: shown === name ? `@${name}` : `${shown} (@${name})` };
          return { item, texts: [name, real_name ?? "", profile?.display_name ?? "", id] };
        }),
  },
  "slack.channels": {
    method: "conversations.list",
    args: { types: "public_channel,private_channel", exclude_archived: true },
    isPaged: true,
    read: ({ channels }) =>
      readList(channel, channels).map(({ id, name, is_private }) => ({
        item: { id, name: `#${name}${is_private ? " (private)" : ""}` },
        texts: [name, id],
      })),
  },
  "slack.usergroups": {
    method: "usergroups.list",
    args: {},
    isPaged: false,
    read: ({ usergroups }) =>
      readList(group, usergroups).map(({ id, name, handle }) => ({
        item: { id, name: `${name} (@${handle})` },
        texts: [name, handle, id],
      })),
  },
};

type Found = { item: LookupItem; texts: string[] };

/** The names of one source that were read so far. */
type Names = {
  found: Found[];
  /** Of the next page; null if there is none. */
  cursor: string | null;
  readAt: number;
  /** Pages are read one after another, also for several people who type. */
  reading: Promise<void>;
};

export type LookUp = (
  deps: { api: SlackApi; settings: SlackSettings; signal: AbortSignal },
  question: { source: string; query: string },
) => Promise<LookupItem[]>;

/**
 * Finds items of a source whose names contain the query, at most 20. Pages are read until there are enough, and
 * kept for some minutes, because Slack allows about twenty pages a minute.
 */
export function createLookUp({ now }: { now(): number }): LookUp {
  const kept = new Map<string, Names>();

  function open(key: string): Names {
    const known = kept.get(key);
    if (known !== undefined && now() - known.readAt < keptMs) return known;
    const names = { found: [], cursor: "", readAt: now(), reading: Promise.resolve() };
    kept.delete(key);
    kept.set(key, names);
    dropOldest(kept);
    return names;
  }

  return async ({ api, settings, signal }, { source, query }) => {
    const name = findSource(Object.keys(sources), source);
    const known = sources[name];
    if (known === undefined) return [];
    const names = open(toKey(settings, name));
    const wanted = query.trim().replace(/^[@#]/, "").toLowerCase();
    const items: LookupItem[] = [];
    for (let searched = 0; ; ) {
      for (; searched < names.found.length && items.length < itemsMax; searched += 1) {
        const one = names.found[searched];
        if (one?.texts.some((text) => containsText(text, wanted))) items.push(one.item);
      }
      const isOver = names.cursor === null || names.found.length >= namesMax;
      if (items.length >= itemsMax || (isOver && searched >= names.found.length)) return items;
      const own = names.reading
        .catch(() => {})
        // Another search may have read the page meanwhile.
        .then(() =>
          names.found.length > searched ? undefined : readPage(api, signal, known, names),
        );
      names.reading = own;
      await own;
    }
  };
}

/** Not the token itself, which would stay in memory. */
function toKey({ botToken, baseUrl }: SlackSettings, source: string): string {
  return createHash("sha256")
    .update(JSON.stringify([baseUrl, botToken, source]))
    .digest("hex");
}

/** A map lists its entries in the order of insertion. */
function dropOldest(kept: Map<string, Names>): void {
  let left = [...kept.values()].reduce((sum, { found }) => sum + found.length, 0);
  for (const [key, { found }] of kept) {
    if (kept.size <= sourcesMax && left <= namesMax) return;
    left -= found.length;
    kept.delete(key);
  }
}

async function readPage(
  api: SlackApi,
  signal: AbortSignal,
  { method, args, isPaged, read }: Source,
  names: Names,
): Promise<void> {
  const { cursor } = names;
  if (cursor === null) return;
  const paging = isPaged ? { limit: pageSize, ...(cursor !== "" && { cursor }) } : {};
  try {
    const answer = await callPatiently(api, signal, method, { ...args, ...paging });
    for (const { item, texts } of read(answer)) {
      names.found.push({ item, texts: texts.map((text) => text.toLowerCase()) });
    }
    const next = page.safeParse(answer).data?.response_metadata?.next_cursor ?? "";
    names.cursor = isPaged && next !== "" && next !== cursor ? next : null;
  } catch (thrown) {
    throw toUpstreamError(thrown);
  }
}

/** Entries that are not as expected are left out. */
function readList<T>(schema: z.ZodType<T>, list: unknown): T[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    const found = schema.safeParse(entry);
    return found.success ? [found.data] : [];
  });
}
