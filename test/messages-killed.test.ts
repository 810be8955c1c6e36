/**
 * Protects: of the calls of one message, and of one script, each that reached an outside system has a record, though the server was killed
 * meanwhile; and a call without a record was not sent.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { ageInstances, readAudit } from "./support/audit.ts";
import { createDataFolder } from "./support/data-folder.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";
import { startHub } from "./support/start-hub.ts";
import { usesPostgres } from "./support/test-database.ts";
import { waitFor } from "./support/wait-for.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "support/fixture-hub.ts");
const marked = { FIXTURE_READS: "1" };
const owned = new AsyncDisposableStack();
/** The calls that the outside system got, by their number. */
const reached = new Set<number>();
let address: string;

beforeAll(() => {
  const outside = Bun.serve({
    port: 0,
    async fetch(request) {
      const number = Number(new URL(request.url).searchParams.get("number"));
      reached.add(number);
      // Every fourth call does not end, so that the kill interrupts some.
      if (number % 4 === 3) await new Promise(() => {});
      return Response.json({ number });
    },
  });
  owned.defer(() => outside.stop(true));
  address = `http://127.0.0.1:${outside.port}`;
});
afterAll(() => owned.disposeAsync());

test("A message and a script whose server is killed leave a record of each call that was sent, and of no other", async () => {
  const { path: dataDir } = owned.use(await createDataFolder());
  const killed = owned.use(await startHub({ main, dataDir, env: marked }));
  const env = { FIXTURE_SECRET: "s3cr3t/of+the=row-9fK2xQ7vLm4R" };
  const add = ["row", "add", "fixture", "--label", "Lab", "--secret-env", "secret=FIXTURE_SECRET"];
  const { id } = (await killed.tryCli([...add, "--json"], { env })).json<{ id: string }>();
  const { token } = await killed.addUser("ada@example.com", { admin: true });
  const calls = Array.from({ length: 40 }, (_, number) => ({
    tool_id: `conn:${id}/ask`,
    params: { url: `${address}/?number=${number}` },
  }));
  const hub = (await killed.tryCli(["row", "list", "--json"], {})).json<
    { id: string; connector: string }[]
  >();
  const own = hub.find(({ connector }) => connector === "hub");
  // Its calls have the numbers from 100 on.
  const source = `await Promise.all(Array.from({ length: 40 }, (_, at) =>
    call(input.tool_id, { url: input.url + (100 + at) })));`;
  const input = { tool_id: `conn:${id}/ask`, url: `${address}/?number=` };
  const script = { tool_id: `conn:${own?.id}/run_script`, params: { source, input } };
  const answers = [toToolCall("hub_read", { calls }), toToolCall("hub_execute", script)].map(
    (message) =>
      postRpc(killed.url, token, message)
        .then((response) => response.text())
        .catch(() => null),
  );
  // Five calls that do not end hold all places of each.
  await waitFor(() => reached.size >= 40);
  await killed.kill();
  await Promise.all(answers);
  if (usesPostgres) ageInstances(dataDir);
  owned.use(await startHub({ main, dataDir, isHere: true }));
  await waitFor(() => readAudit(dataDir).every(({ status }) => status !== "running"));
  const runs = readAudit(dataDir);
  const inner = runs.filter(({ operation_key: key }) => key === "ask");
  const recorded = inner.map(({ request }) => Number(/number=(\d+)/.exec(request ?? "")?.[1]));
  expect(new Set(recorded).size).toBe(inner.length);
  for (const number of reached) expect(recorded).toContain(number);
  for (const { status, response } of inner) {
    expect([status, response === null]).toEqual([status, status === "cancelled"]);
  }
  const ended = inner.filter(({ status }) => status === "success");
  expect([ended.length, inner.length]).toEqual([30, 40]);
  const outer = runs.filter(({ operation_key: key }) => key === "hub_read" || key === "run_script");
  expect(outer.map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
  for (const { cause_id: causeId } of inner as unknown as { cause_id: string }[]) {
    expect(outer.map((run) => Object(run).id)).toContain(causeId);
  }
});
