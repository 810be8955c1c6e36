import { z } from "zod";

/** A plugin in the plugins' folder. */
export const pluginSchema = z
  .object({
    key: z.string(),
    name: z.string(),
    description: z.string(),
    version: z
      .string()
      .nullable()
      .meta({ description: "Null where the manifest cannot be trusted." }),
    platforms: z.array(z.string()).meta({
      description: "Systems and processors that its manifest names, such as `linux/amd64`.",
    }),
    proto_version: z.int().nullable(),
    signature: z.enum(["signed", "binary-only", "unsigned", "unchecked"]).nullable(),
    enabled: z.boolean(),
    problem: z.string().nullable().meta({
      description: "Why it cannot be called although it is there; null when nothing is in the way.",
    }),
  })
  .meta({ id: "Plugin" });
export type Plugin = z.infer<typeof pluginSchema>;

/** A plugin of the catalog. */
export const pluginOfferSchema = z.object({
  key: z.string(),
  name: z.string(),
  description: z.string(),
  version: z.string(),
  platforms: z.array(z.string()),
  available: z.boolean().meta({ description: "There is a build of it for this machine." }),
  installed_version: z.string().nullable(),
  update_available: z
    .boolean()
    .meta({ description: "The catalog's version is later than the installed one." }),
});
export type PluginOffer = z.infer<typeof pluginOfferSchema>;

/** Answer of a search in the catalog. */
export const pluginSearchSchema = z.object({
  plugins: z.array(pluginOfferSchema),
  stale_since: z
    .string()
    .nullable()
    .meta({ description: "When the catalog was last seen, where it cannot be had now." }),
});
export type PluginSearch = z.infer<typeof pluginSearchSchema>;

/** Answer of an update: `previous_version` is the same where nothing was to be done. */
export const pluginUpdateSchema = pluginSchema
  .extend({
    previous_version: z.string().nullable(),
    updated: z.boolean(),
  })
  .meta({ id: "PluginUpdate" });
export type PluginUpdate = z.infer<typeof pluginUpdateSchema>;

/** How far an install or update has come. */
export const pluginProgressSchema = z.object({
  phase: z.enum(["downloading", "verifying", "replacing", "done"]),
  percent: z
    .number()
    .optional()
    .meta({ description: "While downloading, where the size is known." }),
});
export type PluginProgress = z.infer<typeof pluginProgressSchema>;
