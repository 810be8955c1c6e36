import type { UserOrigins } from "../../store/users/user-origins.ts";
import type { User } from "../../store/users/users-table.ts";
import type { GroupGrant } from "./resolve-groups.ts";

type Present = Pick<User, "role" | "status"> & Pick<UserOrigins, "handRole" | "disabledBy">;

/**
 * The role and the state of a user whose groups give this role. The role admin is given by hand, by groups, or by both, and
 * stays until both have taken it. Only users whom groups disabled become active again by groups. The last active admin
 * stays one: then no group can lock all people out.
 */
export function decideAccess(
  present: Present,
  byGroups: GroupGrant["role"],
  isLastAdmin: boolean,
): Present {
  const byHand = present.handRole ?? present.role;
  const wanted: Present = {
    role: byGroups === "admin" ? "admin" : byHand,
    handRole: byGroups === "admin" ? byHand : null,
    ...decideStatus(present, byGroups === "none"),
  };
  const isLost = wanted.role !== "admin" || wanted.status !== "active";
  if (!isLastAdmin || !isLost) return wanted;
  // The role by hand is kept beside, so that it counts once there is another admin.
  const handRole = byHand === "admin" ? wanted.handRole : byHand;
  return { role: "admin", handRole, status: "active", disabledBy: null };
}

/** A pending user waits for an admin whatever the groups say, and has no access until then. */
function decideStatus(
  { status, disabledBy }: Present,
  isRefused: boolean,
): Pick<Present, "status" | "disabledBy"> {
  if (isRefused && status === "active") return { status: "disabled", disabledBy: "groups" };
  if (!isRefused && status === "disabled" && disabledBy === "groups") {
    return { status: "active", disabledBy: null };
  }
  return { status, disabledBy };
}
