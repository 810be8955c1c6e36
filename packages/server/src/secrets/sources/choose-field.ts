import { readMember } from "./request-json.ts";
import { SourceFailure } from "./source-failure.ts";

/** The text of a secret that a manager keeps as one text: the whole of it, or a member of its JSON. */
export function chooseField(text: string, field: string): string {
  if (field === "") return text;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new SourceFailure("absent", "the secret has no fields: it is not JSON");
  }
  return toSecretText(readMember(parsed, field));
}

/** Texts as they are, other values as JSON. */
export function toSecretText(value: unknown): string {
  if (value === undefined || value === null) {
    throw new SourceFailure("absent", "the secret has no such field");
  }
  if (typeof value === "string") return value;
  // JSON numbers beyond 2^53 come back rounded, so a part of the secret would be wrong.
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    throw new SourceFailure(
      "bad",
      "the field is a number that JSON cannot hold. Store it as a text",
    );
  }
  return JSON.stringify(value);
}
