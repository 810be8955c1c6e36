import type { ItemField } from "./inputs/node-field-spec.ts";

/** The fields of every node. */
export const commonFields: readonly ItemField[] = [
  {
    key: "on_error",
    label: "If it fails",
    kind: "choice",
    default: "fail",
    isMore: true,
    about: "The last choice gives the node an output for errors.",
    options: [
      ["fail", "Fail the run"],
      ["continue", "Go on with the error as output"],
      ["route", "Go on along the case error"],
    ],
  },
  { key: "retry", label: "Tries", kind: "retry", isMore: true },
  {
    key: "timeout_s",
    label: "Time limit in seconds",
    kind: "number",
    isMore: true,
    about: "Of each try, 1 to 3,600.",
  },
];
