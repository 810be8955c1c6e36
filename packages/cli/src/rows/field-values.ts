import type { FieldSpec } from "@hub/connector";
import { pairs, parsed, type Values } from "../declare/parameters.ts";
import { toUsageError } from "../errors/usage-error.ts";
import { askField } from "../input/ask-field.ts";
import { once } from "../input/option-values.ts";
import { readSecret } from "../input/read-secret.ts";
import { isInteractive, type Terminal } from "../process/terminal.ts";

/** The options that set fields of a row. */
export const fieldOptions = {
  set: pairs("<key=value>", "value of a field; may be repeated"),
  secretStdin: parsed(
    "<key>",
    "read a secret field from standard input, or ask for it on a terminal",
    once,
  ),
  secretEnv: pairs("<key=VAR>", "read a secret field from a variable"),
};

/** Collects the values that the options name. Refuses secrets as arguments. */
export async function gatherValues(
  terminal: Terminal,
  fields: readonly FieldSpec[],
  { set = {}, secretStdin, secretEnv = {} }: Values<typeof fieldOptions>,
): Promise<Record<string, string>> {
  for (const key of Object.keys(set)) {
    if (fields.some((field) => field.key === key && field.secret)) {
      throw toUsageError(
        `"${key}" is a secret, and all users of this machine can list arguments. Use --secret-stdin ${key}, which asks for it on a terminal, or --secret-env ${key}=VARIABLE.`,
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
      throw toUsageError(`Standard input is empty. Write the value of "${secretStdin}" to it.`);
    }
  }
  return values;
}

/**
 * Asks on a terminal for each required field without a value, one at a time, because an answer may
 * make another field required. Without a terminal, throws an error that names the missing fields.
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
  return `Required options are missing: ${options.join(", ")}. --incomplete adds the row without them.`;
}
