import type {
  OperationDefinition,
  ReviewedOperation,
  RowDiscovery,
} from "@hub/contract/row-discovery.ts";
import { table } from "../declare/view.ts";
import { toFacts, toPrintable } from "../text/table.ts";
import { diffParts } from "./diff-parts.ts";

const kinds = {
  new: "new",
  changed: "changed",
  invalid: "invalid now",
  gone: "no longer offered",
};

/** The state of a row's operations, in lines of facts. */
export function toDiscoveryText(discovery: RowDiscovery): string {
  const facts = toFacts([
    ["operations", discovery.operations],
    ["waiting for a review", discovery.waiting],
    ...(discovery.left_out_total === 0
      ? []
      : ([["left out", discovery.left_out_total]] satisfies [string, number][])),
    ["last discovery", discovery.discovered_at ?? "never"],
    ...(discovery.failure === null
      ? []
      : ([["last attempt failed", discovery.failure]] satisfies [string, string][])),
  ]);
  if (discovery.left_out.length === 0) return facts;
  return `${facts}\n\n${toLeftOutTable(discovery.left_out)}`;
}

/** Operations that cannot be used, in one line each. */
export const toLeftOutTable = table<RowDiscovery["left_out"][number]>(
  [["left out", "source_name"], "reason"],
  "Nothing is left out.",
);

/** Operations as an admin reviews them. With `isWhole`, with their whole schemas. */
export function toReviewText(
  reviewed: readonly ReviewedOperation[],
  { isWhole }: { isWhole: boolean },
): string {
  return reviewed.map((one) => toOperationText(one, isWhole)).join("\n\n");
}

/** Operations in one line each. */
export const toReviewTable = table<ReviewedOperation>(
  [
    ["operation", "key"],
    ["review", ({ review }) => kinds[review]],
    ["destructive", ({ definition }) => (definition.destructive ? "yes" : "no")],
    ["description", ({ definition }) => toShort(definition.description)],
    ["warnings", ({ warnings }) => warnings.join(" ")],
  ],
  "No operations.",
);

function toShort(text: string): string {
  const line = text.split("\n", 1)[0] ?? "";
  return line.length > 60 ? `${line.slice(0, 59).toWellFormed()}…` : line;
}

function toOperationText(operation: ReviewedOperation, isWhole: boolean): string {
  const { key, review, definition, approved, warnings } = operation;
  const lines = [
    `${key}  (${kinds[review]})`,
    ...warnings.map((warning) => `  ! ${toPrintable(warning)}`),
  ];
  if (review === "gone" || review === "invalid") return lines.join("\n");
  lines.push(
    `  in the outside system: ${toPrintable(operation.source_name)}`,
    ...(approved === null || isWhole ? toWhole(definition, isWhole) : []),
    ...(approved === null ? [] : toDifference(approved, definition)),
  );
  return lines.join("\n");
}

function toWhole(definition: OperationDefinition, isWhole: boolean): string[] {
  const { name, destructive, description, input_schema: input, output_schema: output } = definition;
  return [
    `  name: ${toPrintable(name)}`,
    `  destructive: ${toYesOrNo(destructive)}`,
    "  description:",
    ...toIndented(description === "" ? "(none)" : description),
    "  inputs:",
    ...(isWhole ? toIndented(toJsonText(input)) : toInputs(input)),
    ...(isWhole && output !== undefined
      ? ["  output schema:", ...toIndented(toJsonText(output))]
      : []),
    ...(isWhole && definition.binding !== undefined
      ? ["  call:", ...toIndented(toJsonText(definition.binding))]
      : []),
  ];
}

/** Texts differ word by word, schemas line by line. */
function toDifference(before: OperationDefinition, after: OperationDefinition): string[] {
  const words = (title: string, old: string, now: string) =>
    old === now ? [] : [`  ${title}:`, ...toIndented(diffWords(old, now))];
  const lines = (title: string, old: unknown, now: unknown) => {
    const [oldText, nowText] = [toJsonText(old), toJsonText(now)];
    return oldText === nowText
      ? []
      : [`  ${title}:`, ...diffLines(oldText, nowText).map((line) => `    ${toPrintable(line)}`)];
  };
  const { destructive, idempotent } = after;
  return [
    ...words("name", before.name, after.name),
    ...words("destructive", toYesOrNo(before.destructive), toYesOrNo(destructive)),
    ...words("safe to repeat", toYesOrNo(before.idempotent), toYesOrNo(idempotent)),
    ...words("description", before.description, after.description),
    ...lines("inputs", before.input_schema, after.input_schema),
    ...lines("output schema", before.output_schema, after.output_schema),
    ...lines("call", before.binding, after.binding),
  ];
}

function diffWords(before: string, after: string): string {
  const marks = { same: ["", ""], removed: ["[-", "-]"], added: ["{+", "+}"] } as const;
  const parts = diffParts(toWords(before), toWords(after));
  let text = "";
  for (const [at, { kind, text: word }] of parts.entries()) {
    const [open, close] = marks[kind];
    if (parts[at - 1]?.kind !== kind) text += open;
    text += word;
    if (parts[at + 1]?.kind !== kind) text += close;
  }
  return text;
}

function toWords(text: string): string[] {
  return text.match(/\s+|[^\s]+/g) ?? [];
}

const linesAround = 2;

function diffLines(before: string, after: string): string[] {
  const parts = diffParts(before.split("\n"), after.split("\n"));
  const isNear = parts.map(() => false);
  for (const [at, { kind }] of parts.entries()) {
    if (kind !== "same") isNear.fill(true, Math.max(at - linesAround, 0), at + linesAround + 1);
  }
  const signs = { same: " ", removed: "-", added: "+" };
  return parts.flatMap(({ kind, text }, at) => {
    if (isNear[at]) return [`${signs[kind]} ${text}`];
    return at === 0 || isNear[at - 1] ? ["…"] : [];
  });
}

function toInputs(schema: unknown): string[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, { type?: unknown; description?: unknown }>;
    required?: readonly string[];
  };
  const inputs = Object.entries(properties).map(([key, { type, description }]) => {
    const kind = [
      ...(type === undefined ? [] : [[type].flat().join(" or ")]),
      ...(required.includes(key) ? ["required"] : []),
    ].join(", ");
    const text = typeof description === "string" && description !== "" ? `: ${description}` : "";
    return `    ${toPrintable(`${key}${kind === "" ? "" : ` (${kind})`}${text.replaceAll("\n", " ")}`)}`;
  });
  return inputs.length === 0 ? ["    (none)"] : inputs;
}

function toYesOrNo(value: boolean): string {
  return value ? "yes" : "no";
}

function toJsonText(value: unknown): string {
  return value === undefined ? "(none)" : JSON.stringify(value, null, 2);
}

function toIndented(text: string): string[] {
  return text.split("\n").map((line) => `    ${toPrintable(line)}`);
}
