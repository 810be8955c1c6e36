import { z } from "zod";

/** A plugin that lies in the plugins' folder. */
export const pluginSchema = z.object({
  key: z.string(),
  name: z.string(),
  description: z.string(),
  /** Null where the manifest cannot be trusted. */
  version: z.string().nullable(),
  /** Systems and processors that its manifest names, such as `linux/amd64`. */
  platforms: z.array(z.string()),
  proto_version: z.int().nullable(),
  signature: z.enum(["signed", "binary-only", "unsigned", "unchecked"]).nullable(),
  enabled: z.boolean(),
  /** Why it cannot be called although it is there; null when nothing is in the way. */
  problem: z.string().nullable(),
});
export type Plugin = z.infer<typeof pluginSchema>;

/** A plugin of the catalog. */
export const pluginOfferSchema = z.object({
  key: z.string(),
  name: z.string(),
  description: z.string(),
  version: z.string(),
  platforms: z.array(z.string()),
  /** There is a build of it for this machine. */
  available: z.boolean(),
  installed_version: z.string().nullable(),
  /** The catalog's version is later than the installed one. */
  update_available: z.boolean(),
});
export type PluginOffer = z.infer<typeof pluginOfferSchema>;

/** Answer of a search in the catalog. */
export const pluginSearchSchema = z.object({
  plugins: z.array(pluginOfferSchema),
  /** When the catalog was last seen, where it cannot be had now. */
  stale_since: z.string().nullable(),
});
export type PluginSearch = z.infer<typeof pluginSearchSchema>;

/** Answer of an update: `previous_version` is the same where nothing was to be done. */
export const pluginUpdateSchema = pluginSchema.extend({
  previous_version: z.string().nullable(),
  updated: z.boolean(),
});
export type PluginUpdate = z.infer<typeof pluginUpdateSchema>;

/** How far an install or update has come. */
export const pluginProgressSchema = z.object({
  phase: z.enum(["downloading", "verifying", "replacing", "done"]),
  /** While downloading, where the size is known. */
  percent: z.number().optional(),
});
export type PluginProgress = z.infer<typeof pluginProgressSchema>;
