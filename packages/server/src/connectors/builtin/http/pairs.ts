import { findNumberText, parseJson } from "@hub/connector";
import { refuseParam } from "./refuse.ts";

type Pair = [name: string, value: string];

/**
 * Names and values from what models send for them: an object, its JSON as text, or `a=1&b=2`.
 * An array repeats its name; null is left out.
 */
export function readPairs(param: string, raw: unknown): Pair[] {
  const value = typeof raw === "string" ? parsePairs(param, raw) : raw;
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return refuseShape(param);
  if (typeof value !== "object" || JSON.isRawJSON(value)) return refuseShape(param);
  return Object.entries(value).flatMap(([name, member]) => {
    const members: unknown[] = Array.isArray(member) ? member : [member];
    return members
      .filter((item) => item !== null)
      .map((item): Pair => [name, toText(`${param}.${name}`, item)]);
  });
}

function parsePairs(param: string, text: string): unknown {
  const trimmed = text.trim();
  if (!trimmed.startsWith("{")) return toRecord(new URLSearchParams(trimmed));
  try {
    return parseJson(trimmed);
  } catch {
    return refuseShape(param);
  }
}

function toRecord(search: URLSearchParams): Record<string, string[]> {
  return Object.fromEntries([...search.keys()].map((name) => [name, search.getAll(name)]));
}

function toText(path: string, value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  const digits = findNumberText(value);
  return digits ?? refuseParam(path, "must be text, a number, true, false or an array of these");
}

function refuseShape(param: string): never {
  return refuseParam(param, 'must be an object such as {"name": "value"}');
}
