import { InvalidInputError } from "@hub/connector";

/**
 * The given members. An empty text is included only for the names in `mayClear`, where it clears the value.
 * An empty name or title is not a meaningful change.
 */
export function pickPresent<Params extends object, Name extends keyof Params & string>(
  params: Params,
  names: readonly Name[],
  mayClear: readonly NoInfer<Name>[] = [],
): Record<string, unknown> {
  return Object.fromEntries(
    names
      .map((name) => [name, params[name]] as const)
      .filter(([name, value]) => value !== undefined && (value !== "" || mayClear.includes(name))),
  );
}

/** Refuses an empty change, because the host would report success for a misspelt or empty input. */
export function checkAnyPresent(change: Record<string, unknown>, names: readonly string[]): void {
  if (Object.keys(change).length > 0) return;
  throw new InvalidInputError(
    "",
    `Nothing to change: give at least one of ${names.join(", ")}. Nothing was sent.`,
  );
}

/** `"bug, help wanted"` → its parts. */
export function splitList(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** Like `splitList`, but needs at least one name, because an empty list would remove all labels. */
export function splitNames(input: string, text: string): string[] {
  const names = splitList(text);
  if (names.length > 0) return names;
  throw new InvalidInputError(input, "contains no names. Nothing was sent.");
}
