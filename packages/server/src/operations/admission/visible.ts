import { isVisible } from "../../connectors/rows/row-visibility.ts";
import { type Gate, hide, pass } from "./gate.ts";

/** The caller shares a tag with the row, or is an admin. */
export const visible: Gate = (_world, { caller, row }) => (isVisible(caller, row) ? pass : hide);
