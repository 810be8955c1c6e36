import type { FieldSpec } from "@hub/connector";
import { HubError } from "../../errors.ts";
import type { Call, ListedCall } from "./call.ts";
import { type Gate, pass, refuse } from "./gate.ts";

/**
 * The row's required fields are set. Throws `bad_configuration` if the row's secrets cannot be
 * decrypted.
 */
export const setup: Gate<Call> = (
  _world,
  { path, row, connector, operation, hasWidget = false },
) => {
  if (isUncheckedClick({ path, connector, hasWidget })) return pass;
  const { missing } = row.config();
  // A settings widget may run its operations to find the missing values.
  if (operation?.configOnly || missing.length === 0) return pass;
  return refuse(toMissingSetup(row.label, missing));
};

function toMissingSetup(label: string, missing: readonly FieldSpec[]): HubError {
  const names = missing.map((field) => field.key);
  return new HubError(
    "needs_setup",
    `"${label}" is not set up yet. Ask an admin to set ${names.join(", ")}.`,
    { detail: { missing: names } },
  );
}

/**
 * A host of version 1 does not check a widget's input, and plugins rely on that. Its widgets were for
 * admins, so clicks of other users are checked.
 */
export function isUncheckedClick({
  path,
  connector,
  hasWidget = false,
}: Pick<ListedCall, "path" | "connector" | "hasWidget">): boolean {
  return hasWidget && path === "manager" && connector?.protoVersion === 1;
}
