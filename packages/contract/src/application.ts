import { z } from "zod";
import { timeSchema } from "./time.ts";

/** An OAuth client that a user has allowed, with its access and its expiry. */
export const applicationSchema = z
  .object({
    id: z.uuid().meta({ description: "The id of the token in recorded calls." }),
    user: z.string().meta({ description: "E-mail of its user." }),
    name: z.string().meta({ description: "The name that the client gave itself." }),
    client_id: z.string(),
    destination: z.string().meta({
      description:
        "The destination of its codes: the host of a site, this computer, or the scheme of an app.",
    }),
    connected_at: timeSchema,
    last_used_at: timeSchema.nullable(),
    expires_at: timeSchema.meta({ description: "Every refresh extends it." }),
  })
  .meta({ id: "Application" });
export type Application = z.infer<typeof applicationSchema>;
