import { type Gate, hide, pass } from "./gate.ts";

/**
 * Maintenance operations, and those that a connector has for admins alone, are for admins on every
 * path. A user who manages a row need not be an admin.
 */
export const forAdmins: Gate = (_world, { caller, connector, operation }) => {
  if (!operation || caller.role === "admin") return pass;
  const isForAdmins = operation.adminOnly || connector?.adminOperations?.has(operation.key);
  return isForAdmins ? hide : pass;
};
