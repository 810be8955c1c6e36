import { z } from "zod";
import { timeSchema } from "./time.ts";

/** `admin` sees and manages everything; `user` sees the rows that share one of their tags. */
export const roleSchema = z.enum(["admin", "user"]);
export type Role = z.infer<typeof roleSchema>;

/** Only `active` users get through any door. */
export const userStatusSchema = z.enum(["pending", "active", "disabled"]);
export type UserStatus = z.infer<typeof userStatusSchema>;

/** A person who may call tools. */
export const userSchema = z.object({
  id: z.uuid(),
  /** Lower case; unique. */
  email: z.string(),
  name: z.string(),
  role: roleSchema,
  status: userStatusSchema,
  /** Without the reserved tag `everyone`, which every user has. */
  tags: z.array(z.string()),
  created_at: timeSchema,
});
export type User = z.infer<typeof userSchema>;
