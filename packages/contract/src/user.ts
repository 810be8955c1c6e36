import { z } from "zod";
import { timeSchema } from "./time.ts";

/** `admin` sees and manages everything. `user` sees the rows with a shared tag. */
export const roleSchema = z.enum(["admin", "user"]);
export type Role = z.infer<typeof roleSchema>;

/** Only `active` users may use the hub. */
export const userStatusSchema = z.enum(["pending", "active", "disabled"]);
export type UserStatus = z.infer<typeof userStatusSchema>;

/** A person who can sign in and call tools. */
export const userSchema = z
  .object({
    id: z.uuid(),
    email: z.string().meta({ description: "Lower case; unique." }),
    name: z.string(),
    role: roleSchema,
    status: userStatusSchema,
    tags: z
      .array(z.string())
      .meta({ description: "Without the reserved tag `everyone`, which every user has." }),
    created_at: timeSchema,
  })
  .meta({ id: "User" });
export type User = z.infer<typeof userSchema>;

/**
 * A password for one sign-in, after which the user must choose another one. Only this answer shows
 * it.
 */
export const oneTimePasswordSchema = z.object({ email: z.string(), one_time_password: z.string() });
export type OneTimePassword = z.infer<typeof oneTimePasswordSchema>;
