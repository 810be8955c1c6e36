import { z } from "zod";
import { timeSchema } from "./time.ts";

/**
 * `mcp` gives access to the MCP endpoint only. `manage` also gives access to the management API and
 * the metrics.
 */
export const tokenScopeSchema = z.enum(["mcp", "manage"], {
  error: 'must be "mcp" or "manage".',
});
export type TokenScope = z.infer<typeof tokenScopeSchema>;

/** What the calls of a token are limited to. Without `rows` and `operations`, everything that its user may call. */
export const tokenBoundsSchema = z
  .strictObject({
    rows: z
      .array(z.string())
      .optional()
      .meta({ description: "Ids of rows, with all of their operations." }),
    operations: z
      .array(z.string())
      .optional()
      .meta({ description: "Tool ids of operations of other rows." }),
    addresses: z
      .array(z.string())
      .optional()
      .meta({ description: "Addresses and networks of its clients, such as `10.0.0.0/8`." }),
  })
  .meta({ id: "TokenBounds" });
export type TokenBounds = z.infer<typeof tokenBoundsSchema>;

/** A personal access token without its secret. */
export const tokenSchema = z
  .object({
    id: z.uuid(),
    user: z.string().meta({ description: "E-mail of its user." }),
    name: z.string(),
    last_four: z.string(),
    scope: tokenScopeSchema.meta({
      description: "`mcp`: only the MCP endpoint. `manage`: also the management API.",
    }),
    created_at: timeSchema,
    last_used_at: timeSchema.nullable(),
    expires_at: timeSchema.nullable(),
    revoked_at: timeSchema.nullable(),
    bounds: tokenBoundsSchema.nullable().meta({ description: "Null for a token without bounds." }),
  })
  .meta({ id: "Token" });
export type Token = z.infer<typeof tokenSchema>;

/** A new token. Only this answer contains its plaintext. */
export const createdTokenSchema = tokenSchema
  .extend({
    token: z.string().regex(/^hub_(?:pat|pbt)_[0-9a-f]{32}$/),
  })
  .meta({ id: "CreatedToken" });
export type CreatedToken = z.infer<typeof createdTokenSchema>;

/** A token that replaces another. */
export const rotatedTokenSchema = createdTokenSchema
  .extend({
    replaced: tokenSchema.meta({
      description: "The old token. It is revoked, or ends at its `expires_at`.",
    }),
  })
  .meta({ id: "RotatedToken" });
export type RotatedToken = z.infer<typeof rotatedTokenSchema>;
