import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WorkerMessage } from "./answer-job.ts";
import { openAnswerWorker } from "./open-answer-worker.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
afterAll(() => owned.disposeAsync());

test("The bytes of an answer are transferred to the worker, which reads them", async () => {
  const { promise, resolve, reject } = Promise.withResolvers<WorkerMessage>();
  const worker = openAnswerWorker({ onMessage: resolve, onFailure: reject });
  const bytes = new Uint8Array(Buffer.from('{"read":9007199254740993}'));
  const form = { kind: "json" } as const;
  const limits = { resultBytesMax: 2000, auditBytesMax: 2000 };
  const job = { ...limits, text: "[null]", secrets: [], isMaskingEnabled: true };
  worker.post({ kind: "job", job: { ...job, parts: [{ path: [0], bytes, form }] } });
  expect(await promise).toEqual({
    kind: "done",
    answer: { text: '[{"read":9007199254740993}]', auditText: '[{"read":9007199254740993}]' },
  });
  expect(bytes.byteLength).toBe(0);
  worker.end();
});

test("The worker says why it refuses an answer", async () => {
  const { promise, resolve, reject } = Promise.withResolvers<WorkerMessage>();
  const worker = openAnswerWorker({ onMessage: resolve, onFailure: reject });
  const limits = { resultBytesMax: 2000, auditBytesMax: 2000 };
  const job = { ...limits, secrets: [], isMaskingEnabled: true };
  // A number cannot be cut.
  worker.post({ kind: "job", job: { ...job, text: "1".repeat(3000), parts: [] } });
  expect(await promise).toEqual({
    kind: "refused",
    code: "upstream_error",
    message: expect.stringContaining("no part of it can be shown"),
  });
  worker.end();
});

test("The end of a worker is reported as a failure", async () => {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const worker = openAnswerWorker({ onMessage: reject, onFailure: resolve });
  worker.end();
  expect(String(await promise)).toBe("Error: The worker ended.");
});

test.each([
  ["compiled to one file", ["--compile"]],
  ["bundled", ["--target=bun"]],
])("A program that Bun has %s starts the worker from its second entry", async (_, flags) => {
  const folder = await mkdtemp(join(tmpdir(), "hub-bundle-"));
  owned.defer(() => rm(folder, { recursive: true }));
  const main = join(folder, "main.ts");
  const openWorker = join(import.meta.dirname, "open-answer-worker.ts");
  await writeFile(
    main,
    `import { openAnswerWorker } from ${JSON.stringify(openWorker)};
    const job = { text: "1", parts: [], secrets: [], isMaskingEnabled: true, resultBytesMax: 2000, auditBytesMax: 2000 };
    // A worker alone does not keep a program running.
    const waiting = setTimeout(() => {}, 50_000);
    const worker = openAnswerWorker({
      // The end is reported too, and may come before the program has ended.
      onMessage: ({ kind }) => { console.log(kind); process.exit(); },
      onFailure: (cause) => { console.log(String(cause)); clearTimeout(waiting); },
    });
    worker.post({ kind: "job", job });`,
  );
  const isCompiled = flags.includes("--compile");
  const out = join(folder, "out");
  const entries = [main, join(import.meta.dirname, "answer-worker.ts")];
  const place = isCompiled ? `--outfile=${out}` : `--outdir=${out}`;
  const names = "--entry-naming=[name].[ext]";
  await run([process.execPath, "build", ...flags, names, place, ...entries]);
  const command = isCompiled ? [out] : [process.execPath, join(out, "main.js")];
  expect((await run(command)).trim()).toBe("done");
});

async function run(cmd: string[]): Promise<string> {
  const child = Bun.spawn(cmd, { cwd: tmpdir(), stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (exitCode !== 0) throw new Error(`${cmd.join(" ")}: ${stderr}`);
  return stdout;
}
