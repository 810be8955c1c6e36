import { z } from "zod";
import { timeSchema } from "./time.ts";

/** A program of an identity provider that makes, changes and disables users over SCIM, without its token. */
export const scimClientSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    last_four: z.string(),
    issuer: z.string().nullable().meta({
      description:
        "The single sign-on issuer whose users it may change. Null: only users that it made or was given.",
    }),
    addresses: z
      .array(z.string())
      .nullable()
      .meta({ description: "Addresses and networks that it may use. Null: any." }),
    created_by: z.string().meta({ description: "E-mail of the admin, or `local-admin`." }),
    created_at: timeSchema,
    expires_at: timeSchema,
    last_used_at: timeSchema.nullable(),
    users: z.int().meta({ description: "How many users it keeps." }),
    groups: z.int().meta({ description: "How many groups it keeps." }),
  })
  .meta({ id: "ScimClient" });
export type ScimClient = z.infer<typeof scimClientSchema>;

/** A SCIM client with a new token. Only this answer contains the token's plaintext. */
export const createdScimClientSchema = scimClientSchema
  .extend({ token: z.string().regex(/^hub_scim_[0-9a-f]{32}$/) })
  .meta({ id: "CreatedScimClient" });
export type CreatedScimClient = z.infer<typeof createdScimClientSchema>;
