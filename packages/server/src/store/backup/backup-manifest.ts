import { backupCountsSchema } from "@hub/contract/backup.ts";
import { z } from "zod";

/** Names of the members of the archive, in their order. The manifest is last: a cut archive has none. */
export const members = {
  database: "hub.sqlite",
  keys: "keys.json",
  manifest: "manifest.json",
} as const;

/**
 * The first member of a backup that rotation made, so that it is known without reading all of it. Its JSON has the
 * `hub_id` of the hub. A restore ignores it.
 */
export const rotationMember = "rotation.json";

const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);

/** What a backup has. A restore compares the other members with it. */
export const manifestSchema = z.object({
  format: z.literal("hub-backup"),
  version: z.literal(1),
  created_at: z.iso.datetime(),
  /** The version of the hub that made it. */
  hub_version: z.string(),
  database: z.object({ bytes: z.int(), sha256: sha256Schema }),
  /** Null if the backup has no keys. */
  keys: z.object({ sha256: sha256Schema }).nullable(),
  /** Ids of the keys that stored secrets are encrypted with. */
  key_ids: z.array(z.string().regex(/^[0-9a-f]{8}$/)),
  migrations: z.array(z.object({ name: z.string(), checksum: z.string(), level: z.int() })),
  counts: backupCountsSchema,
  /** Installed plugins, whose programs are not in the backup. */
  plugins: z.array(z.string()),
});
export type BackupManifest = z.infer<typeof manifestSchema>;
