import { createRandom } from "../random.ts";
import type { RunningHub } from "../start-hub.ts";
import { answerHub } from "./answer-hub.ts";
import { type FramingCase, makers } from "./cases.ts";
import type { OpenPeer, Peer, PeerRequest } from "./peers.ts";
import { addFramingRows, type Kind } from "./rows.ts";

type TrialOptions = {
  openPeer: OpenPeer;
  /** The kinds of rows. A plugin needs a hub that has it. */
  kinds: readonly Kind[];
  seed: number;
  /** Requests of all kinds of rows together. */
  count: number;
  /** Calls that run at the same time. */
  atOnce: number;
};

export type TrialReport = {
  /** Requests that the outside system saw, of the calls and of the rows' own. */
  seen: number;
  connections: number;
  /** Connections that carried more than one request. */
  reused: number;
  /** Empty if each call was seen once, whole, and with its row's credential. */
  faults: string[];
};

/** Lets rows of all kinds send requests to one host, and compares what its parser saw. */
export async function tryFraming(hub: RunningHub, options: TrialOptions): Promise<TrialReport> {
  const { openPeer, kinds, seed, count, atOnce } = options;
  await using peer = await openPeer(answerHub);
  const rows = await addFramingRows(hub, { url: `http://127.0.0.1:${peer.port}`, kinds });
  const random = createRandom(seed);
  const cases = Array.from({ length: count }, (_, at) =>
    makers[kinds[at % kinds.length] ?? "http"](rows, random, `c${at}-${seed}e`),
  );
  const faults: string[] = [];
  const left = [...cases];
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const { method, mark, send } = next;
      await send().catch((thrown) => faults.push(`${method} ${mark}: ${String(thrown)}`));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { ...countConnections(peer), faults: [...faults, ...findFaults(peer, cases)] };
}

function countConnections({ requests }: Peer) {
  const counts = new Map<number, number>();
  for (const { connection } of requests) counts.set(connection, (counts.get(connection) ?? 0) + 1);
  const reused = [...counts.values()].filter((count) => count > 1).length;
  return { seen: requests.length, connections: counts.size, reused };
}

function findFaults({ requests, faults }: Peer, cases: FramingCase[]): string[] {
  const found = [...faults];
  const byMark = new Map(cases.map((one) => [one.mark, { ...one, seen: 0 }]));
  const owners = new Map<number, string>();
  for (const request of requests) {
    const { method, target, connection } = request;
    const credential = request.headers.get("authorization") ?? "";
    const owner = owners.get(connection) ?? credential;
    owners.set(connection, owner);
    if (owner !== credential) found.push(`${target} is on a connection of ${owner}`);
    const mark = findMark(request);
    if (mark === null) {
      if (!isOwn(request)) found.push(`${method} ${target} was not asked for`);
      continue;
    }
    const one = byMark.get(mark);
    if (one === undefined) {
      found.push(`${method} ${target} has a mark of no call`);
      continue;
    }
    one.seen += 1;
    if (one.method !== method || one.credential !== credential || !one.isWhole(request)) {
      found.push(`${method} ${target} was changed: ${request.body.toString().slice(0, 200)}`);
    }
  }
  for (const { mark, method, seen } of byMark.values()) {
    if (seen !== 1) found.push(`${method} ${mark} was seen ${seen} times`);
  }
  return found;
}

const markPattern = /c\d+-\d+e/;

/** The mark of a call; null for a request that a row sends by itself. */
function findMark({ target, body }: PeerRequest): string | null {
  const text = target === "/mcp" ? body.toString() : target;
  return markPattern.exec(text)?.[0] ?? null;
}

function isOwn({ method, target }: PeerRequest): boolean {
  return target === "/mcp" || (method === "GET" && target === "/openapi.json");
}
