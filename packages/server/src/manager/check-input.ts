import { z } from "zod";
import { HubError, type Issue } from "../errors.ts";

/** Parses what a door hands to a verb. Throws `bad_request` with one sentence for each fault. */
export function checkInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({
    path: path.join("."),
    message,
  }));
  throw toBadRequest(issues);
}

/** The failure that names every value that does not fit, and why. */
export function toBadRequest(issues: readonly Issue[]): HubError {
  const sentences = issues.map(({ path, message }) => {
    const sentence = /[.?!]$/.test(message) ? message : `${message}.`;
    return path === "" ? sentence : `${path}: ${sentence}`;
  });
  return new HubError("bad_request", sentences.join(" "), { detail: { issues } });
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
