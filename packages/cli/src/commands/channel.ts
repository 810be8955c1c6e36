import type {
  Channel,
  ChannelDetail,
  ChannelReference,
  ChannelUses,
} from "@hub/contract/channel.ts";
import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { toFacts, toTable } from "../text/table.ts";

const channelArgument = [
  "<channel>",
  "slug, or id, first characters of the id, or label of its row",
] as const;

const loadChannels = () => import("@hub/server/services/channels/manage-channels.ts");

export function define(channel: Command, cli: Cli): void {
  channel.addHelpText(
    "after",
    `
A channel is a row of a chat connector. Add one with ${cli.name} row add.

Examples:
  $ ${cli.name} channel list
  $ ${cli.name} channel set team-chat --slug support-chat`,
  );

  channel
    .command("list")
    .description("list the channels with the state of their connections")
    .action((_: unknown, command: Command) =>
      cli.answer(command, async ({ services }) => {
        const { localAdmin } = await import("@hub/server/identity/local-admin.ts");
        const channels = await (await loadChannels()).listChannels(services, localAdmin);
        return { json: channels, text: toChannelTable(channels) };
      }),
    );

  channel
    .command("show")
    .argument(...channelArgument)
    .description("show a channel with its connection, events and workflows")
    .action((name: string, _: unknown, command: Command) =>
      cli.answer(command, async ({ services, lookups, findServedBaseUrl }) => {
        const { listUsesOfChannel, showChannel } = await loadChannels();
        const baseUrl = await findServedBaseUrl();
        const id = await lookups.findChannelId(name);
        const shown = await showChannel(services, id, { baseUrl });
        const uses = await listUsesOfChannel(services, id);
        const text = `${toChannelText(shown)}\n\n${toUsesText(uses, "No workflow names it.")}`;
        return { json: { ...shown, named_in: uses }, text };
      }),
    );

  channel
    .command("set")
    .argument(...channelArgument)
    .description("change the slug of a channel")
    .requiredOption("--slug <slug>", "lower-case letters, digits and hyphens; unique")
    .action((name: string, { slug }: { slug: string }, command: Command) =>
      cli.answer(command, async ({ services, actor, lookups }) => {
        const { setChannelSlug } = await loadChannels();
        const id = await lookups.findChannelId(name);
        const row = await setChannelSlug(services, actor, id, { slug });
        const { still_named_in: uses } = row;
        const done = `"${row.label}" has the slug ${slug}.`;
        if (uses.workflows.length === 0) return { json: row, text: done };
        const text = "These workflows name the former slug. Change them too.";
        return { json: row, text: `${done} ${text}\n\n${toUsesText(uses)}` };
      }),
    );
}

function toChannelTable(channels: readonly Channel[]): string {
  return toTable(
    channels,
    [
      ["slug", ({ slug }) => slug],
      ["connector", ({ connector }) => connector],
      ["label", ({ label }) => label],
      ["state", ({ state }) => state],
      ["since", ({ changed_at: at }) => at],
      ["reason", ({ reason }) => reason],
    ],
    "There are no channels. Add a row of a chat connector.",
  );
}

function toChannelText(channel: ChannelDetail): string {
  const { account } = channel;
  const facts = toFacts([
    ["slug", channel.slug],
    ["row", channel.id],
    ["connector", channel.connector],
    ["label", channel.label],
    ["state", channel.state],
    ["since", channel.changed_at ?? ""],
    ["reason", channel.reason ?? ""],
    ["bot", account === null ? "" : (account.user_name ?? account.user_id)],
    ["workspace", account?.team_name ?? ""],
    ["address for requests", channel.request_url ?? ""],
  ]);
  const events = toTable(
    channel.events,
    [
      ["event", ({ id }) => id],
      ["occurs", ({ description }) => description],
    ],
    "It receives no events.",
  );
  return `${facts}\n\n${events}`;
}

function toUsesText({ workflows, is_cut: isCut }: ChannelUses, none = ""): string {
  const table = toTable(
    workflows.flatMap(({ id, name, places, places_more: more }) => [
      ...places.map((place) => ({ id, name, place: toPlaceText(place), named: place.named })),
      ...(more === 0 ? [] : [{ id, name, place: `${more} more`, named: "" }]),
    ]),
    [
      ["workflow", ({ id }) => id],
      ["name", ({ name }) => name],
      ["place", ({ place }) => place],
      ["named as", ({ named }) => named],
    ],
    none,
  );
  return isCut ? `${table}\n\nFurther workflows may name it: not all were searched.` : table;
}

const toPlaceText = ({ type, id, bodies }: ChannelReference) =>
  `${type} ${id}, ${bodies.join(" and ")}`;
