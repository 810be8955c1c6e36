import { InvalidInputError } from "@hub/connector";

/**
 * The members that were given. Those of `mayClear` also when they are empty, which is how a text is
 * cleared; an empty name or title would be no change that anybody means.
 */
export function pickGiven<Params extends object, Name extends keyof Params & string>(
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

/** The host takes an empty change for a success, so a misspelt or empty input would look like one. */
export function checkAnyGiven(change: Record<string, unknown>, names: readonly string[]): void {
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

/** As `splitList`, where there must be one at least: adding no labels at all takes all away. */
export function splitNames(input: string, text: string): string[] {
  const names = splitList(text);
  if (names.length > 0) return names;
  throw new InvalidInputError(input, "contains no names. Nothing was sent.");
}
