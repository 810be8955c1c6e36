import { z } from "zod";
import { timeSchema } from "./time.ts";

/** The OAuth connection of a row, without its tokens. */
export const rowConnectionSchema = z
  .object({
    state: z.enum(["not_connected", "connected", "lost"]).meta({
      description: "`lost`: it no longer works, and an admin must connect the row again.",
    }),
    reason: z.string().nullable().meta({ description: "Why it is lost; else null." }),
    lost_at: timeSchema.nullable(),
    issuer: z.string().nullable().meta({ description: "The authorization server." }),
    address: z.string().nullable().meta({
      description: "The address that the tokens are for. They are sent nowhere else.",
    }),
    scopes: z.array(z.string()),
    connected_at: timeSchema.nullable(),
    expires_at: timeSchema.nullable().meta({
      description: "The end of the present access token; null if the server does not say.",
    }),
    renews: z.boolean().meta({ description: "Whether the hub renews the access by itself." }),
    redirect_uri: z.string().meta({
      description: "To register the hub by hand at an authorization server.",
    }),
  })
  .meta({ id: "RowConnection" });
export type RowConnection = z.infer<typeof rowConnectionSchema>;

/** A sign-in at an authorization server that has begun. */
export const begunConnectSchema = z
  .object({
    authorize_url: z.string().meta({
      description: "Open it in the same browser within ten minutes. It works once.",
    }),
    issuer: z.string().meta({ description: "The authorization server." }),
    scopes: z.array(z.string()).meta({ description: "What the hub asks for." }),
    client: z.enum(["given", "registered", "document"]).meta({
      description:
        "`given`: by the row's `client_id`. `registered`: the hub registered itself. `document`: by the address of the hub's metadata document.",
    }),
    issuer_before: z.string().nullable().meta({
      description: "The authorization server of the present connection, if it is another one.",
    }),
  })
  .meta({ id: "BegunConnect" });
export type BegunConnect = z.infer<typeof begunConnectSchema>;

/** The accounts of users in a row, in numbers. */
export const rowAccountsSchema = z
  .object({
    users: z.int().meta({ description: "How many users have connected an own account." }),
    client_problem: z.string().nullable().meta({
      description:
        "Why the authorization server refuses the row's client, such as a wrong secret; else null. An admin corrects the row.",
    }),
  })
  .meta({ id: "RowAccounts" });
export type RowAccounts = z.infer<typeof rowAccountsSchema>;
