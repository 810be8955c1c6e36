import { expect, test } from "bun:test";
import { HubError } from "../../errors.ts";
import {
  addForeignHeaders,
  defineGuardedEndpoint,
  type GuardedEndpointDeps,
} from "./guarded-endpoint.ts";

function openDoor(answer: () => Promise<Response>) {
  const counted: unknown[] = [];
  const logged: unknown[] = [];
  const refused: unknown[] = [];
  const deps: GuardedEndpointDeps = {
    hosts: { hosts: new Set(["hub.test"]), origins: new Set() },
    findClient: (req) => ({ ip: null, host: req.headers.get("host"), isLocal: false }),
    metrics: { countRequest: (...given) => counted.push(given) },
    log: { error: (...given: unknown[]) => logged.push(given) },
    refusals: { record: (code) => refused.push(code) },
  };
  const endpoint = defineGuardedEndpoint(deps, {
    door: "webhook",
    loggedPath: "/hidden/…",
    addHeaders(headers, failure) {
      addForeignHeaders(headers);
      headers.set("x-failure", failure?.code ?? "none");
    },
    answer,
  });
  const send = (host = "hub.test") =>
    endpoint(new Request("http://hub.test/hidden/secret", { headers: { host } }));
  return { send, counted, logged, refused };
}

test("Each answer has an id of its own and the headers of its door, and is counted", async () => {
  const { send, counted } = openDoor(async () => new Response(null, { status: 202 }));
  const answers = [await send(), await send()];
  const ids = answers.map(({ headers }) => headers.get("x-request-id"));
  expect(new Set(ids).size).toBe(2);
  for (const { headers } of answers) {
    expect(headers.get("x-failure")).toBe("none");
    expect(headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
  }
  expect(counted).toEqual([
    ["webhook", 202],
    ["webhook", 202],
  ]);
});

test("An internal failure is logged with the id of its answer and without its path", async () => {
  const { send, logged, counted } = openDoor(() => Promise.reject(new Error("broken")));
  const { status, headers } = await send();
  expect([status, headers.get("x-failure")]).toEqual([500, "internal"]);
  expect(logged).toMatchObject([
    [{ path: "/hidden/…", requestId: headers.get("x-request-id") }, expect.any(String)],
  ]);
  expect(JSON.stringify(logged)).not.toContain("secret");
  expect(counted).toEqual([["webhook", 500]]);
});

test("A request for another host is refused before the door sees it (DNS rebinding)", async () => {
  let answered = 0;
  const { send, counted, refused } = openDoor(async () => {
    answered += 1;
    return new Response();
  });
  expect((await send("evil.example")).status).toBe(403);
  expect([answered, counted, refused]).toEqual([0, [["webhook", 403]], ["forbidden"]]);
});

test("A refusal by a limit says when to come back, by default in 5 s", async () => {
  const waits: unknown[] = [{}, { retry_after_s: 60 }];
  for (const detail of waits) {
    const { send } = openDoor(() =>
      Promise.reject(new HubError("rate_limited", "Later.", { detail: Object(detail) })),
    );
    const { status, headers } = await send();
    expect([status, headers.get("retry-after")]).toEqual([
      429,
      "retry_after_s" in Object(detail) ? "60" : "5",
    ]);
  }
});
