import type { ReviewLine as Line } from "@hub/contract/row-discovery.ts";
import type { ReviewLine } from "./review-line.ts";

const kinds = { new: "New", changed: "Changed", invalid: "Invalid", gone: "Gone" } as const;

/** A line as the table shows it. What is gone or invalid cannot be approved. */
export function toReviewLine(line: Line): ReviewLine {
  const { key, review, method, path, name, description, destructive, warnings, changed } = line;
  const change = changed.length === 0 ? kinds[review] : `${kinds[review]}: ${changed.join(", ")}`;
  return {
    key,
    hint: method ?? "Tool",
    name: path === null ? name : toName(name, path),
    description,
    isDestructive: destructive,
    change,
    warnings,
    isOpen: review === "new" || review === "changed",
  };
}

/** An API's operation is known by its path, too. */
export function toName(name: string, path: string): string {
  return name === path ? name : `${name} · ${path}`;
}
