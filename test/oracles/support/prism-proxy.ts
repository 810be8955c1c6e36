import { join } from "node:path";
import type { Json } from "@hub/connector";
import { collectText } from "../../support/collect-text.ts";
import { findFreePort } from "../../support/free-port.ts";
import { spawnNode } from "./run-node.ts";

export type PrismProxy = AsyncDisposable & { url: string };

export type Violation = { location: string[]; message: string };

/** Starts a proxy before `upstream` that reports requests that violate the OpenAPI document. */
export async function startPrismProxy(
  document: Json,
  upstream: string,
  home: string,
): Promise<PrismProxy> {
  const port = await findFreePort();
  const file = join(home, `openapi-${port}.json`);
  await Bun.write(file, JSON.stringify(document));
  const args = ["proxy", "--port", String(port), "--verboseLevel", "info", file, upstream];
  const child = spawnNode("@stoplight/prism-cli/dist/index.js", args, home);
  const output = collectText(child.stdout);
  const stop = async () => {
    child.kill();
    await child.exited;
  };
  try {
    await output.waitForMatch(/listening/);
  } catch (cause) {
    await stop();
    throw new Error(`Prism did not start: ${await child.stderr.text()}`, { cause });
  }
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: stop };
}

/** Reads the violations from the header of an answer. An unknown path is a violation too. */
export function readViolations(answer: Response, text: string): Violation[] {
  if (text.includes("stoplight.io/prism/errors")) return [{ location: ["request"], message: text }];
  const header = answer.headers.get("sl-violations");
  const all: Violation[] = header === null ? [] : JSON.parse(header);
  return all.filter(({ location }) => location[0] === "request");
}
