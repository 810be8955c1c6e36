import { findSelfCommand } from "@hub/server/lib/process/self-command.ts";

/** Returns a shell command that starts this program on a data folder, from any folder. */
export function toShellCommand(dataDir: string): string {
  const { command, args, env } = findSelfCommand();
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const words = variables.length === 0 ? [] : ["env", ...variables];
  return [...words, command, ...args, "--data-dir", dataDir].map(quote).join(" ");
}

/** Quotes a word for a shell, if needed. */
export function quote(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return process.platform === "win32" ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`;
}
