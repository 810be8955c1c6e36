/** Users and their tokens on the command line. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createdTokenSchema, rotatedTokenSchema, tokenSchema } from "@hub/contract/token.ts";
import { userSchema } from "@hub/contract/user.ts";
import { z } from "zod";
import { runCommand } from "../support/command-process.ts";
import { createDataFolder, type DataFolder } from "../support/data-folder.ts";

setDefaultTimeout(180_000);

let folder: DataFolder;
beforeAll(async () => {
  folder = await createDataFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

const run = (...args: string[]) => runCommand({ dataDir: folder.path }, args);

test("user add, set, disable and list print documents of the contract", async () => {
  const add = ["user", "add", "Ada@example.com", "--tag", "support", "--tag", "ops", "--json"];
  const added = userSchema.strict().parse((await run(...add)).json());
  expect(added).toMatchObject({ email: "ada@example.com", role: "user", tags: ["ops", "support"] });

  const set = ["--name", "Ada L.", "--role", "admin", "--untag", "ops", "--tag", "dev", "--json"];
  expect((await run("user", "set", "ada@example.com", ...set)).json()).toMatchObject({
    name: "Ada L.",
    role: "admin",
    tags: ["dev", "support"],
  });

  expect((await run("user", "disable", "ada@example.com")).exitCode).toBe(0);
  const listed = z.array(userSchema).parse((await run("user", "list", "--json")).json());
  expect(listed.map(({ email, status }) => ({ email, status }))).toEqual([
    { email: "ada@example.com", status: "disabled" },
  ]);
});

test("token create alone prints the token, with nothing else on standard output", async () => {
  await run("user", "add", "grace@example.com");
  const create = ["token", "create", "--user", "grace@example.com", "--name", "laptop", "--json"];
  const created = createdTokenSchema.strict().parse((await run(...create)).json());

  const list = await run("token", "list", "--user", "grace@example.com", "--json");
  expect(list.stdout).not.toContain(created.token);
  expect(z.array(tokenSchema.strict()).parse(list.json())).toHaveLength(1);

  const plain = await run("token", "create", "--user", "grace@example.com", "--name", "script");
  expect(plain.stdout).toMatch(/^hub_pat_[0-9a-f]{32}\n$/);
  expect(plain.stderr).toContain("never shown again");

  const revoked = await run("token", "revoke", created.id.slice(0, 8), "--json");
  expect(revoked.json<{ revoked_at: string | null }>().revoked_at).not.toBeNull();
});

test("token rotate prints the new token alone, and says when the old one ends", async () => {
  await run("user", "add", "rotating@example.com");
  const create = ["token", "create", "--user", "rotating@example.com", "--name", "ci", "--json"];
  const { id } = (await run(...create)).json<{ id: string }>();
  const rotated = await run("token", "rotate", id.slice(0, 8));
  expect(rotated.stdout).toMatch(/^hub_pat_[0-9a-f]{32}\n$/);
  expect(rotated.stderr).toMatch(/The old one ends at \d{4}-/);
  const again = await run("token", "rotate", id, "--overlap-hours", "0", "--json");
  expect(rotatedTokenSchema.strict().parse(again.json()).replaced).toMatchObject({ id });
});

test("a token has the scope mcp unless manage is given, and token list shows it", async () => {
  await run("user", "add", "scoped@example.com");
  const create = ["token", "create", "--user", "scoped@example.com", "--json"];
  const plain = (await run(...create, "--name", "client")).json<{ scope: string }>();
  const managing = await run(...create, "--name", "script", "--scope", "manage");
  expect([plain.scope, managing.json<{ scope: string }>().scope]).toEqual(["mcp", "manage"]);
  const { stdout } = await run("token", "list", "--user", "scoped@example.com");
  expect(stdout).toMatch(/^ID +USER +NAME +TOKEN +SCOPE /);
  expect(stdout).toMatch(/client +….{4} +mcp /);
  expect(stdout).toMatch(/script +….{4} +manage /);
  const wrong = await run(...create, "--name", "x", "--scope", "all");
  expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining("mcp, manage")]);
});

test("a table is aligned, without colours and without control characters from names", async () => {
  await run("user", "add", "long.address@example.com", "--name", "Grace\u202eHopper");
  const { stdout } = await run("user", "list");
  const [title = "", ...lines] = stdout.trimEnd().split("\n");
  const column = title.indexOf("NAME");
  for (const line of lines) expect(line.slice(column - 2, column)).toBe("  ");
  expect(stdout).toMatch(/^[^\p{Cf}]*$/u);
  expect(stdout).not.toContain("\u001b");
});
