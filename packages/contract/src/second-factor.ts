import { z } from "zod";
import { timeSchema } from "./time.ts";

/** A second factor of a user, without what proves it. */
export const secondFactorSchema = z
  .object({
    id: z.uuid(),
    kind: z
      .enum(["totp", "passkey"])
      .meta({ description: "`totp` is an app that shows codes, `passkey` a key of a device." }),
    name: z.string().meta({ description: "What the user calls it." }),
    created_at: timeSchema,
    last_used_at: timeSchema.nullable(),
  })
  .meta({ id: "SecondFactor" });
export type SecondFactor = z.infer<typeof secondFactorSchema>;

/** The second factors of a user. */
export const secondFactorsSchema = z.object({
  factors: z.array(secondFactorSchema),
  recovery_codes_left: z.int().meta({ description: "Recovery codes that were not used." }),
});
export type SecondFactors = z.infer<typeof secondFactorsSchema>;
