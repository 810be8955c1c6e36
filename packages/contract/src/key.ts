import { z } from "zod";

/** The origin of the keys: the key file in the data folder, or `HUB_ENC_KEY`. */
export const keyOriginSchema = z.enum(["file", "environment"]);
export type KeyOrigin = z.infer<typeof keyOriginSchema>;

/** A master key, without its bytes. The id occurs in every token that was sealed with it. */
export const keySchema = z.object({
  /** Eight hexadecimal digits. */
  id: z.string().regex(/^[0-9a-f]{8}$/),
  /** Whether new values are sealed with this key. */
  sealing: z.boolean(),
  /** The number of stored secrets that are sealed with this key. */
  sealed_values: z.int(),
});
export type Key = z.infer<typeof keySchema>;

export const keyListSchema = z.object({ origin: keyOriginSchema, keys: z.array(keySchema) });
export type KeyList = z.infer<typeof keyListSchema>;

/** The answer of a rotation: the key in use and the number of secrets that were encrypted again. */
export const keyRotationSchema = keyListSchema.extend({
  sealing: z.string(),
  resealed_values: z.int(),
});
export type KeyRotation = z.infer<typeof keyRotationSchema>;
