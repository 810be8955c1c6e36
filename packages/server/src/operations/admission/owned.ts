import { findOwnerConflict } from "../../connectors/rows/row-owner.ts";
import { type Gate, pass, refuse } from "./gate.ts";

/** The row was made for this code, and not for another one with the same key. */
export const owned: Gate = (_world, { row, connector }) => {
  const conflict = connector && findOwnerConflict(row, connector);
  return conflict ? refuse(conflict) : pass;
};
