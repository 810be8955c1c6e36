import { z } from "zod";

/** Refused sign-ins by password of the last day. */
export const refusedSignInsSchema = z
  .object({
    users: z
      .array(
        z.object({
          id: z.string(),
          email: z.string(),
          refused: z.int(),
        }),
      )
      .meta({ description: "Users with several refused sign-ins, most first; 20 at most." }),
    unknown: z.int().meta({
      description: "Refused sign-ins with e-mails of no user, approximately.",
    }),
  })
  .meta({ id: "RefusedSignIns" });
export type RefusedSignIns = z.infer<typeof refusedSignInsSchema>;
