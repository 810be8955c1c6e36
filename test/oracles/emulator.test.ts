/** The `http` connector with an emulated code host, called through an MCP client. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readAudit } from "../support/audit.ts";
import { connectHttp } from "../support/connect-sdk-1.ts";
import { createDataFolder } from "../support/data-folder.ts";
import type { TestClient } from "../support/mcp-client.ts";
import { type RunningHub, startHub } from "../support/start-hub.ts";
import { type GithubEmulator, startGithubEmulator } from "./support/github-emulator.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let github: GithubEmulator;
let hub: RunningHub;
let client: TestClient;

beforeAll(async () => {
  const home = owned.use(await createDataFolder());
  github = owned.use(await startGithubEmulator(home.path));
  hub = owned.use(await startHub());
  const added = await hub.tryCli(
    [
      ...["row", "add", "http", "--label", "Code host", "--tag", "developers"],
      ...["--set", `base_url=${github.url}`, "--set", "auth_mode=bearer"],
      ...["--secret-env", "token=GITHUB_TOKEN"],
    ],
    { env: { GITHUB_TOKEN: github.token } },
  );
  if (added.exitCode !== 0) throw new Error(added.stderr);
  const { token } = await hub.addUser("ada@example.com", { tags: ["developers"] });
  client = owned.use(await connectHttp(hub.url, token));
});

afterAll(() => owned.disposeAsync());

test("A client finds the operations, lists repositories, creates an issue and reads it", async () => {
  const { value: found } = await client.call("hub_search", { query: "code host" });
  const findTool = (name: string): string =>
    found.tools.find((tool: { name: string }) => tool.name === name).tool_id;
  const get = findTool("GET");

  const repos = await client.execute(get, { path: "/user/repos" });
  expect(repos.value.body).toMatchObject([{ full_name: "octocat/hello-world" }]);

  const issue = { title: "Login fails", body: "Since the last release.", labels: ["bug"] };
  const path = "/repos/octocat/hello-world/issues";
  const created = await client.execute(findTool("POST"), { path, body: issue });
  expect(created.value).toMatchObject({ status: 201, body: { title: issue.title } });

  const read = await client.execute(get, { path: `${path}/${created.value.body.number}` });
  expect(read.value.body).toMatchObject({
    title: issue.title,
    body: issue.body,
    user: { login: "octocat" },
    labels: [{ name: "bug" }],
  });

  const runs = JSON.stringify(readAudit(hub.dataDir));
  expect(runs).toContain("Login fails");
  expect(runs).not.toContain(github.token);
});

test("A refusal by the code host is an upstream_error with its status and message", async () => {
  const { value: found } = await client.call("hub_search", { query: "code host" });
  const get = found.tools.find((tool: { name: string }) => tool.name === "GET").tool_id;
  const answer = await client.execute(get, { path: "/repos/octocat/nothing-here" });
  expect(answer).toMatchObject({
    isError: true,
    value: { code: "upstream_error", http_status: 404, upstream: { message: "Not Found" } },
  });
});
