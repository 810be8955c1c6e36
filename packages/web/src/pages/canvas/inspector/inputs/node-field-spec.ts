export type Option = readonly [value: string, label: string];

/** How a field is edited. */
type FieldKind =
  | "text"
  | "lines"
  | "number"
  | "duration"
  | "schedule"
  | "choice"
  | "choices"
  | "toggle"
  | "json"
  | "texts"
  | "code"
  | "conditions"
  | "cases"
  | "approvers"
  | "values"
  | "inputs"
  | "channel"
  | "event"
  | "match"
  | "op"
  | "args"
  | "operation"
  | "params"
  | "workflow"
  | "secret"
  | "retry";

/** A field of a trigger or node, as the inspector shows it. */
export type ItemField = {
  key: string;
  label: string;
  about?: string;
  kind: FieldKind;
  options?: readonly Option[];
  isRequired?: true;
  /** Its texts are templates, so that it has the switch between a fixed value and an expression. */
  isTemplate?: true;
  default?: string;
  /** Shown below "More". */
  isMore?: true;
};

/** How bad a failure is. */
export const severities: readonly Option[] = [
  ["info", "Info"],
  ["warning", "Warning"],
  ["error", "Error"],
  ["critical", "Critical"],
];
