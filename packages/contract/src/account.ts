import { z } from "zod";
import { fieldBaseSchema } from "./connector-type.ts";
import { logoSchema } from "./logo.ts";
import { timeSchema } from "./time.ts";

/** A user's own account in a row, without its secrets. */
export const accountSchema = z
  .object({
    id: z.uuid(),
    row_id: z.uuid(),
    row_label: z.string(),
    connector: z.string(),
    label: z.string().meta({ description: "Unique among the user's accounts in the row." }),
    kind: z.enum(["token", "oauth"]),
    identity: z.string().nullable().meta({ description: "Who it is outside, if that is known." }),
    hosts: z.array(z.string()).meta({
      description: "Where it is used, as its user was shown. It is used nowhere else.",
    }),
    connected_at: timeSchema,
    used_at: timeSchema.nullable().meta({ description: "Of its last call; exact to an hour." }),
    expires_at: timeSchema.nullable(),
    problem: z.string().nullable().meta({
      description: "Why it must be connected again; null while it works.",
    }),
  })
  .meta({ id: "Account" });
export type Account = z.infer<typeof accountSchema>;

/** An account of a user, as admins at the hub's machine see it. */
export type KnownAccount = Omit<Account, "label" | "identity">;

/** A row in which the caller may have an own account. */
export const accountRowSchema = z
  .object({
    id: z.uuid(),
    connector: z.string(),
    connector_name: z.string(),
    label: z.string(),
    logo: logoSchema,
    access: z.enum(["own", "own_else_shared"]),
    kind: z.enum(["token", "oauth"]),
    hosts: z.array(z.string()).meta({
      description: "Where an account is used. Send it with the account, as it was shown.",
    }),
    fields: z
      .array(
        z.object({
          key: z.string(),
          name: z.string(),
          description: z.string(),
          widget: z.string(),
          base: fieldBaseSchema,
          secret: z.boolean(),
          required: z.boolean(),
        }),
      )
      .meta({ description: "What the user types. Empty for a sign-in elsewhere." }),
  })
  .meta({ id: "AccountRow" });
export type AccountRow = z.infer<typeof accountRowSchema>;

/** An account that was removed here, and is still to be ended where its user signed in. */
export const accountEndingSchema = z
  .object({
    id: z.uuid(),
    row_label: z.string().meta({ description: "Empty for a row that you do not see." }),
    attempts: z.int().meta({ description: "How often it was tried." }),
    failure: z.string().nullable().meta({ description: "Why the latest try failed." }),
    since: timeSchema,
  })
  .meta({ id: "AccountEnding" });
export type AccountEnding = z.infer<typeof accountEndingSchema>;

/** A sign-in at an authorization server that has begun. */
export const begunSignInSchema = z
  .object({
    authorize_url: z.string().meta({
      description: "Open it in the same browser within ten minutes. It works once.",
    }),
    issuer: z.string().meta({ description: "The authorization server." }),
    scopes: z.array(z.string()).meta({ description: "What the hub asks for." }),
  })
  .meta({ id: "BegunSignIn" });
export type BegunSignIn = z.infer<typeof begunSignInSchema>;
