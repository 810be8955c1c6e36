import { startEmulate } from "./start-emulate.ts";

export type GithubEmulator = AsyncDisposable & { url: string; token: string };

const token = "ghp_z7Kd2VmQ9pXt4LwR8nYb6HcF3sJg5UeA1oTv";

/** Additional repositories and organisations, besides `octocat/hello-world`. */
export type EmulatorSeed = { users?: string[]; orgs?: string[]; repos?: string[] };

/** GitHub's REST API, stateful and offline, with one user, `octocat`, and one repository. */
export async function startGithubEmulator(
  home: string,
  { users = [], orgs = [], repos = [] }: EmulatorSeed = {},
): Promise<GithubEmulator> {
  const emulated = await startEmulate(home, "github", {
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
  });
  return { ...emulated, token };
}
