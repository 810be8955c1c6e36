/** A command with absolute paths, which works in any folder. */
export type SelfCommand = { command: string; args: string[] };

/** Returns the command that starts this program again. */
export function findSelfCommand(): SelfCommand {
  // In a compiled program, the script has a virtual path inside the executable.
  const isCompiled = /^(?:\/\$bunfs\/|[A-Za-z]:[\\/]~BUN[\\/])/.test(Bun.main);
  return { command: process.execPath, args: isCompiled ? [] : [Bun.main] };
}

/** Returns a shell command that starts this program on a data folder, from any folder. */
export function toShellCommand(dataDir: string): string {
  const { command, args } = findSelfCommand();
  return [command, ...args, "--data-dir", dataDir].map(quote).join(" ");
}

function quote(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return process.platform === "win32" ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`;
}
