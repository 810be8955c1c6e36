import { z } from "zod";
import { fieldGroupsSchema } from "./row-settings.ts";
import { rowStateNameSchema } from "./row-state.ts";
import { timeSchema } from "./time.ts";

export const slugCharsMax = 64;
/** Lower-case letters, digits and hyphens, as in an address. */
export const slugPattern = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

export const channelStateSchema = z.enum([
  "connected",
  "connecting",
  "failed",
  "stopped",
  "disabled",
  "needs_setup",
]);
export type ChannelState = z.infer<typeof channelStateSchema>;

/** A row of a chat connector with its connection. */
export const channelSchema = z
  .object({
    id: z.uuid().meta({ description: "Id of the row." }),
    slug: z.string().meta({ description: "The name in addresses and triggers." }),
    connector: z.string(),
    label: z.string(),
    state: channelStateSchema.meta({
      description:
        "`failed`: the platform refuses it; tried again every 15 minutes and when the row changes. `connecting`: tried again by itself. `stopped`: no server holds it now.",
    }),
    row_state: rowStateNameSchema.meta({
      description: "The state of the row, which calls to the platform decide.",
    }),
    reason: z.string().nullable().meta({
      description: "Why it is not connected, if that is known. Only admins see it.",
    }),
    changed_at: timeSchema.nullable().meta({ description: "When the connection last changed." }),
    account: z
      .object({
        team_name: z.string().nullable(),
        user_id: z.string(),
        user_name: z.string().nullable(),
      })
      .nullable()
      .meta({ description: "The bot's account. Null before the first connection." }),
    events: z
      .array(
        z.object({
          id: z.string(),
          name: z.string(),
          description: z.string(),
          match: fieldGroupsSchema.meta({
            description: "The filters of a trigger as the cards of a form.",
          }),
        }),
      )
      .meta({ description: "The events that triggers can name." }),
  })
  .meta({ id: "Channel" });
export type Channel = z.infer<typeof channelSchema>;

/** A channel with what it receives. */
export const channelDetailSchema = channelSchema
  .extend({
    request_url: z.url().nullable().meta({
      description:
        "Where the platform sends requests. Null if the channel is not set up to accept them.",
    }),
    storing_failure: z.string().nullable().meta({
      description:
        "Why this server cannot store events now, such as a full disk. The platform delivers them again.",
    }),
    recent: z
      .array(
        z.object({
          at: timeSchema,
          events: z.array(z.string()),
          runs: z.int(),
          failure: z.enum(["again", "given_up", "unreadable"]).nullable().meta({
            description:
              "`again`: not stored for all workflows; the platform delivers it again. `given_up`: not any more, after three failures. `unreadable`: it has a form that the hub does not know, and started nothing.",
          }),
        }),
      )
      .meta({ description: "The last deliveries, newest first, without their content." }),
  })
  .meta({ id: "ChannelDetail" });
export type ChannelDetail = z.infer<typeof channelDetailSchema>;

/** A trigger or node that names a channel. */
const channelReferenceSchema = z.object({
  type: z.enum(["trigger", "node"]),
  id: z.string().meta({ description: "Id of the trigger or node." }),
  named: z.string().meta({ description: "What it names: the slug or the kind." }),
  bodies: z
    .array(z.enum(["published", "draft"]))
    .meta({ description: "Where it is: in the published workflow, in the draft, or in both." }),
});
export type ChannelReference = z.infer<typeof channelReferenceSchema>;

/** The workflows that name a channel. */
export const channelUsesSchema = z
  .object({
    workflows: z
      .array(
        z.object({
          id: z.string(),
          name: z.string(),
          places: z.array(channelReferenceSchema).meta({ description: "At most 20." }),
          places_more: z.int().meta({ description: "How many further places there are." }),
        }),
      )
      .meta({ description: "At most 500, by name." }),
    is_cut: z.boolean().meta({
      description:
        "Whether further workflows may name it: 500 are listed, or 1 GiB of workflows was searched.",
    }),
  })
  .meta({ id: "ChannelUses" });
export type ChannelUses = z.infer<typeof channelUsesSchema>;
