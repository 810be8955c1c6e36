import { HubError } from "../../errors.ts";
import { type Gate, pass, refuse } from "./gate.ts";

/** No admin has disabled the operation. */
export const operationEnabled: Gate = (_world, { path, row, operation }) => {
  if (!operation || path === "manager") return pass;
  if (row.operationStates[operation.key] ?? true) return pass;
  return refuse(
    new HubError(
      "operation_disabled",
      `The operation "${operation.key}" of "${row.label}" is disabled. Ask an admin to enable it, or use another tool.`,
    ),
  );
};
