import { toTimeText } from "@hub/contract/time.ts";
import type { User } from "@hub/contract/user.ts";
import type { User as StoredUser } from "../../store/users/users-table.ts";

/** The user as the API and the command line show it. */
export function toUser(user: StoredUser): User {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    role: user.role,
    status: user.status,
    tags: user.tags,
    created_at: toTimeText(user.createdAt),
  };
}
