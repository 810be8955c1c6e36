import { openRaw, type RawConnection } from "../../test/support/raw-http.ts";
import type { Attack, Kind, Prepared, RequestSpec } from "./door.ts";

type Hub = { url: string; port: number };

/** One request by a client like any other. */
export function toPrepared(hub: Hub, spec: RequestSpec): Prepared {
  return { bytes: spec.bytes ?? toBytes(spec), run: () => send(hub, spec) };
}

function toBytes({ path, headers, body = "" }: RequestSpec): number {
  const lines = Object.entries(headers).map(([name, value]) => name.length + value.length + 4);
  return path.length + Buffer.byteLength(body) + lines.reduce((sum, one) => sum + one, 0);
}

export async function send(hub: Hub, { method, path, headers, body }: RequestSpec) {
  const response = await fetch(`${hub.url}${path}`, {
    method,
    headers,
    redirect: "manual",
    signal: AbortSignal.timeout(60_000),
    ...(body !== undefined && { body }),
  });
  await response.arrayBuffer();
  return String(response.status);
}

const parallel = 200;

/**
 * The ways to send a request that are attacks by themselves: in chunks, many on a connection, many at once,
 * without its end, and without reading the answer. `make` makes a request of about the size.
 */
export function listDeliveries(
  hub: Hub,
  make: (bytes: number) => RequestSpec | Promise<RequestSpec>,
  { hasBody = true, kinds }: { hasBody?: boolean; kinds?: readonly Kind[] } = {},
): Record<string, Attack> {
  const of = (kind: Kind, prepare: Attack["prepare"], bytesMax?: number): Attack => ({
    kind,
    prepare,
    ...(bytesMax !== undefined && { bytesMax }),
  });
  const attacks: Record<string, Attack> = {
    "200 at once": of(
      "parallelism",
      async (bytes) => {
        const spec = await make(bytes / parallel);
        const run = async () =>
          summarize(
            await Promise.all(
              Array.from({ length: parallel }, () => send(hub, spec).catch(() => "closed")),
            ),
          );
        return { bytes: toBytes(spec) * parallel, requests: parallel, run };
      },
      hasBody ? 1024 * 1024 : 200 * 1024,
    ),
    "2,000 on one connection": of(
      "chunking",
      async () => {
        const wire = toWire(hub, await make(100)).repeat(2_000);
        return { bytes: wire.length, requests: 2_000, run: () => sendAndCount(hub, wire, 2_000) };
      },
      200 * 1024,
    ),
    "200 answers that are not read": of(
      "idling",
      async () => {
        const wire = toWire(hub, await make(100));
        const run = () => hold(hub, wire, 200, (raw) => raw.socket.pause());
        return { bytes: wire.length * 200, requests: 200, run };
      },
      200 * 1024,
    ),
    ...(hasBody && {
      "chunks of one byte": of("chunking", async (bytes) => {
        const wire = toChunkedWire(hub, await make(bytes), 1);
        return { bytes, run: () => sendAndCount(hub, wire, 1) };
      }),
      "chunks of 16 bytes": of("chunking", async (bytes) => {
        const wire = toChunkedWire(hub, await make(bytes), 16);
        return { bytes, run: () => sendAndCount(hub, wire, 1) };
      }),
      "a body in chunks of one byte, without its end": of("idling", async (bytes) => {
        const wire = toChunkedWire(hub, await make(bytes), 1).slice(0, -5);
        return { bytes, run: () => hold(hub, wire, 1) };
      }),
      "100 bodies without their end": of("idling", async (bytes) => {
        const wire = toWire(hub, await make(bytes / 100));
        const run = () => hold(hub, wire.slice(0, -1), 100);
        return { bytes: wire.length * 100, requests: 100, run };
      }),
    }),
  };
  const known = Object.entries(attacks);
  return Object.fromEntries(known.filter(([, { kind }]) => kinds?.includes(kind) ?? true));
}

function toHead({ port }: Hub, spec: RequestSpec, more: readonly string[]): string {
  const { method, path, headers } = spec;
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers });
  const given = lines.map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path} HTTP/1.1`, ...given, ...more, "", ""].join("\r\n");
}

function toWire(hub: Hub, spec: RequestSpec): string {
  const { body } = spec;
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return toHead(hub, spec, length) + (body ?? "");
}

function toChunkedWire(hub: Hub, spec: RequestSpec, chunkBytes: number): string {
  const { body = "" } = spec;
  // Characters of one byte, so that a chunk has as many of them.
  const ascii = body.replaceAll(/[^\x20-\x7e]/g, "x");
  const parts: string[] = [toHead(hub, spec, ["Transfer-Encoding: chunked"])];
  for (let at = 0; at < ascii.length; at += chunkBytes) {
    const chunk = ascii.slice(at, at + chunkBytes);
    parts.push(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  }
  parts.push("0\r\n\r\n");
  return parts.join("");
}

async function sendAndCount({ port }: Hub, wire: string, answers: number): Promise<string> {
  await using raw = await openRaw(port);
  const statuses: string[] = [];
  const lost = Bun.sleep(60_000).then(() => "no answer in 60 s" as const);
  raw.send(wire);
  while (statuses.length < answers) {
    const next = await Promise.race([raw.answer(), lost]);
    if (next === null || typeof next === "string") {
      statuses.push(next ?? "closed");
      break;
    }
    statuses.push(String(next.status));
  }
  return summarize(statuses);
}

const holdMs = 1_500;

/** Sends the same on many connections, and leaves after a time. */
async function hold(
  { port }: Hub,
  wire: string,
  connections: number,
  open: (raw: RawConnection) => void = () => {},
): Promise<string> {
  const all = await Promise.all(Array.from({ length: connections }, () => openRaw(port)));
  for (const raw of all) {
    open(raw);
    raw.send(wire);
  }
  await Bun.sleep(holdMs);
  await Promise.all(all.map((raw) => raw[Symbol.asyncDispose]()));
  return "left";
}

/** The most frequent status, with how often it came. */
function summarize(statuses: readonly string[]): string {
  const counts = Map.groupBy(statuses, (one) => one);
  const [most] = [...counts].toSorted(([, one], [, two]) => two.length - one.length);
  return most === undefined ? "no answer" : most[0];
}
