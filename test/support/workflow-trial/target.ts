import { setTimeout as wait } from "node:timers/promises";

/** One request of a run: its step is `run/node/item`. */
type TargetRequest = { run: string; node: string; step: string; key: string | null };

/** An outside system that records what runs send. */
export type TrialTarget = AsyncDisposable & {
  url: string;
  requests: TargetRequest[];
  /** Steps that are known to be committed, and those that were sent again after that. */
  committed: Set<string>;
  repeated: string[];
};

/**
 * Answers after a moment, so that faults meet requests in flight. `flaky` fails at first with 503, `limited`
 * with 429, and `bad` always with 404.
 */
export function startTarget(): TrialTarget {
  const requests: TargetRequest[] = [];
  const committed = new Set<string>();
  const repeated: string[] = [];
  const known = new Set<string>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(req) {
      const [, run = "", node = "", item = "-1"] = new URL(req.url).pathname.split("/");
      const step = `${run}/${node}/${item}`;
      if (committed.has(step)) repeated.push(step);
      const isFirst = !known.has(step);
      known.add(step);
      if (node === "limited" && isFirst) {
        return new Response(null, { status: 429, headers: { "retry-after": "0" } });
      }
      requests.push({ run, node, step, key: req.headers.get("idempotency-key") });
      await wait(requests.length % 30);
      if (node === "flaky" && isFirst) return new Response(null, { status: 503 });
      return node === "bad" ? new Response(null, { status: 404 }) : Response.json({ node });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    committed,
    repeated,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
