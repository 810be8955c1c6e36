import type { Bench, Measure, Row } from "../measure.ts";
import { median } from "../statistics.ts";
import { createHubFolder, type HubFolder } from "../subjects/hub-folder.ts";
import {
  compileStdioHub,
  type StdioCommand,
  spawnStdioHub,
  stdioFromSource,
} from "../subjects/hub-program.ts";
import { initializeMessage } from "../subjects/mcp-session.ts";
import { createWorkFolder } from "../subjects/work-folder.ts";

/** From the start of `hub mcp serve` to the answer to `initialize`, for which a desktop client waits. */
export const stdio: Measure = {
  name: "stdio",
  async run(bench: Bench) {
    const plain = await createHubFolder(bench);
    const withPlugins = await createWorkFolder(bench);
    const compiled = await compileStdioHub(plain.dataDir);
    return [
      await measureStarts(bench, "hub mcp serve to initialize answered", plain),
      await measureStarts(bench, "the same, with two plugins installed", withPlugins),
      await measureStarts(bench, "the same, compiled, with nothing to build", plain, compiled),
    ];
  },
};

async function measureStarts(
  bench: Bench,
  what: string,
  { dataDir }: HubFolder,
  command = stdioFromSource,
): Promise<Row> {
  const tookMs: number[] = [];
  for (let count = 0; count < bench.plan.starts; count += 1) {
    tookMs.push(await timeStart(dataDir, command));
  }
  return {
    what,
    value: median(tookMs),
    unit: "ms",
    target: { atMost: 150 },
    details: { fastest_ms: Math.min(...tookMs), slowest_ms: Math.max(...tookMs) },
  };
}

const waitMsMax = 20_000;

async function timeStart(dataDir: string, command: StdioCommand): Promise<number> {
  const startedAt = performance.now();
  const child = spawnStdioHub(dataDir, command);
  // Killing the process ends the read below.
  const timer = setTimeout(() => child.kill("SIGKILL"), waitMsMax);
  child.stdin.write(`${JSON.stringify(initializeMessage)}\n`);
  await child.stdin.flush();
  const answer = await readLine(child.stdout);
  const tookMs = performance.now() - startedAt;
  await child.stdin.end();
  await child.exited;
  clearTimeout(timer);
  if (JSON.parse(answer).result === undefined) throw new Error(`initialize: ${answer}`);
  return tookMs;
}

async function readLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes("\n")) break;
  }
  return text;
}
