import { chmod } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { createBrowser } from "../../support/browser.ts";
import { collectText } from "../../support/collect-text.ts";
import { signInAndDecide, type UserLogin } from "../../support/oauth-fixture.ts";
import { spawnNode } from "./run-node.ts";

type LogIn = {
  script: string;
  args: readonly string[];
  /** The folder for the program's files. */
  home: string;
  person: UserLogin;
  env?: Record<string, string>;
  /** Lines for standard input. */
  input?: readonly unknown[];
};

export type LoggedIn = { exitCode: number | null; stdout: string; stderr: string };

/**
 * Starts a client that needs a login, signs in and consents at the address that it prints, and waits until
 * it is `done` or has ended.
 */
export async function logIn(given: LogIn, done?: RegExp): Promise<LoggedIn> {
  const { script, args, home, person, env = {}, input = [] } = given;
  const child = spawnNode(script, args, home, { ...env, PATH: await hideBrowsers(home) });
  for (const message of input) child.stdin.write(`${JSON.stringify(message)}\n`);
  await child.stdin.flush();
  const stdout = collectText(child.stdout);
  const stderr = collectText(child.stderr);
  const url = await Promise.any(
    [stdout, stderr].map((output) => output.waitForMatch(/http\S+\/oauth\/authorize\?[^\s"']+/)),
  ).catch(() => {
    throw new Error(`The client printed no login address:\n${stdout.text()}\n${stderr.text()}`);
  });
  const page = await signInAndDecide(createBrowser(), url[0], person);
  if (page.status >= 400) throw new Error(`The login ended at ${page.url}:\n${page.text}`);
  if (done !== undefined) {
    await Promise.any([stdout, stderr].map((output) => output.waitForMatch(done)));
    child.kill();
  }
  const exitCode = await child.exited;
  await Promise.all([stdout.ended, stderr.ended]);
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

/** Replaces the browser commands that the program may start by one that does nothing. */
async function hideBrowsers(home: string): Promise<string> {
  const path = join(home, "bin/xdg-open");
  await Bun.write(path, "#!/bin/sh\n");
  await chmod(path, 0o755);
  return [dirname(path), process.env.PATH ?? ""].join(delimiter);
}
