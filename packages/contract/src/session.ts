import { z } from "zod";
import { timeSchema } from "./time.ts";

/** A signed-in browser, without its credentials. */
export const sessionSchema = z
  .object({
    id: z.uuid(),
    user: z.string().meta({ description: "E-mail of the user who is signed in." }),
    created_at: timeSchema,
    last_seen_at: timeSchema,
    expires_at: timeSchema,
    ip_address: z.string().nullable(),
    user_agent: z.string().nullable(),
  })
  .meta({ id: "Session" });
export type Session = z.infer<typeof sessionSchema>;
