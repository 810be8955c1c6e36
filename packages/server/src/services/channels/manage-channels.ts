import { readConfig, toFieldNames } from "@hub/connector";
import {
  type Channel,
  type ChannelDetail,
  type ChannelUses,
  slugCharsMax,
  slugPattern,
} from "@hub/contract/channel.ts";
import type { RowDetail } from "@hub/contract/row.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { z } from "zod";
import type { Caller } from "../../caller.ts";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { toInputGroups } from "../../connectors/field-groups.ts";
import { findMissingFields } from "../../connectors/rows/find-missing-fields.ts";
import { isVisible, toVisibleTags } from "../../connectors/rows/row-visibility.ts";
import { HubError } from "../../errors.ts";
import { checkInput } from "../../lib/input/check-input.ts";
import { listChannelStates, type StoredChannelState } from "../../store/channels/channels-table.ts";
import { transaction } from "../../store/database/database.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";
import { findRowBySlug, listChannelRows, updateRow } from "../../store/rows/rows-table.ts";
import { listDisabledTypes } from "../../store/rows/switches.ts";
import type { ChatEventType } from "../../workflows/channels/chat-event-type.ts";
import { listChannelUses } from "../../workflows/channels/list-channel-uses.ts";
import { loadRow } from "../rows/load-row.ts";
import { findKnown } from "../rows/states/read-row-states.ts";
import { readRowDetail } from "../rows/views/present-row.ts";
import type { ServiceDeps } from "../service-deps.ts";

type ChannelDeps = Pick<ServiceDeps, "store" | "registry" | "chats" | "channelProblems" | "now">;

/** The channels that the caller sees, by slug. */
export async function listChannels(
  deps: Pick<ChannelDeps, "store" | "registry" | "chats">,
  caller: Caller,
): Promise<Channel[]> {
  const { db } = deps.store;
  const rows = await listChannelRows(db, { taggedAmong: toVisibleTags(caller) });
  const visible = rows.filter((row) => isVisible(caller, row));
  const present = await createPresenter(deps, visible);
  return visible
    .map(present)
    .map((channel) => (caller.role === "admin" ? channel : { ...channel, reason: null }))
    .sort((one, other) => (one.slug < other.slug ? -1 : 1));
}

/** A channel for admins. Throws `not_found` for a row that is no channel. */
export async function showChannel(
  deps: ChannelDeps,
  rowId: string,
  { baseUrl }: { baseUrl: string },
): Promise<ChannelDetail> {
  const { db } = deps.store;
  const row = await loadRow(db, rowId);
  const slug = checkChannel(row);
  const present = await createPresenter(deps, [row]);
  const [state] = await listChannelStates(db, [row.id]);
  return {
    ...present(row),
    request_url: (await acceptsRequests(deps, row)) ? `${baseUrl}/channels/${slug}/events` : null,
    storing_failure: deps.channelProblems.find(row.id),
    recent: state === undefined ? [] : readRecent(state.recent),
  };
}

/** The workflows that name a channel by its slug or its kind, for admins. */
export async function listUsesOfChannel(
  { store }: Pick<ChannelDeps, "store">,
  rowId: string,
): Promise<ChannelUses> {
  const row = await loadRow(store.db, rowId);
  return await listChannelUses(store.db, [checkChannel(row), row.connectorKey]);
}

/** Opens no secret: they do not decide how events arrive. */
async function acceptsRequests(
  { registry, chats }: Pick<ChannelDeps, "registry" | "chats">,
  { connectorKey, values }: RowRecord,
): Promise<boolean> {
  const connector = registry.find(connectorKey);
  if (connector === null || !chats.has(connectorKey)) return false;
  const texts = Object.fromEntries(
    values.flatMap(({ key, value }) => (value === null ? [] : [[key, value]])),
  );
  const { configFields: fields } = connector;
  return await chats.acceptsRequests(connectorKey, toFieldNames(fields, readConfig(fields, texts)));
}

const slugSchema = z.strictObject({
  slug: z
    .string()
    .max(slugCharsMax, { error: `must have at most ${slugCharsMax} characters.` })
    .regex(slugPattern, {
      error: "must be lower-case letters, digits and hyphens, such as team-chat.",
    }),
});

/**
 * Gives a channel another slug. Triggers and nodes that name the former one no longer find it; they are
 * in the answer.
 */
export async function setChannelSlug(
  { store, registry, chats, now }: Omit<ChannelDeps, "channelProblems">,
  actor: Actor,
  rowId: string,
  input: z.input<typeof slugSchema>,
): Promise<RowDetail & { still_named_in: ChannelUses }> {
  const { slug } = checkInput(slugSchema, input);
  if (chats.has(slug)) {
    throw new HubError(
      "bad_request",
      `"${slug}" is the name of a chat platform. Choose another slug.`,
    );
  }
  const at = now();
  const stamp = stampChange(actor, at);
  const changed = await transaction(store.db, async (trx) => {
    const row = await loadRow(trx, rowId);
    const former = checkChannel(row);
    const other = await findRowBySlug(trx, slug);
    if (other !== null && other.id !== row.id) {
      throw new HubError(
        "conflict",
        `The channel "${other.label}" has the slug "${slug}" already.`,
      );
    }
    if (slug !== former) {
      await updateRow(trx, row.id, { slug }, at);
      await recordChange(trx, stamp, {
        action: "row.update",
        kind: "row",
        id: row.id,
        name: row.label,
        detail: { slug: { from: former, to: slug } },
      });
    }
    return { former, row: await readRowDetail(trx, registry, row.id) };
  });
  const names = changed.former === slug ? [] : [changed.former];
  return { ...changed.row, still_named_in: await listChannelUses(store.db, names) };
}

function checkChannel({ slug }: RowRecord): string {
  if (slug !== null) return slug;
  throw new HubError("not_found", "This row is no channel: its connector is no chat platform.");
}

async function createPresenter(
  { store, registry, chats }: Pick<ChannelDeps, "store" | "registry" | "chats">,
  rows: readonly RowRecord[],
): Promise<(row: RowRecord) => Channel> {
  const { db } = store;
  const ids = rows.map(({ id }) => id);
  const states = new Map((await listChannelStates(db, ids)).map((one) => [one.rowId, one]));
  const disabledTypes = await listDisabledTypes(db);
  const rowStates = new Map(
    (await findKnown({ store, registry }, rows)).map((one) => [one.record.id, one.state]),
  );
  const events = new Map<string, Channel["events"]>();
  for (const kind of new Set(rows.map(({ connectorKey }) => connectorKey))) {
    const found = chats.has(kind) ? await chats.loadEvents(kind) : [];
    events.set(kind, found.map(presentEvent));
  }
  return (row) => {
    const stored = states.get(row.id) ?? null;
    const connector = registry.find(row.connectorKey);
    const isOn = !row.disabled && !disabledTypes.has(row.connectorKey);
    const isSetUp =
      connector !== null && findMissingFields(connector.configFields, row).length === 0;
    const state = !isOn ? "disabled" : !isSetUp ? "needs_setup" : toState(row, stored);
    const isTried = state === "connecting" || state === "failed";
    return {
      id: row.id,
      slug: row.slug ?? "",
      connector: row.connectorKey,
      label: row.label,
      state,
      row_state: rowStates.get(row.id) ?? "unused",
      reason: isTried ? (stored?.reason ?? null) : null,
      changed_at: stored === null || stored.changedAt === 0 ? null : toTimeText(stored.changedAt),
      account: readAccount(stored?.account ?? null),
      events: events.get(row.connectorKey) ?? [],
    };
  };
}

function presentEvent({ id, name, description, match }: ChatEventType): Channel["events"][number] {
  return { id, name, description, match: toInputGroups(match) };
}

function toState(
  { version }: RowRecord,
  stored: StoredChannelState | null,
): "connected" | "connecting" | "failed" | "stopped" {
  // The platform has refused this version of the row.
  if (stored !== null && stored.refusedVersion === version) return "failed";
  return stored === null || stored.holder === null ? "stopped" : stored.state;
}

/** What a server has stored, of this or another version. */
const storedAccountSchema = z.object({
  teamName: z.string().nullable().catch(null),
  userId: z.string(),
  userName: z.string().nullable().catch(null),
});
const storedRecentSchema = z.array(
  z.object({
    at: z.number(),
    events: z.array(z.string()),
    runs: z.int(),
    failure: z.enum(["again", "given_up", "unreadable"]).nullable().catch(null),
  }),
);

function readAccount(text: string | null): Channel["account"] {
  const read = storedAccountSchema.safeParse(text === null ? null : JSON.parse(text));
  if (!read.success) return null;
  const { teamName, userId, userName } = read.data;
  return { team_name: teamName, user_id: userId, user_name: userName };
}

function readRecent(text: string): ChannelDetail["recent"] {
  const read = storedRecentSchema.safeParse(JSON.parse(text));
  return read.success ? read.data.map(({ at, ...rest }) => ({ at: toTimeText(at), ...rest })) : [];
}
