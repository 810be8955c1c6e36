import { z } from "zod";
import { logoSchema } from "./logo.ts";

/** `standalone` has its runtime with it; the hub's own executable runs `thin`. */
const formSchema = z.enum(["standalone", "thin"]);
export type PluginForm = z.infer<typeof formSchema>;

/** A plugin in the folder of plugins. */
export const pluginSchema = z
  .object({
    key: z.string(),
    name: z.string(),
    logo: logoSchema,
    description: z.string(),
    version: z.string().nullable().meta({ description: "Null if the manifest cannot be trusted." }),
    refused_version: z.string().nullable().meta({
      description:
        "The version in the manifest of a plugin that was refused; null if it was not, or if the manifest cannot be read.",
    }),
    platforms: z.array(z.string()).meta({
      description: "The systems and processors in its manifest, such as `linux/amd64`.",
    }),
    form: formSchema.nullable().meta({
      description:
        "Whether its program has its own runtime (`standalone`) or is run by the hub's executable (`thin`). Null if the manifest cannot be trusted.",
    }),
    proto_version: z.int().nullable(),
    signature: z.enum(["signed", "binary-only", "unsigned", "unchecked"]).nullable(),
    enabled: z.boolean(),
    problem: z.string().nullable().meta({
      description: "Why the installed plugin cannot be called; null if it can.",
    }),
    awaited_version: z.string().nullable().meta({
      description:
        "The version that is installed for all servers of a PostgreSQL database, if the server that answers does not have it yet; null otherwise.",
    }),
    only_here: z.boolean().meta({
      description:
        "Whether it is on one of several servers only, because it was copied into its plugins folder by hand.",
    }),
    note: z.string().nullable().meta({
      description: "How this server differs from what is installed for all; null if it does not.",
    }),
  })
  .meta({ id: "Plugin" });
export type Plugin = z.infer<typeof pluginSchema>;

/** What keeps programs of plugins and rows away from the hub's keys and data. */
export const pluginFenceSchema = z.object({
  in_force: z.boolean(),
  text: z.string().meta({
    description:
      "What is in force, such as `Landlock 7`, or why there is nothing and what that means.",
  }),
});
export type PluginFence = z.infer<typeof pluginFenceSchema>;

/** A plugin of the catalog. */
export const pluginOfferSchema = z.object({
  key: z.string(),
  name: z.string(),
  logo: logoSchema,
  description: z.string(),
  version: z.string(),
  platforms: z.array(z.string()),
  available: z.boolean().meta({ description: "Whether there is a build for this machine." }),
  form: formSchema
    .nullable()
    .meta({ description: "The form that is installed by name; null if none is available." }),
  installed_version: z.string().nullable(),
  update_available: z.boolean().meta({
    description: "Whether the installed version came from the catalog, which has a later one.",
  }),
});
export type PluginOffer = z.infer<typeof pluginOfferSchema>;

/** The answer of a search in the catalog. */
export const pluginSearchSchema = z.object({
  plugins: z.array(pluginOfferSchema),
  stale_since: z
    .string()
    .nullable()
    .meta({ description: "When the catalog was last loaded, if it cannot be loaded now." }),
});
export type PluginSearch = z.infer<typeof pluginSearchSchema>;

/** The answer of an update. If the plugin was up to date, `previous_version` equals `version`. */
export const pluginUpdateSchema = pluginSchema
  .extend({
    previous_version: z.string().nullable(),
    updated: z.boolean(),
  })
  .meta({ id: "PluginUpdate" });
export type PluginUpdate = z.infer<typeof pluginUpdateSchema>;

/** The progress of an installation or update. */
export const pluginProgressSchema = z.object({
  phase: z.enum(["downloading", "verifying", "replacing", "done"]),
  percent: z
    .number()
    .optional()
    .meta({ description: "Sent during the download if the size is known." }),
});
export type PluginProgress = z.infer<typeof pluginProgressSchema>;
