import type { LookupItem } from "@hub/connector";
import { z } from "zod";
import type { SlackApi } from "./slack-api.ts";
import { toUpstreamError } from "./slack-failure.ts";

/** A picker shows a short list. A large workspace is searched only in its beginning. */
const itemsMax = 20;
const pageSize = 200;
const pagesMax = 10;

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
  read(answer: Record<string, unknown>): { item: LookupItem; texts: string[] }[];
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

/** Items of a source whose names contain the query, at most 20. */
export async function lookUp(
  api: SlackApi,
  { source, query }: { source: string; query: string },
): Promise<LookupItem[]> {
  const found = Object.hasOwn(sources, source) ? sources[source] : undefined;
  if (found === undefined) return [];
  const wanted = query.trim().replace(/^[@#]/, "").toLowerCase();
  const items: LookupItem[] = [];
  let cursor = "";
  for (let pages = 0; pages < pagesMax && items.length < itemsMax; pages += 1) {
    const paging = found.isPaged ? { limit: pageSize, ...(cursor !== "" && { cursor }) } : {};
    const answer = await readPage(api, found, paging);
    for (const { item, texts } of found.read(answer)) {
      if (texts.some((text) => text.toLowerCase().includes(wanted))) items.push(item);
    }
    cursor = page.safeParse(answer).data?.response_metadata?.next_cursor ?? "";
    if (!found.isPaged || cursor === "") break;
  }
  return items.slice(0, itemsMax);
}

async function readPage(api: SlackApi, { method, args }: Source, paging: object) {
  try {
    return await api.call(method, { ...args, ...paging });
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
