import { HubError } from "../../errors.ts";
import { type Gate, pass, refuse } from "./gate.ts";

/** A call that may only read is of an operation that is known to change nothing. */
export const reading: Gate = (_world, { readsOnly, operation, row, isFromScript }) => {
  if (!readsOnly || !operation || operation.reads === true) return pass;
  if (isFromScript) {
    return refuse(
      new HubError(
        "destructive_operation",
        `The operation "${operation.key}" of "${row.label}" is not marked as one that only reads, so read_script does not run it. Run the script with run_script, and ask the user to confirm first.`,
      ),
    );
  }
  return refuse(
    new HubError(
      "destructive_operation",
      `The operation "${operation.key}" of "${row.label}" is not marked as one that only reads, so hub_read does not run it. Call it with hub_execute; if it is destructive, ask the user to confirm first.`,
    ),
  );
};
