import type { Json } from "@hub/connector";
import { z } from "zod";
import { firstItems } from "../../../lib/json/first-items.ts";
import { isApprovalButton, readButtonName } from "../../approvals/approval-buttons.ts";
import type { ButtonClick, ChatEnvelope, ChatEvent } from "../../chat-adapter.ts";
import { readText } from "../format-text.ts";
import { toChannelType } from "./slack-event-fields.ts";

const optionalText = z.string().nullish();
const json = z.json();

/** An element of Block Kit has at most 100 options, and a message at most 50 blocks of 25 elements. */
const chosenMax = 1_000;
const actionsMax = 2_000;

const option = z.looseObject({ value: z.string() });
/** The members in which the elements of Block Kit keep what was entered or chosen. */
const element = z.looseObject({
  type: z.string().catch(""),
  value: optionalText,
  selected_option: option.nullish(),
  selected_options: firstItems(option, chosenMax).nullish(),
  selected_user: optionalText,
  selected_users: firstItems(z.string(), chosenMax).nullish(),
  selected_channel: optionalText,
  selected_channels: firstItems(z.string(), chosenMax).nullish(),
  selected_conversation: optionalText,
  selected_conversations: firstItems(z.string(), chosenMax).nullish(),
  selected_date: optionalText,
  selected_time: optionalText,
  selected_date_time: z.number().nullish(),
});
type Element = z.output<typeof element>;

const state = z
  .looseObject({ values: z.record(z.string(), z.record(z.string(), json)).catch({}) })
  .nullish();

const view = z.looseObject({
  id: z.string(),
  hash: z.string().catch(""),
  callback_id: z.string().catch(""),
  private_metadata: z.string().catch(""),
  state,
});

const message = z.looseObject({
  ts: z.string(),
  thread_ts: optionalText,
  text: z.string().catch(""),
  user: optionalText,
});

const interaction = z.looseObject({
  type: z.string(),
  user: z.looseObject({
    id: z.string(),
    username: optionalText,
    name: optionalText,
    team_id: optionalText,
  }),
  team: z.looseObject({ id: z.string() }).nullish(),
  trigger_id: optionalText,
  action_ts: optionalText,
  response_url: optionalText,
  response_urls: firstItems(z.looseObject({ response_url: z.string() }), 1).nullish(),
  channel: z.looseObject({ id: z.string(), name: optionalText }).nullish(),
  container: z
    .looseObject({ message_ts: optionalText, thread_ts: optionalText, channel_id: optionalText })
    .nullish(),
  message: message.nullish(),
  view: view.nullish(),
  state,
  callback_id: optionalText,
  is_cleared: z.boolean().nullish(),
  actions: firstItems(
    element.extend({ action_id: z.string(), block_id: z.string().catch("") }),
    actionsMax,
  ).nullish(),
});
type Interaction = z.output<typeof interaction>;

/** Reads an interaction: what a user does with a message, a view or a shortcut. Slack sends it once. */
export function readInteraction(body: unknown): ChatEnvelope {
  const found = interaction.parse(body);
  const { user, team } = found;
  const click = toClick(found);
  const isOfHub = found.actions?.some(({ action_id }) => isApprovalButton(action_id)) ?? false;
  return {
    id: toId(found),
    events: isOfHub ? [] : toEvents(found),
    ...(click !== null && { click }),
    from: "person",
    sender: {
      teamId: user.team_id ?? team?.id ?? null,
      userId: user.id,
      userName: user.username ?? user.name ?? null,
    },
    direct: null,
  };
}

/** The button of a question for an approval. */
function toClick(found: Interaction): ButtonClick | null {
  const [action] = found.actions ?? [];
  const decision = action && readButtonName(action.action_id);
  if (found.type !== "block_actions" || !decision) return null;
  const { channel_id: channelId, ts } = toLocation(found);
  return { decision, id: action.value ?? "", channelId, ts, answerTo: found.response_url ?? null };
}

/** Closed views have no trigger id: they close once in each of their states. */
function toId({ type, trigger_id, view, action_ts }: Interaction): string {
  const own = trigger_id ?? (view ? `${view.id}:${view.hash}` : action_ts);
  if (!own) throw new Error("The interaction has no id.");
  return `${type}:${own}`;
}

function toEvents(found: Interaction): ChatEvent[] {
  const common = {
    user: found.user.id,
    user_name: found.user.username ?? found.user.name ?? null,
    team_id: found.team?.id ?? found.user.team_id ?? null,
  };
  const answerable = {
    ...common,
    trigger_id: found.trigger_id ?? "",
    response_url: found.response_url ?? found.response_urls?.[0]?.response_url ?? null,
  };
  switch (found.type) {
    case "block_actions":
      return (found.actions ?? []).map((action) => ({
        event: "block_action",
        payload: {
          ...answerable,
          ...toLocation(found),
          action_id: action.action_id,
          block_id: action.block_id,
          action_type: action.type,
          value: toValue(action),
          values: toValues(action),
          text: found.message ? readText(found.message.text) : null,
          view_id: found.view?.id ?? null,
          view_hash: found.view?.hash ?? null,
          callback_id: found.view?.callback_id ?? null,
          private_metadata: found.view?.private_metadata ?? null,
          fields: toFields(toState(found)),
          state: toState(found),
        },
      }));
    case "view_submission":
      if (!found.view) throw new Error("The submission has no view.");
      return [
        {
          event: "view_submission",
          payload: {
            ...answerable,
            ...toView(found.view),
            fields: toFields(found.view.state?.values ?? {}),
            state: found.view.state?.values ?? {},
          },
        },
      ];
    case "view_closed":
      if (!found.view) throw new Error("The closed view is missing.");
      return [
        {
          event: "view_closed",
          payload: { ...common, ...toView(found.view), is_cleared: found.is_cleared ?? false },
        },
      ];
    case "shortcut":
    case "message_action":
      return [
        {
          event: "shortcut",
          payload: {
            ...answerable,
            ...toLocation(found),
            callback_id: found.callback_id ?? "",
            is_message: found.type === "message_action",
            text: found.message ? readText(found.message.text) : null,
            message_user: found.message?.user ?? null,
          },
        },
      ];
    default:
      return [];
  }
}

const toState = ({ view, state }: Interaction) => (view?.state ?? state)?.values ?? {};

function toLocation({ channel, container, message }: Interaction) {
  const channel_id = channel?.id ?? container?.channel_id ?? null;
  const ts = message?.ts ?? container?.message_ts ?? null;
  return {
    channel_id,
    channel_type: toChannelType(channel_id),
    is_dm: channel_id?.startsWith("D") ?? false,
    ts,
    thread_ts: message?.thread_ts ?? container?.thread_ts ?? ts,
  };
}

const toView = ({ id, hash, callback_id, private_metadata }: z.output<typeof view>) => ({
  view_id: id,
  view_hash: hash,
  callback_id,
  private_metadata,
});

/** The values by action id. Slack's own form keeps them by block id first. */
function toFields(values: Record<string, Record<string, Json>>): { [key: string]: Json } {
  const fields: [string, Json][] = [];
  for (const actions of Object.values(values)) {
    for (const [actionId, raw] of Object.entries(actions)) {
      const found = element.safeParse(raw);
      if (!found.success) continue;
      fields.push([actionId, isMultiple(found.data) ? toValues(found.data) : toValue(found.data)]);
    }
  }
  return Object.fromEntries(fields);
}

const isMultiple = (found: Element) =>
  found.type.startsWith("multi_") || found.type === "checkboxes";

function toValue(found: Element): string | null {
  const one =
    found.value ??
    found.selected_option?.value ??
    found.selected_user ??
    found.selected_channel ??
    found.selected_conversation ??
    found.selected_date ??
    found.selected_time;
  if (one !== undefined && one !== null) return one;
  return typeof found.selected_date_time === "number" ? String(found.selected_date_time) : null;
}

function toValues(found: Element): string[] {
  return (
    found.selected_options?.map(({ value }) => value) ??
    found.selected_users ??
    found.selected_channels ??
    found.selected_conversations ??
    []
  );
}
