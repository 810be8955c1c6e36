import type { FieldSpec } from "@hub/connector";
import { askField } from "./ask-field.ts";
import { readSecret } from "./read-secret.ts";
import { isInteractive, type Terminal } from "./terminal.ts";
import { toUsageError } from "./usage-error.ts";

/** Values of a row's fields as the command line gives them. */
export type FieldOptions = {
  set?: Record<string, string>;
  secretStdin?: string;
  secretEnv?: Record<string, string>;
};

/** Gathers the values that the options name. Secrets come by any way but an argument. */
export async function gatherValues(
  terminal: Terminal,
  fields: readonly FieldSpec[],
  { set = {}, secretStdin, secretEnv = {} }: FieldOptions,
): Promise<Record<string, string>> {
  for (const key of Object.keys(set)) {
    if (fields.some((field) => field.key === key && field.secret)) {
      throw toUsageError(
        `"${key}" is a secret, and everyone on the machine can list arguments. Use --secret-stdin ${key}, which asks for it on a terminal, or --secret-env ${key}=VARIABLE.`,
      );
    }
  }
  const values: Record<string, string> = { ...set };
  for (const [key, variable] of Object.entries(secretEnv)) {
    const value = terminal.env[variable];
    if (!value) throw toUsageError(`The environment variable ${variable} for "${key}" is not set.`);
    values[key] = value;
  }
  if (secretStdin !== undefined) {
    values[secretStdin] = await readSecret(terminal, secretStdin);
    if (values[secretStdin] === "") {
      throw toUsageError(`Standard input, which "${secretStdin}" is read from, is empty.`);
    }
  }
  return values;
}

/**
 * Asks on a terminal for every required field that has no value, one after the other: an answer
 * may make another field required. Without a terminal, says which ones are missing.
 */
export async function askMissing(
  terminal: Terminal,
  values: Record<string, string>,
  findMissing: (values: Record<string, string>) => readonly FieldSpec[],
): Promise<Record<string, string>> {
  const complete = { ...values };
  for (;;) {
    const missing = findMissing(complete);
    const [field] = missing;
    if (field === undefined) return complete;
    if (!isInteractive(terminal)) throw toUsageError(describeMissing(missing));
    complete[field.key] = await askField(terminal, field);
  }
}

function describeMissing(missing: readonly FieldSpec[]): string {
  const options = missing.map(({ key, secret }) =>
    secret ? `--secret-env ${key}=VARIABLE (or --secret-stdin ${key})` : `--set ${key}=VALUE`,
  );
  return `Required and not given: ${options.join(", ")}. --incomplete adds the row without them.`;
}
