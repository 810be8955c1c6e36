import { z } from "zod";
import { timeSchema } from "./time.ts";

/** A client that a user let in by OAuth: what it may do, and until when. */
export const applicationSchema = z
  .object({
    id: z.uuid().meta({ description: "Also what a recorded run names as its token." }),
    user: z.string().meta({ description: "Email of the user it acts for." }),
    name: z.string().meta({ description: "As the client called itself." }),
    client_id: z.string(),
    destination: z.string().meta({
      description:
        "Where its codes were sent: the host of a site, this computer, or the scheme of an app.",
    }),
    connected_at: timeSchema,
    last_used_at: timeSchema.nullable(),
    expires_at: timeSchema.meta({ description: "It moves on with every refresh." }),
  })
  .meta({ id: "Application" });
export type Application = z.infer<typeof applicationSchema>;
