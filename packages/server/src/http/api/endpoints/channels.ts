import { channelDetailSchema, channelSchema } from "@hub/contract/channel.ts";
import { rowDetailSchema } from "@hub/contract/row.ts";
import { z } from "zod";
import * as channels from "../../../services/channels.ts";
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

export const setChannelSlug = defineEndpoint({
  name: "setChannelSlug",
  summary: "Give a channel another slug",
  description: "Triggers and nodes that name the former slug no longer find the channel.",
  params: byRow,
  body: z.strictObject({ slug: z.string() }),
  answer: rowDetailSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, actor, params, body }) =>
    channels.setChannelSlug(services, actor, params.row, body),
});
