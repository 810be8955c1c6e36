import { z } from "zod";
import { defineChatEvent } from "../../../workflows/channels/chat-event-type.ts";
import { eventFields, locationFields, viewFields } from "./slack-event-fields.ts";

const pickers = { channel_ids: "slack.channels", users: "slack.users" };
const { user, user_name, channel_id, channel_type, is_dm, team_id } = eventFields;
const { trigger_id, response_url } = eventFields;

const who = { user: "U0LAN0Z89", user_name: "ada", team_id: "T0MJRM1A7" };
const trigger = { trigger_id: "13345224609.738474920.8088930838d88f008e0" };
const url = { response_url: "https://hooks.slack.com/actions/T0MJRM1A7/1/abc" };
const location = {
  channel_id: "C0LAN2Q65",
  channel_type: null,
  is_dm: false,
  ts: "1515449522.000016",
  thread_ts: "1515449522.000016",
};

export const commandEvent = defineChatEvent({
  id: "command",
  name: "Slash command",
  description: "A slash command of the app, with the text after it. Answer with respond.",
  filters: ["command", "channel_ids", "users", "text_contains"],
  pickers,
  payload: z.strictObject({
    user,
    user_name,
    channel_id,
    channel_type,
    is_dm,
    team_id,
    trigger_id,
    response_url,
    channel_name: z.string().nullable(),
    command: z.string().describe("With its slash, such as /deploy."),
    text: z.string(),
    ts: z.null().describe("A command leaves no message."),
    thread_ts: z.null(),
  }),
  sample: {
    ...who,
    ...trigger,
    channel_id: "C0LAN2Q65",
    channel_type: null,
    is_dm: false,
    response_url: "https://hooks.slack.com/commands/T0MJRM1A7/1/abc",
    channel_name: "ops",
    command: "/deploy",
    text: "web",
    ts: null,
    thread_ts: null,
  },
});

const state = z
  .record(z.string(), z.record(z.string(), z.unknown()))
  .describe("Slack's state.values: by block id, then action id.");
const fields = z
  .record(z.string(), z.unknown())
  .describe(
    "The same in short: the entered or chosen value by action id. Of equal action ids in several blocks, it has the last one.",
  );

export const blockActionEvent = defineChatEvent({
  id: "block_action",
  name: "Button or menu",
  description:
    "A user uses an element of a message, a modal or the home page, such as a button. One event for each element.",
  filters: ["action_ids", "callback_ids", "channel_ids", "users"],
  pickers,
  payload: z.strictObject({
    user,
    user_name,
    team_id,
    trigger_id,
    response_url,
    ...locationFields,
    action_id: z.string(),
    block_id: z.string(),
    action_type: z.string().describe("Such as button or static_select."),
    value: z.string().nullable().describe("The button's value, or what is chosen."),
    values: z.array(z.string()).describe("What is chosen in an element that allows several."),
    text: z.string().nullable().describe("The text of the message."),
    view_id: z.string().nullable(),
    view_hash: z.string().nullable(),
    callback_id: z.string().nullable().describe("Of the view."),
    private_metadata: z.string().nullable().describe("Of the view."),
    fields,
    state,
  }),
  sample: {
    ...who,
    ...trigger,
    ...url,
    ...location,
    action_id: "approve",
    block_id: "b1",
    action_type: "button",
    value: "7",
    values: [],
    text: "Deploy web?",
    view_id: null,
    view_hash: null,
    callback_id: null,
    private_metadata: null,
    fields: {},
    state: {},
  },
});

const viewSample = {
  view_id: "VNHU13V36",
  view_hash: "156772938.1827394",
  callback_id: "new_ticket",
  private_metadata: "",
};

export const viewSubmissionEvent = defineChatEvent({
  id: "view_submission",
  name: "Modal submitted",
  description:
    "A user submits a modal, which then closes. Answer with send_message or open_dm, or open another modal.",
  filters: ["callback_ids", "users"],
  pickers,
  payload: z.strictObject({
    user,
    user_name,
    team_id,
    trigger_id,
    ...viewFields,
    fields,
    state,
    response_url: eventFields.response_url,
  }),
  sample: {
    ...who,
    ...trigger,
    ...viewSample,
    response_url: null,
    fields: { title: "Printer is on fire" },
    state: {
      title_block: { title: { type: "plain_text_input", value: "Printer is on fire" } },
    },
  },
});

export const viewClosedEvent = defineChatEvent({
  id: "view_closed",
  name: "Modal closed",
  description: "A user closes a modal that has notify_on_close, without submitting it.",
  filters: ["callback_ids", "users"],
  pickers,
  payload: z.strictObject({
    user,
    user_name,
    team_id,
    ...viewFields,
    is_cleared: z.boolean().describe("Whether all views on each other were closed."),
  }),
  sample: { ...who, ...viewSample, is_cleared: false },
});

export const shortcutEvent = defineChatEvent({
  id: "shortcut",
  name: "Shortcut",
  description:
    "A user starts a shortcut of the app, from the search or from the menu of a message. Open a modal first, or answer.",
  filters: ["callback_ids", "users", "channel_ids"],
  pickers,
  payload: z.strictObject({
    user,
    user_name,
    team_id,
    trigger_id,
    response_url,
    ...locationFields,
    callback_id: z.string(),
    is_message: z.boolean().describe("Whether it was started on a message."),
    text: z.string().nullable().describe("The text of that message."),
    message_user: z.string().nullable().describe("Who wrote that message."),
  }),
  sample: {
    ...who,
    ...trigger,
    ...url,
    ...location,
    callback_id: "make_ticket",
    is_message: true,
    text: "The printer is on fire",
    message_user: "U0LAN0Z90",
  },
});

export const appHomeOpenedEvent = defineChatEvent({
  id: "app_home_opened",
  name: "Home opened",
  description: "A user opens the app's home page or its messages. Answer with publish_home.",
  filters: ["users"],
  pickers,
  payload: z.strictObject({
    user,
    team_id,
    channel_id: locationFields.channel_id,
    tab: z.string().describe("home or messages."),
    view_id: z.string().nullable().describe("The home page that is shown."),
  }),
  sample: {
    user: "U0LAN0Z89",
    team_id: "T0MJRM1A7",
    channel_id: "D0LAN2Q65",
    tab: "home",
    view_id: null,
  },
});
