import { z } from "zod";
import { timeSchema } from "./time.ts";

/** `admin` sees and manages everything; `user` sees the rows that share one of their tags. */
export const roleSchema = z.enum(["admin", "user"]);
export type Role = z.infer<typeof roleSchema>;

/** Only `active` users get through any door. */
export const userStatusSchema = z.enum(["pending", "active", "disabled"]);
export type UserStatus = z.infer<typeof userStatusSchema>;

/** A person who may call tools. */
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

/** A password for one sign-in, at which the user chooses a new one. Shown only in this answer. */
export const oneTimePasswordSchema = z.object({ email: z.string(), one_time_password: z.string() });
export type OneTimePassword = z.infer<typeof oneTimePasswordSchema>;
