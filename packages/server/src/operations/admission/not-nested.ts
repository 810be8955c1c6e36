import { HubError } from "../../errors.ts";
import { type Gate, pass, refuse } from "./gate.ts";

/** No script calls a script: each would have its own limits, and wait for the process of the first one. */
export const notNested: Gate = (_world, { isFromScript, connector, operation }) => {
  if (!isFromScript || !operation) return pass;
  if (connector?.scriptOperations?.has(operation.key) !== true) return pass;
  return refuse(
    new HubError(
      "nested_script",
      `A script cannot call "${operation.key}". Do all of it in one script, or call the scripts one after the other.`,
    ),
  );
};
