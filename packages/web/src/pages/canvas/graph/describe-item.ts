import { formatSpan } from "../../../ui/text/format.ts";
import type { Item } from "./body.ts";
import type { ItemRow } from "./flow.ts";
import { findOperationKey } from "./item-row.ts";
import { findItemType } from "./item-types.ts";

/** The name of an item for people: its label, or what its type and fields say. */
export function toTitle(item: Item, isTrigger: boolean): string {
  if (typeof item.label === "string" && item.label.trim() !== "") return item.label;
  return findItemType(item, isTrigger).name;
}

const charsMax = 60;

/** One line of what an item does, from its fields, and of an operation with its row if that is known. */
export function describeItem(item: Item, isTrigger: boolean, row: ItemRow | null = null): string {
  const line = isTrigger ? describeTrigger(item) : describeNode(item, row);
  const text = line.replace(/\s+/g, " ").trim();
  if (text === "") return findItemType(item, isTrigger).about;
  return text.length > charsMax ? `${text.slice(0, charsMax)}…` : text;
}

function describeTrigger({ type, ...fields }: Item): string {
  switch (type) {
    case "webhook":
      return `${toList(fields.method ?? "POST")} /${toText(fields.path) || "*"}`;
    case "cron":
      return [toText(fields.schedule), toText(fields.timezone)].filter(Boolean).join(" · ");
    case "channel":
      return [toText(fields.channel), toText(fields.event)].filter(Boolean).join(": ");
    case "error":
      return fields.source_workflow === "*" ? "Any workflow" : toText(fields.source_workflow);
    case "manual":
      return Array.isArray(fields.input) && fields.input.length > 0
        ? fields.input.map((one) => toText(Object(one).name)).join(", ")
        : "";
    default:
      return "";
  }
}

function describeNode(item: Item, row: ItemRow | null): string {
  const { type, ...fields } = item;
  switch (type) {
    case "operation":
      return [row?.label ?? "", findOperationKey(item)].filter(Boolean).join(" · ");
    case "http":
      return fields.url ? `${toText(fields.method ?? "GET")} ${toText(fields.url)}` : "";
    case "branch":
      return toLines(
        fields.conditions,
        ({ left, op, right }) => `${toText(left)} ${op} ${toText(right)}`,
      );
    case "switch":
      return toText(fields.value);
    case "set":
      return toText(fields.value);
    case "code":
      return toText(fields.source);
    case "wait":
      return fields.until ? `until ${toText(fields.until)}` : toSpan(fields.seconds);
    case "approval":
      return toText(fields.title);
    case "workflow":
      return toText(fields.workflow_id);
    case "channel":
      return [toText(fields.channel), toText(fields.op)].filter(Boolean).join(": ");
    case "webhook_respond":
      return `Status ${toText(fields.respond_status ?? 200)}`;
    case "fail":
      return toText(fields.message);
    default:
      return "";
  }
}

function toLines(list: unknown, toLine: (one: Record<string, unknown>) => string): string {
  if (!Array.isArray(list)) return "";
  const [first] = list;
  const more = list.length > 1 ? ` and ${list.length - 1} more` : "";
  const line = first === undefined ? "" : toLine(Object(first)).trim();
  return line === "eq" ? "" : line + more;
}

function toList(value: unknown): string {
  return Array.isArray(value) ? value.map(toText).join(", ") : toText(value);
}

/** A short text of a value. Large values are cut before they are written. */
function toText(value: unknown): string {
  if (typeof value === "string") return value.slice(0, charsMax * 2);
  if (value === undefined || value === null) return "";
  if (typeof value === "object") {
    const names = Object.keys(value);
    if (Array.isArray(value)) return `${names.length} items`;
    return names.length === 0 ? "" : names.slice(0, 8).join(", ");
  }
  return String(value);
}

/** A number of seconds in words, or the expression that gives it. */
function toSpan(seconds: unknown): string {
  return typeof seconds === "number" ? formatSpan(seconds) : `${toText(seconds)} seconds`;
}
