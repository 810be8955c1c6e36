import { HubError } from "../../errors.ts";
import { type Gate, pass, refuse } from "./gate.ts";

/** The row and its connector type are enabled. The manager's path also reaches disabled rows. */
export const rowEnabled: Gate = ({ directory }, { path, row }) => {
  if (path === "manager") return pass;
  if (!(row.disabled || directory.isTypeDisabled(row.connectorKey))) return pass;
  return refuse(
    new HubError(
      "connector_disabled",
      `"${row.label}" is disabled. Ask an admin to enable it, or use another tool.`,
    ),
  );
};
