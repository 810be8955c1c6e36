import { z } from "zod";
import { spawnStdioHub, toHubEnv } from "./hub-program.ts";
import { initializeMessage } from "./mcp-session.ts";

/** A program with the arguments that come before those of the hub. */
export type HubCommand = readonly string[];

const waitMsMax = 20_000;
const readySchema = z.object({ url: z.url() });

/** From the start of `hub serve` to the answer of its health page. Milliseconds. */
export async function timeServe(command: HubCommand, dataDir: string): Promise<number> {
  const startedAt = performance.now();
  const child = Bun.spawn([...command, "serve", "--json"], {
    cwd: dataDir,
    env: toHubEnv(dataDir),
    stdio: ["ignore", "pipe", "ignore"],
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), waitMsMax);
  const { url } = readySchema.parse(JSON.parse(await readUntil(child.stdout, /\n\}\s*$/)));
  const answer = await fetch(`${url}/health`);
  const tookMs = performance.now() - startedAt;
  if (!answer.ok) throw new Error(`/health answered ${answer.status}.`);
  child.kill();
  await child.exited;
  clearTimeout(timer);
  return tookMs;
}

/** From the start of `hub mcp serve` to the answer to `initialize`. Milliseconds. */
export async function timeInitialize(command: HubCommand, dataDir: string): Promise<number> {
  return await timeStdio([...command, "mcp", "serve"], dataDir);
}

/** From the start of a command that serves over stdio to the answer to `initialize`. Milliseconds. */
export async function timeStdio(command: HubCommand, dataDir: string): Promise<number> {
  const startedAt = performance.now();
  const child = spawnStdioHub(dataDir, command);
  // Killing the process ends the read below.
  const timer = setTimeout(() => child.kill("SIGKILL"), waitMsMax);
  child.stdin.write(`${JSON.stringify(initializeMessage)}\n`);
  await child.stdin.flush();
  const answer = await readUntil(child.stdout, /\n/);
  const tookMs = performance.now() - startedAt;
  await child.stdin.end();
  await child.exited;
  clearTimeout(timer);
  if (JSON.parse(answer).result === undefined) throw new Error(`initialize: ${answer}`);
  return tookMs;
}

async function readUntil(stream: ReadableStream<Uint8Array>, end: RegExp): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (end.test(text)) break;
  }
  return text;
}
