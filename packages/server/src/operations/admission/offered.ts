import type { Operation } from "../../connectors/connector-port.ts";
import { type Gate, hide, pass } from "./gate.ts";

/** The row has the operation, and clients are offered it. */
export const offered: Gate = (_world, { path, operation }) => {
  if (operation === undefined) return pass;
  if (operation === null) return hide;
  const isClient = path === "client" || path === "tester";
  return isClient && !isOffered(operation) ? hide : pass;
};

/** Widget and maintenance operations are not offered. */
export function isOffered({
  configOnly,
  adminOnly,
}: Pick<Operation, "configOnly" | "adminOnly">): boolean {
  return !(configOnly || adminOnly);
}
