import { join } from "node:path";
import { collectText } from "../../support/collect-text.ts";
import { findFreePort } from "../../support/free-port.ts";
import { spawnNode } from "./run-node.ts";

export type GithubEmulator = AsyncDisposable & { url: string; token: string };

const token = "ghp_emulated0123456789abcdefghijklmnop";

/** Additional repositories and organisations, besides `octocat/hello-world`. */
export type EmulatorSeed = { users?: string[]; orgs?: string[]; repos?: string[] };

/** GitHub's REST API, stateful and offline, with one user, `octocat`, and one repository. */
export async function startGithubEmulator(
  home: string,
  { users = [], orgs = [], repos = [] }: EmulatorSeed = {},
): Promise<GithubEmulator> {
  const seed = join(home, "emulate.json");
  await Bun.write(
    seed,
    JSON.stringify({
      tokens: { [token]: { login: "octocat", scopes: ["repo", "user"] } },
      github: {
        users: [
          { login: "octocat", name: "The Octocat", email: "octocat@example.com" },
          ...users.map((login) => ({ login })),
        ],
        orgs: orgs.map((login) => ({ login, members: [{ login: "octocat", role: "admin" }] })),
        repos: [
          { owner: "octocat", name: "hello-world", description: "First", auto_init: true },
          ...repos.map((name) => ({ owner: "octocat", name, auto_init: true })),
        ],
      },
    }),
  );
  // The emulator prints the requested port, so port 0 cannot be used.
  const port = String(await findFreePort());
  const args = ["start", "--service", "github", "--port", port, "--seed", seed];
  const child = spawnNode("emulate/dist/index.js", args, home);
  const output = collectText(child.stdout);
  const stop = async () => {
    child.kill();
    await child.exited;
  };
  try {
    await output.waitForMatch(/Ready/);
  } catch (cause) {
    await stop();
    throw new Error(`The emulator did not start: ${await child.stderr.text()}`, { cause });
  }
  return { url: `http://127.0.0.1:${port}`, token, [Symbol.asyncDispose]: stop };
}
