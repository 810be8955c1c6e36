import { z } from "zod";
import { timeSchema } from "./time.ts";

/** A client that a user let in by OAuth: what it may do, and until when. */
export const applicationSchema = z.object({
  /** Also what a recorded run names as its token. */
  id: z.uuid(),
  /** Email of the user it acts for. */
  user: z.string(),
  /** As the client called itself. */
  name: z.string(),
  client_id: z.string(),
  /** Where its codes were sent: the host of a site, this computer, or the scheme of an app. */
  destination: z.string(),
  connected_at: timeSchema,
  last_used_at: timeSchema.nullable(),
  /** It moves on with every refresh. */
  expires_at: timeSchema,
});
export type Application = z.infer<typeof applicationSchema>;
