import { z } from "zod";

/** Where the keys come from: the data folder's key file, or `HUB_ENC_KEY`. */
export const keyOriginSchema = z.enum(["file", "environment"]);
export type KeyOrigin = z.infer<typeof keyOriginSchema>;

/** A master key, named by what every token sealed with it carries; never the key itself. */
export const keySchema = z.object({
  /** Eight hexadecimal digits. */
  id: z.string().regex(/^[0-9a-f]{8}$/),
  /** New values are sealed with this one. */
  sealing: z.boolean(),
  /** How many stored secrets it still holds. */
  sealed_values: z.int(),
});
export type Key = z.infer<typeof keySchema>;

export const keyListSchema = z.object({ origin: keyOriginSchema, keys: z.array(keySchema) });
export type KeyList = z.infer<typeof keyListSchema>;

/** Answer of a rotation: the key now in use, and how many secrets were encrypted again. */
export const keyRotationSchema = keyListSchema.extend({
  sealing: z.string(),
  resealed_values: z.int(),
});
export type KeyRotation = z.infer<typeof keyRotationSchema>;
