import { join } from "node:path";
import { z } from "zod";

/** What the program of an older version has put into its database: see `test/oracles/support/upgrade-subjects.ts`. */
const contentsSchema = z.object({
  /** Of an admin, and of a user with the tag of the row. */
  token: z.string(),
  userToken: z.string(),
  /** Of the connector `http`, with the bearer token {@link shopSecret}. */
  row: z.string(),
  /** Of workflows whose runs wait, in the API; null in versions without them. */
  waitPath: z.string().nullable(),
  approvalPath: z.string().nullable(),
});

export const shopSecret = "s3cret-of-the-shop-9fK2xQ7vLm4R";
/** As `HUB_ENC_KEY`. */
export const olderKey = "5".repeat(64);

/** The commits that have made the databases, and how many migrations they know. */
export const olderVersions = [
  ["9469af8", 6],
  ["b3b3faa", 19],
  ["8eb9bf3", 27],
] as const;

type OlderVersion = (typeof olderVersions)[number][0];

/** Writes the database of an older version, made by its own program, into a folder. */
export async function layOlderDatabase(dataDir: string, version: OlderVersion) {
  const read = (name: string) => Bun.file(join(import.meta.dirname, "older-databases", name));
  const packed = await read(`${version}.sqlite.gz`).bytes();
  await Bun.write(join(dataDir, "hub.sqlite"), Bun.gunzipSync(packed));
  return contentsSchema.parse(await read(`${version}.json`).json());
}
