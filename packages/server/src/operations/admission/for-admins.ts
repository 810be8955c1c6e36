import type { Operation, RegisteredConnector } from "../../connectors/connector-port.ts";
import { type Gate, hide, pass } from "./gate.ts";

/**
 * Maintenance operations, and those that a connector has for admins alone, are for admins on every
 * path. A user who manages a row need not be an admin.
 */
export const forAdmins: Gate = (_world, { caller, connector, operation }) => {
  if (!operation || caller.role === "admin") return pass;
  return isForAdmins(connector, operation) ? hide : pass;
};

/** Whether the operation does not exist for other users than admins. */
export function isForAdmins(
  connector: Pick<RegisteredConnector, "adminOperations"> | null,
  { key, adminOnly }: Pick<Operation, "key" | "adminOnly">,
): boolean {
  return adminOnly || connector?.adminOperations?.has(key) === true;
}
