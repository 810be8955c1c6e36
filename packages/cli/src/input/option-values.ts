import { InvalidArgumentError } from "commander";

/** Collects the values of a repeated option. */
export function collect(value: string, previous: string[] = []): string[] {
  return [...previous, value];
}

/** Collects `key=value` options into a record. A repeated key is an error. */
export function collectPairs(
  pair: string,
  previous: Record<string, string> = {},
): Record<string, string> {
  const at = pair.indexOf("=");
  if (at < 1) throw new InvalidArgumentError(`Write it as key=value, not "${pair}".`);
  const key = pair.slice(0, at);
  if (Object.hasOwn(previous, key)) throw new InvalidArgumentError(`"${key}" is given twice.`);
  return { ...previous, [key]: pair.slice(at + 1) };
}

/** A whole number, as the value of an option. */
export function toWholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}

/** The value of an option that must not be repeated. */
export function once(value: string, previous: string | undefined): string {
  if (previous !== undefined) throw new InvalidArgumentError("It can be given only once.");
  return value;
}

/** `a, b` → `["a", "b"]`; an empty text is an empty list. */
export function toList(text: string): string[] {
  return text.split(",").filter((part) => part.trim() !== "");
}
