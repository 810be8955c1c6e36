import type { User } from "@hub/contract/user.ts";

/** A user who sees a row, and why: as an admin, or by a tag. */
export type Viewer = { user: User; reason: "admin" | string };

/** The active users who see a row with these tags: those by tags first, then the admins. */
export function listViewers(users: readonly User[], tags: readonly string[]): Viewer[] {
  const isForAll = tags.includes("everyone");
  const active = users.filter(({ status }) => status === "active");
  const byTag = active.flatMap((user): Viewer[] => {
    if (user.role === "admin") return [];
    const tag = user.tags.find((one) => tags.includes(one)) ?? (isForAll ? "everyone" : undefined);
    return tag === undefined ? [] : [{ user, reason: tag }];
  });
  const admins = active.filter(({ role }) => role === "admin");
  return [...byTag, ...admins.map((user): Viewer => ({ user, reason: "admin" }))];
}
