/**
 * Opens slow connections of every kind to a hub, and waits until it closes them, which takes about a minute:
 * `bun scripts/try-slow-clients.ts`. The exit code is 1 if a connection is still open after two minutes.
 */
import { join } from "node:path";
import { openRaw, type RawConnection, toRequest } from "../test/support/raw-http.ts";
import { toToolCall } from "../test/support/rpc.ts";
import { startHub } from "../test/support/start-hub.ts";

const secondsMax = 120;
const main = join(import.meta.dirname, "../test/support/hostile-hub.ts");

await using hub = await startHub({ main });
const added = await hub.tryCli(
  ["row", "add", "hostile", "--label", "Slow", "--secret-env", "secret=SECRET", "--json"],
  { env: { SECRET: "row-secret-9fK2xQ7vLm4R" } },
);
const { id: rowId } = added.json<{ id: string }>();

const head = (length: number, token = hub.adminToken()) =>
  toRequest("POST /mcp HTTP/1.1", [
    `Host: localhost:${hub.port}`,
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    `Content-Length: ${length}`,
  ]);

function toCall(operation: string, meta = {}): string {
  const call = toToolCall("hub_execute", { tool_id: `conn:${rowId}/${operation}`, params: {} });
  const body = JSON.stringify({ ...call, params: { ...call.params, _meta: meta } });
  return head(body.length) + body;
}

/** Sends a text every second until the connection closes. */
function trickle(raw: RawConnection, text: string): void {
  const timer = setInterval(() => raw.send(text), 1_000);
  raw.closed.then(() => clearInterval(timer));
}

const clients: Array<[string, (raw: RawConnection) => void]> = [
  ["sends nothing", () => {}],
  ["sends half a request line", (raw) => raw.send("POST /mc")],
  ["sends half a header", (raw) => raw.send("POST /mcp HTTP/1.1\r\nHost: localhost\r\n")],
  [
    "sends a header a second",
    (raw) => {
      raw.send("POST /mcp HTTP/1.1\r\n");
      trickle(raw, "X-Slow: 1\r\n");
    },
  ],
  ["sends half a body", (raw) => raw.send(`${head(1_000)}{`)],
  [
    "sends a byte of its body a second",
    (raw) => {
      raw.send(head(1_000_000));
      trickle(raw, " ");
    },
  ],
  [
    "sends a byte of its body a second, without a token",
    (raw) => {
      raw.send(head(1_000_000, "none"));
      trickle(raw, " ");
    },
  ],
  ["gets an answer, and stays connected", (raw) => raw.send(toCall("nothing_of_the_kind"))],
  [
    "does not read an answer of 1 MB for a minute",
    (raw) => {
      raw.socket.pause();
      raw.send(toCall("megabyte"));
      // A client that does not read does not notice that the connection has ended.
      setTimeout(() => raw.socket.resume(), 60_000);
    },
  ],
];

const startedAt = performance.now();
const seconds = () => ((performance.now() - startedAt) / 1_000).toFixed(1);

async function tryClient([name, start]: (typeof clients)[number]): Promise<boolean> {
  await using raw = await openRaw(hub.port);
  start(raw);
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), secondsMax * 1_000);
  const first = await Promise.race([raw.answer(), late.promise]);
  const answered = first === null ? "no answer" : `${first.status} after ${seconds()} s`;
  const end = await Promise.race([raw.closed.then(() => "closed"), late.promise]);
  clearTimeout(timer);
  console.log(`${name}: ${answered}, ${end ?? "still open"} after ${seconds()} s`);
  return end !== null;
}

const ended = await Promise.all(clients.map(tryClient));
process.exitCode = ended.every(Boolean) ? 0 : 1;
