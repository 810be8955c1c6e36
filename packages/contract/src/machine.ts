import { z } from "zod";
import { timeSchema } from "./time.ts";
import { tokenBoundsSchema } from "./token.ts";
import { roleSchema, userStatusSchema } from "./user.ts";

/** A user for programs. It has no password and never signs in. */
export const serviceUserSchema = z
  .object({
    id: z.uuid(),
    name: z.string().meta({ description: "Lower-case letters, digits and hyphens; unique." }),
    owner: z.string().nullable().meta({
      description:
        "E-mail of the person who answers for it. Null if it waits for a new owner; it does nothing until then.",
    }),
    role: roleSchema.meta({ description: "`admin` counts while the owner is an admin too." }),
    status: userStatusSchema,
    works: z.boolean().meta({ description: "Whether it and its owner are active." }),
    tags: z.array(z.string()).meta({ description: "Those count that its owner has too." }),
    created_at: timeSchema,
  })
  .meta({ id: "ServiceUser" });
export type ServiceUser = z.infer<typeof serviceUserSchema>;

export const machineClientAuthSchema = z.enum(["client_secret", "private_key_jwt"]);

/** A client that gets tokens at the token endpoint without a browser. */
export const machineClientSchema = z
  .object({
    id: z.uuid().meta({ description: "Its `client_id`." }),
    name: z.string(),
    service_user: z.string().nullable().meta({
      description:
        "The name of the service user that it acts as. Null for a client that only brings assertions of a company's provider.",
    }),
    auth: machineClientAuthSchema,
    bounds: tokenBoundsSchema.nullable(),
    created_by: z.string(),
    created_at: timeSchema,
    expires_at: timeSchema.nullable(),
    last_used_at: timeSchema.nullable(),
  })
  .meta({ id: "MachineClient" });
export type MachineClient = z.infer<typeof machineClientSchema>;

/** A new client. Only this answer has its secret. */
export const createdMachineClientSchema = machineClientSchema
  .extend({
    client_secret: z.string().nullable().meta({
      description: "Null for a client with keys of its own.",
    }),
  })
  .meta({ id: "CreatedMachineClient" });
export type CreatedMachineClient = z.infer<typeof createdMachineClientSchema>;

export const trustedIssuerKindSchema = z.enum(["workload", "id_jag"]);

/** What a claim of an assertion must be. */
export const claimConditionSchema = z.union([
  z.strictObject({ claim: z.string(), value: z.string() }),
  z.strictObject({ claim: z.string(), prefix: z.string() }),
]);
export type ClaimCondition = z.infer<typeof claimConditionSchema>;

/** An issuer whose signed assertions open the hub without a stored secret. */
export const trustedIssuerSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    issuer: z.string(),
    kind: trustedIssuerKindSchema.meta({
      description:
        "`workload`: a platform says what a program is. `id_jag`: a company's provider says who the user is.",
    }),
    jwks_uri: z.string().nullable(),
    audience: z.string().nullable(),
    conditions: z.array(claimConditionSchema),
    service_user: z.string().nullable(),
    bounds: tokenBoundsSchema.nullable(),
    created_by: z.string(),
    created_at: timeSchema,
    last_used_at: timeSchema.nullable(),
  })
  .meta({ id: "TrustedIssuer" });
export type TrustedIssuer = z.infer<typeof trustedIssuerSchema>;
