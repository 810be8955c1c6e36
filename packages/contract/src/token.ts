import { z } from "zod";
import { timeSchema } from "./time.ts";

/** `mcp` opens the MCP endpoint alone; `manage` opens the management API and the metrics as well. */
export const tokenScopeSchema = z.enum(["mcp", "manage"], {
  error: 'must be "mcp" or "manage".',
});
export type TokenScope = z.infer<typeof tokenScopeSchema>;

/** A personal access token as it is listed: enough to recognise it, nothing to use it with. */
export const tokenSchema = z
  .object({
    id: z.uuid(),
    user: z.string().meta({ description: "Email of the user it speaks for." }),
    name: z.string(),
    last_four: z.string(),
    scope: tokenScopeSchema.meta({
      description: "`mcp`: the MCP endpoint alone. `manage`: the management API as well.",
    }),
    created_at: timeSchema,
    last_used_at: timeSchema.nullable(),
    expires_at: timeSchema.nullable(),
    revoked_at: timeSchema.nullable(),
  })
  .meta({ id: "Token" });
export type Token = z.infer<typeof tokenSchema>;

/** A token just made: the only answer that ever carries its plaintext. */
export const createdTokenSchema = tokenSchema
  .extend({
    token: z.string().regex(/^hub_pat_[0-9a-f]{32}$/),
  })
  .meta({ id: "CreatedToken" });
export type CreatedToken = z.infer<typeof createdTokenSchema>;
