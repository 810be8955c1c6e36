import { toCancelled } from "../errors/usage-error.ts";
import { isInteractive, readStdin, type Terminal } from "../process/terminal.ts";

/** Asks for a secret on a terminal, otherwise reads it from standard input. */
export async function readSecret(terminal: Terminal, question: string): Promise<string> {
  return isInteractive(terminal) ? await askSecret(terminal, question) : await readStdin(terminal);
}

/** Asks for a secret on a terminal without showing what is typed. Prompts on standard error. */
export async function askSecret(terminal: Terminal, question: string): Promise<string> {
  const { isCancel, password } = await import("@clack/prompts");
  const answer = await password({
    message: question,
    input: terminal.stdin,
    output: terminal.stderr,
    validate: (value) => (value ? undefined : "It must not be empty."),
  });
  if (isCancel(answer)) throw toCancelled();
  return answer;
}
