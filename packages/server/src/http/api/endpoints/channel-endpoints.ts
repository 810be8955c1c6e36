import { channelDetailSchema, channelSchema, channelUsesSchema } from "@hub/contract/channel.ts";
import { rowDetailSchema } from "@hub/contract/row.ts";
import { z } from "zod";
import * as lookUps from "../../../services/channels/look-up-in-channel.ts";
import * as channels from "../../../services/channels/manage-channels.ts";
import { defineEndpoint } from "../endpoint.ts";
import { byRow } from "./path-params.ts";

export const listChannels = defineEndpoint({
  name: "listChannels",
  summary: "List the channels that the caller sees",
  description: "A channel is a row of a chat connector.",
  answer: z.object({ channels: z.array(channelSchema) }),
  handle: async ({ services, caller }) => ({
    channels: await channels.listChannels(services, caller),
  }),
});

export const showChannel = defineEndpoint({
  name: "showChannel",
  summary: "Show a channel with its connection, events and workflows",
  params: byRow,
  answer: channelDetailSchema,
  failures: ["not_found"],
  handle: ({ services, params, baseUrl }) =>
    channels.showChannel(services, params.row, { baseUrl }),
});

export const listChannelUses = defineEndpoint({
  name: "listChannelUses",
  summary: "List the workflows that name a channel",
  description:
    "By its slug or its kind, in triggers and nodes of drafts and published workflows. It reads all workflows, which takes seconds in a large hub.",
  params: byRow,
  answer: channelUsesSchema,
  failures: ["not_found"],
  handle: ({ services, params }) => channels.listUsesOfChannel(services, params.row),
});

export const setChannelSlug = defineEndpoint({
  name: "setChannelSlug",
  summary: "Give a channel another slug",
  description:
    "Triggers and nodes that name the former slug no longer find the channel. `still_named_in` has them: change them too.",
  params: byRow,
  body: z.strictObject({ slug: z.string() }),
  answer: rowDetailSchema.extend({ still_named_in: channelUsesSchema }),
  failures: ["not_found", "conflict"],
  handle: ({ services, actor, params, body }) =>
    channels.setChannelSlug(services, actor, params.row, body),
});

export const lookUpInChannel = defineEndpoint({
  name: "lookUpInChannel",
  asksOutside: true,
  summary: "Search the users, channels or groups of a channel",
  description: "At most 20 items. Answers are kept for a minute.",
  params: z.object({
    channel: z.string().max(64).meta({ description: "Slug of a channel." }),
  }),
  query: z.strictObject({
    source: z
      .string()
      .min(1)
      .max(100)
      .meta({ description: "Such as `slack.users`. Its alias is `users`." }),
    q: z.string().max(200).default("").meta({ description: "The typed text." }),
  }),
  answer: z.array(z.object({ id: z.string(), name: z.string() })),
  failures: ["not_found", "invalid_params", "upstream_error", "timeout", "plugin_unavailable"],
  handle: ({ services, params, query, ...call }) => {
    const question = { source: query.source, query: query.q };
    return lookUps.lookUpInChannel(services, call, params.channel, question);
  },
});
