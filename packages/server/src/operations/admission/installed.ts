import { toAwaitedError } from "../../connectors/check-awaited.ts";
import { HubError } from "../../errors.ts";
import { type Gate, hide, pass, refuse } from "./gate.ts";

/** This process has the row's connector. Without it, the row has no operations. */
export const installed: Gate = ({ registry }, { path, row, connector, operation }) => {
  // The hub's own uses call no connector.
  if (connector !== null || path === "hub") return pass;
  const { connectorKey: key } = row;
  if (registry.isAwaited(key)) return refuse(toAwaitedError(key));
  if (operation !== undefined) return hide;
  return refuse(
    new HubError("not_found", `The connector "${key}" is not installed. Install its plugin first.`),
  );
};
