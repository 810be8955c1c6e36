type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that the program gets from the hub, whose others contain its keys. */
const passedOn = ["PATH", "LANG", "SystemRoot"] as const;

/** The complete environment of a program: a few variables of the hub, and those of its row. */
export function createProgramEnvironment(
  hub: Environment,
  folders: { home: string; tmp: string; npmCache: string },
  ofRow: readonly (readonly [string, string])[],
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of passedOn) {
    const value = hub[name];
    if (value !== undefined) env[name] = value;
  }
  const own = { HOME: folders.home, TMPDIR: folders.tmp, npm_config_cache: folders.npmCache };
  return { ...env, ...own, ...Object.fromEntries(ofRow) };
}
