/** The official conformance suite for authorization servers, with a user who consents. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { Glob } from "bun";
import { createDataFolder } from "../support/data-folder.ts";
import { findFreePort } from "../support/free-port.ts";
import {
  createTestOAuthClient,
  type OAuthFixture,
  openOAuthFixture,
  type UserLogin,
} from "../support/oauth-fixture.ts";
import { logIn } from "./support/log-in.ts";
import type { Check } from "./support/run-conformance.ts";
import { runNode } from "./support/run-node.ts";

setDefaultTimeout(180_000);

const script = "conformance-next/dist/index.js";
const grant = "authorization-code-grant";
const owned = new AsyncDisposableStack();
const home = owned.use(await createDataFolder()).path;
const { stdout: list } = await runNode(script, ["list", "--authorization"], home);
const scenarios = [...list.matchAll(/^ {2}- ([\w-]+) \[/gm)].map(([, name = ""]) => name);
let fixture: OAuthFixture;
let ada: UserLogin;

beforeAll(async () => {
  fixture = owned.use(await openOAuthFixture());
  ada = await fixture.addUserWithPassword("ada@example.com");
});
afterAll(() => owned.disposeAsync());

test("Every scenario of the authorization suite passes, including metadata and code grant", async () => {
  const port = String(await findFreePort());
  const callback = `http://127.0.0.1:${port}/callback`;
  const clientId = await createTestOAuthClient(fixture.base).register({
    redirect_uris: [callback],
  });
  const folder = `${home}/results`;
  const args = [
    ...["authorization", "--url", fixture.base, "--resource", `${fixture.base}/mcp`],
    ...["--client-id", clientId, "--port", port, "--output-dir", folder],
  ];
  const { stdout } = await logIn({ script, args, home, person: ada });
  const files = await Array.fromAsync(
    new Glob("**/checks.json").scan({ cwd: folder, absolute: true }),
  );
  const checks: Check[] = (await Promise.all(files.map((file) => Bun.file(file).json()))).flat();
  expect(checks.filter(({ status }) => status !== "SUCCESS" && status !== "INFO")).toEqual([]);
  expect(scenarios).toContainAllValues(["authorization-server-metadata-endpoint", grant]);
  expect(checks.map(({ id }) => id)).toContain(grant);
  expect(files.length, stdout).toBe(scenarios.length);
});
