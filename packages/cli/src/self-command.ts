/** A command with absolute paths, which works whatever folder it is started in. */
export type SelfCommand = { command: string; args: string[] };

/** How to start this very program again. */
export function findSelfCommand(): SelfCommand {
  // A compiled program carries its script inside, under a path that exists nowhere else.
  const isCompiled = /^(?:\/\$bunfs\/|[A-Za-z]:[\\/]~BUN[\\/])/.test(Bun.main);
  return { command: process.execPath, args: isCompiled ? [] : [Bun.main] };
}

/** This very program on a data folder, as a line to paste into a terminal of any folder. */
export function toShellCommand(dataDir: string): string {
  const { command, args } = findSelfCommand();
  return [command, ...args, "--data-dir", dataDir].map(quote).join(" ");
}

function quote(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return process.platform === "win32" ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`;
}
