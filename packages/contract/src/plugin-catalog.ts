import { z } from "zod";
import { platformPattern, pluginKeyPattern } from "./plugin-manifest.ts";

/** One plugin of a catalog, at its newest version. */
export const catalogEntrySchema = z.looseObject({
  key: z.string().regex(pluginKeyPattern),
  name: z.string(),
  description: z.string(),
  version: z.string(),
  /** Tags that a row of it is offered, each as `"ops"` or `{"Name": "ops"}`. */
  default_tags: z
    .array(z.union([z.string(), z.looseObject({ Name: z.string() })]))
    .nullable()
    .optional(),
  /** Address of the archive for each `<os>/<arch>`; a relative one counts from the catalog's own. */
  assets: z.record(z.string().regex(platformPattern), z.string().min(1)),
  /** SHA-256 of those archives in hex, for each `<os>/<arch>` that has one. */
  sha256: z
    .record(z.string().regex(platformPattern), z.string().regex(/^[0-9a-f]{64}$/))
    .optional(),
});
export type CatalogEntry = z.infer<typeof catalogEntrySchema>;

/** `plugins.json`: sorted by key, each key once. */
export const catalogSchema = z.array(catalogEntrySchema);
export type Catalog = z.infer<typeof catalogSchema>;
