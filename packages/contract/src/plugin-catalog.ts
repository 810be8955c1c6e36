import { z } from "zod";
import { hubRangePattern, platformPattern, pluginKeyPattern } from "./plugin-manifest.ts";

/** One plugin of a catalog, at its newest version. */
export const catalogEntrySchema = z.looseObject({
  key: z.string().regex(pluginKeyPattern),
  name: z.string(),
  description: z.string(),
  version: z.string(),
  /** Suggested tags for rows of this plugin, each as `"ops"` or `{"Name": "ops"}`. */
  default_tags: z
    .array(z.union([z.string(), z.looseObject({ Name: z.string() })]))
    .nullable()
    .optional(),
  /**
   * URL of the archive for each `<os>/<arch>`. A relative URL is resolved against the catalog's.
   */
  assets: z.record(z.string().regex(platformPattern), z.string().min(1)),
  /** SHA-256 of the archives in hex, for each `<os>/<arch>` that has one. */
  sha256: z
    .record(z.string().regex(platformPattern), z.string().regex(/^[0-9a-f]{64}$/))
    .optional(),
  /** The hub versions that can run the thin archive; set if `assets` has one. */
  hub: z.string().regex(hubRangePattern).optional(),
});
export type CatalogEntry = z.infer<typeof catalogEntrySchema>;

/** `plugins.json`: sorted by key, each key once. */
export type Catalog = CatalogEntry[];
