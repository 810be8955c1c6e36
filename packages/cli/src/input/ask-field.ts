import { type FieldSpec, toStoredText } from "@hub/connector";
import { toCancelled } from "../errors/usage-error.ts";
import type { Terminal } from "../process/terminal.ts";
import { askSecret } from "./read-secret.ts";

/** Asks for the value of one field, with a prompt that fits the field's type. */
export async function askField(terminal: Terminal, field: FieldSpec): Promise<string> {
  const message = field.description ? `${field.key}: ${field.description}` : field.key;
  if (field.secret) return await askSecret(terminal, message);

  const { confirm, isCancel, select, text } = await import("@clack/prompts");
  const common = { message, input: terminal.stdin, output: terminal.stderr };
  const ask = () => {
    if (field.options) {
      return select({
        ...common,
        options: field.options.map((value) => ({ value, label: value })),
      });
    }
    if (field.base === "boolean") return confirm(common);
    return text({ ...common, validate: (typed) => findProblem(field, typed) });
  };
  const answer = await ask();
  if (isCancel(answer)) throw toCancelled();
  return String(answer);
}

function findProblem(field: FieldSpec, typed: string | undefined): string | undefined {
  const stored = toStoredText(field, typed);
  if ("issue" in stored) return `It ${stored.issue.message}.`;
  return stored.text === "" ? "It is required." : undefined;
}
