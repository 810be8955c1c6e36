/** Settings that a hub over stdio needs as the server does, and that no client's file may hold. */
const secretVariables = ["HUB_DATABASE_URL", "HUB_ENC_KEY"] as const;

/** The variables of this environment that an entry leaves out. */
export function findUnwrittenSecrets(env: Readonly<Record<string, string | undefined>>): string[] {
  return secretVariables.filter((name) => env[name]);
}
