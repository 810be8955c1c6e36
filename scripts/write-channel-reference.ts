/**
 * Writes docs/reference/channels.md from the events and actions of the chat adapters:
 * `npx bun scripts/write-channel-reference.ts`. A test checks that the page is up to date.
 */
import { join, resolve } from "node:path";
import { builtinChats, type ChatKind } from "../packages/server/src/compose/chat-connectors.ts";
import {
  type ChatEventType,
  chatFilters,
} from "../packages/server/src/workflows/channels/chat-event-type.ts";

const file = join(resolve(import.meta.dirname, ".."), "docs/reference/channels.md");

const intro = `# Channels

A channel is a row of a chat connector. It has a slug, which is made from its label; admins can change it. Channels start
workflows by events and send what workflows write. \`npx bun scripts/write-channel-reference.ts\` writes this page from the program.

## Triggers

\`{ "id": "said", "type": "channel", "entry": "first", "channel": "team", "event": "message", "match": { … } }\`

- \`channel\` is the slug, or the kind (\`slack\`, \`telegram\`) while the owner of the workflow sees one channel of it.
- \`match\` has filters. All of them must match; an empty list or text is no filter. A list may have plain texts or the
  \`{id, name}\` of a picker.
- A trigger fires if the owner of the workflow sees the channel at that moment and the workflow is enabled. One delivery
  starts one run of a trigger, also if the platform delivers it again.
- Messages of bots start no run, unless \`include_bots\` or \`include_self\` is true.
- \`.Event.Source\` is the slug, and \`.Event.Payload\` the payload of the event. Value tokens in it are replaced by \`[secret]\`.

| filter | compared with | matches if |
|---|---|---|
`;

const meanings: Record<keyof typeof chatFilters, string> = {
  channel_ids: "it is in the list",
  users: "it is in the list",
  text_contains: "it contains the text of at most 200 characters, in any case",
  command: "it is the command, in any case, with or without the slash",
  action_ids: "it is in the list",
  callback_ids: "it is in the list",
  include_bots: "`true`: also messages of other bots",
  include_self: "`true`: also messages of this bot",
};

const rest = `
## Nodes

\`{ "id": "answer", "type": "channel", "channel": "team", "op": "send_message", "args": { … } }\`

A node calls an action as the owner of the workflow. Actions are operations of the row, so models can call them too, and admins
can disable each of them. A value token in \`args\` stays a token, and the secrets of the run are masked: no secret leaves in a
message.

## Addresses

| address | for |
|---|---|
| \`POST /channels/{slug}/events\` | signed requests of the platform, at most 1 MiB, and 6,000 a minute for each channel (then 429 with \`Retry-After\`, after which platforms send again), if the channel is set up for them. Otherwise 404 |
| \`GET /channels/{slug}/lookup?source=…&q=…\` | signed-in users and \`manage\` tokens who see the channel: at most 20 \`{id, name}\`, kept for 60 s |

## Chat accounts

Users link theirs on the page Chat accounts (\`/profile/chat-accounts\`). The page shows a code. The user sends it to the bot
as a direct message, answers the bot's question with yes, and then confirms on the page, in the same browser.

- A code works once and for 10 minutes. It starts no workflow and is stored nowhere, only its hash. After five invalid codes,
  a chat account gets no answer for 10 minutes.
- A chat account is bound to its platform, workspace and user id. It belongs to one user; a user may have 20.
- Users unlink their own, and admins those of all users. The account of a disabled user counts for nothing.

## Approvals

When a node of type \`approval\` asks, each approver with linked chat accounts gets a direct message in each of them, from the bot
over which the account was linked: the title, what is acted on, the values that decide, the details, what will run, and the
buttons Approve and Deny. A decision is the signed event of that person, and is checked like one in the browser, with the hash
of what was asked.

| case | what happens |
|---|---|
| a decision, an expiry, a cancelled run | all messages of the approval say so and lose their buttons |
| who is asked | active approvers who may decide, with the chat accounts and tags of the moment: at most 100 accounts for an approval. Those who started the run or edited the workflow are not asked, unless \`self\` is true |
| the platform is away, limits or refuses | tried again after 1 s to 5 minutes, or when the platform says, by any server, also after a restart. The approval shows the failure (\`asked_in_chat\`); the run waits on, and the browser works as before |
| a user who blocked the bot, unlinked the account, or is no approver any more | the message is given up |
| the server dies between sending a message and noting it | the message is sent again. Only the newest one decides |
| a button that was clicked by another person, is in another message, or has another value | refused, with a note that only that person sees. So are users who may not decide, and approvals that are decided or over |
| a long text | the message shows a part, and says so. The page of the approval has all of it |
| a text from outside | a quote with a bar at its side, below a name in bold, so that it cannot look like another part of the message. Titles and names are one line. Control, bidi and zero-width characters are removed; in what will run they are shown as escapes such as \`\\u202e\` |

Nothing secret is in a message: encrypted values are \`[secret]\`. The messages and buttons of approvals start no workflow: action ids and button data
that begin with \`hub_approval:\` belong to the hub.

## State

\`hub channel list\`, \`hub doctor\`, the home page and the row's page show the connection. \`failed\`: the platform refuses the
channel. The hub tries again when its row changes, and every 15 minutes. \`connecting\`: the hub tries again by itself. \`stopped\`: no server holds the connection.

## Deliveries

| case | what happens |
|---|---|
| an event | the platform gets its acknowledgement after the runs are on disk. What was not acknowledged comes again under the same id, also to another server, and starts only what is missing |
| the same delivery again, within 24 hours | no second run, whatever became of the first one. So an event whose run failed, was cancelled or was dropped does not start again: replay the run |
| the database is away or its disk is full | not acknowledged, as often as it comes. The row's page says why. Telegram keeps updates for 24 hours; Slack sends an event three times more within some 6 minutes, and then drops it |
| another failure inside the hub, for one workflow or event | not acknowledged; the other workflows start. After three failures the event is acknowledged and given up, and so are others that fail by the same workflow in the next minute. The row's page and the log say so |
| an event of an unknown form | acknowledged, with a line in the log |
| events in another order | one run each. Runs of a workflow with \`queue.policy: "queue"\` start in the order of arrival, which platforms do not promise to keep |
| 10,000 events or 32 MiB of one channel wait, or 128 MiB of all | further ones are not acknowledged until the queue has capacity |
| a server that loses its database | it ends its connections within 5 seconds, and another server takes them |
`;

/** The page of these chat platforms. */
export async function toChannelReference(kinds: readonly ChatKind[]): Promise<string> {
  const filters = Object.entries(chatFilters).map(([filter, member]) => {
    const meaning = meanings[filter as keyof typeof chatFilters];
    return `| \`${filter}\` | ${member === null ? "who sent it" : `\`${member}\``} | ${meaning} |\n`;
  });
  const sections = await Promise.all(kinds.map(toSection));
  return [intro, ...filters, rest, ...sections].join("");
}

async function toSection({ connector, loadAdapter }: ChatKind): Promise<string> {
  const { events } = await loadAdapter();
  const actions = [...connector.operations.values()]
    .filter(({ configOnly, adminOnly }) => !configOnly && !adminOnly)
    .map(({ key, description, inputFields }) => {
      const args = inputFields.map((field) => `\`${field.key}\`${field.required ? "" : "?"}`);
      return `| \`${key}\` | ${args.join(", ")} | ${toCell(description)} |\n`;
    });
  return [
    `\n## ${connector.name} (\`${connector.key}\`)\n\n`,
    ...events.map(toEvent),
    "### Actions\n\n| op | args (`?`: may be absent) | what it does |\n|---|---|---|\n",
    ...actions,
  ].join("");
}

function toEvent(event: ChatEventType): string {
  const filters = event.filters.map((filter) => `\`${filter}\``).join(", ");
  return [
    `### \`${event.id}\`\n\n${event.description}\n\n`,
    `Filters: ${filters === "" ? "none" : filters}.\n\n`,
    `\`\`\`json\n${JSON.stringify(event.sample, null, 2)}\n\`\`\`\n\n`,
  ].join("");
}

function toCell(text: string): string {
  return (text.split("\n")[0] ?? "").replaceAll("|", "\\|");
}

if (import.meta.main) await Bun.write(file, await toChannelReference(builtinChats));
