import type {
  Channel,
  ChannelDetail,
  ChannelReference,
  ChannelUses,
} from "@hub/contract/channel.ts";
import { command, group } from "../declare/command.ts";
import { argument, requiredOption } from "../declare/parameters.ts";
import { detail, table } from "../declare/view.ts";

const loadChannels = () => import("@hub/server/services/channels/manage-channels.ts");

const id = argument(
  "<channel>",
  "slug, or id, first characters of the id, or label of its row",
  ({ findChannelId }, typed) => findChannelId(typed),
);

export const define = group(
  {
    about: "A channel is a row of a chat connector. Add one with {hub} row add.",
    examples: ["channel list", "channel set team-chat --slug support-chat"],
  },
  [
    command("list", "list the channels with the state of their connections", {
      does: async ({ services, author }) =>
        (await loadChannels()).listChannels(services, author.caller),
      shows: table<Channel>(
        ["slug", "connector", "label", "state", ["since", "changed_at"], "reason"],
        "There are no channels. Add a row of a chat connector.",
      ),
    }),
    command("show", "show a channel with its connection, events and workflows", {
      takes: { id },
      async does({ services, findServedBaseUrl }, values) {
        const { listUsesOfChannel, showChannel } = await loadChannels();
        const baseUrl = await findServedBaseUrl();
        const shown = await showChannel(services, values.id, { baseUrl });
        return { ...shown, named_in: await listUsesOfChannel(services, values.id) };
      },
      shows: (channel) =>
        [
          toFacts(channel),
          toEventTable(channel.events),
          toUsesText(channel.named_in, "No workflow names it."),
        ].join("\n\n"),
    }),
    command("set", "change the slug of a channel", {
      takes: {
        id,
        slug: requiredOption("<slug>", "lower-case letters, digits and hyphens; unique"),
      },
      does: async ({ services, actor }, { id: channel, slug }) =>
        (await loadChannels()).setChannelSlug(services, actor, channel, { slug }),
      shows({ label, still_named_in: uses }, { slug }) {
        const done = `"${label}" has the slug ${slug}.`;
        if (uses.workflows.length === 0) return done;
        return `${done} These workflows name the former slug. Change them too.\n\n${toUsesText(uses)}`;
      },
    }),
  ],
);

const toFacts = detail<ChannelDetail>([
  "slug",
  ["row", "id"],
  "connector",
  "label",
  "state",
  ["since", "changed_at"],
  "reason",
  ["bot", ({ account }) => account && (account.user_name ?? account.user_id)],
  ["workspace", ({ account }) => account?.team_name ?? null],
  ["address for requests", "request_url"],
]);

const toEventTable = table<ChannelDetail["events"][number]>(
  [
    ["event", "id"],
    ["occurs", "description"],
  ],
  "It receives no events.",
);

function toUsesText({ workflows, is_cut: isCut }: ChannelUses, none = ""): string {
  const named = workflows.flatMap(({ id, name, places, places_more: more }) => [
    ...places.map((place) => ({ id, name, place: toPlaceText(place), named: place.named })),
    ...(more === 0 ? [] : [{ id, name, place: `${more} more`, named: "" }]),
  ]);
  const text = table<(typeof named)[number]>(
    [["workflow", "id"], "name", "place", ["named as", "named"]],
    none,
  )(named);
  return isCut ? `${text}\n\nFurther workflows may name it: not all were searched.` : text;
}

const toPlaceText = ({ type, id, bodies }: ChannelReference) =>
  `${type} ${id}, ${bodies.join(" and ")}`;
