import { describeIssues, endSentence, type Issue, suggest } from "@hub/connector";
import { z } from "zod";
import { HubError, toIssuesDetail } from "../../errors.ts";
import { issueWords } from "./issue-words.ts";

/** Parses the input of a service. Throws `bad_request` with one sentence for each fault. */
export function checkInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(input, { error: issueWords });
  if (parsed.success) return parsed.data;
  throw toBadRequest(parsed.error.issues.flatMap((issue) => toIssues(schema, issue)));
}

function toIssues(schema: z.ZodType, issue: z.core.$ZodIssue): Issue[] {
  const { path, message } = issue;
  if (issue.code !== "unrecognized_keys" || path.length > 0) {
    return [{ path: toSnakeCase(path.join(".")), message: endSentence(message) }];
  }
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape).map(toSnakeCase) : [];
  return issue.keys.map((key) => ({ path: key, message: `is not known.${suggest(key, known)}` }));
}

/** The name as callers write it: `expiresInDays` is `expires_in_days` in the API. */
function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
}

/** An error that names the invalid values and the reasons. */
export function toBadRequest(issues: readonly Issue[]): HubError {
  return new HubError("bad_request", describeIssues(issues), { detail: toIssuesDetail(issues) });
}

/** One line of text, trimmed and not empty. */
export function lineSchema(charsMax: number) {
  return z
    .string()
    .trim()
    .min(1, { error: "must not be empty." })
    .max(charsMax, { error: `must have at most ${charsMax} characters.` })
    .regex(/^\P{Cc}*$/u, { error: "must be one line without control characters." });
}

/** The tags of one change. Each new tag costs a row in the database. */
export const tagsSchema = z.array(z.string()).max(100, { error: "must have at most 100 tags." });

/** A timestamp in RFC 3339 format, parsed to epoch ms. */
export const momentSchema = z.iso
  .datetime({ offset: true, error: "must be an RFC 3339 time, such as 2026-11-20T09:42:00Z." })
  .transform((text) => Date.parse(text));

/** A description of something, of several lines. */
export const descriptionSchema = z
  .string()
  .max(2000, { error: "must have at most 2000 characters." });

/** `admin@localhost` is valid: the address need not receive mail. */
export const emailSchema = z
  .string()
  .trim()
  .toLowerCase()
  .max(254, { error: "must have at most 254 characters." })
  .regex(/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u, {
    error: "must be an email address, such as ada@example.com.",
  });
