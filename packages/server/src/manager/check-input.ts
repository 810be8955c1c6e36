import { describeIssues, type Issue } from "@hub/connector";
import { z } from "zod";
import { HubError } from "../errors.ts";

/** Parses what a door hands to a verb. Throws `bad_request` with one sentence for each fault. */
export function checkInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({
    path: toSnakeCase(path.join(".")),
    message,
  }));
  throw toBadRequest(issues);
}

/** As documents and flags write a name: `expiresInDays` is `expires_in_days` to whoever typed it. */
function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
}

/** The failure that names every value that does not fit, and why. */
export function toBadRequest(issues: readonly Issue[]): HubError {
  return new HubError("bad_request", describeIssues(issues), { detail: { issues } });
}

/** One line of text that a person wrote: trimmed, with something in it. */
export function lineSchema(charsMax: number) {
  return z
    .string()
    .trim()
    .min(1, { error: "must not be empty." })
    .max(charsMax, { error: `must have at most ${charsMax} characters.` })
    .regex(/^\P{Cc}*$/u, { error: "must be one line without control characters." });
}

export const tagsSchema = z.array(z.string());
