import { z } from "zod";
import { timeSchema } from "./time.ts";

/** A user's account at a single sign-on provider. */
export const identitySchema = z
  .object({
    id: z.string(),
    issuer: z.string(),
    email: z.string().meta({ description: "From the provider at the last sign-in." }),
    linked_at: timeSchema,
    last_used_at: timeSchema,
  })
  .meta({ id: "Identity" });
export type Identity = z.infer<typeof identitySchema>;
