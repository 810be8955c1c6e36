/** The connector `logs` with the answers of dashboard hosts and log stores. */
import { afterAll, beforeAll, beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import {
  createGuardedFetch,
  InvalidInputError,
  OutboundError,
  testOperation,
} from "@hub/connector";
import { logs } from "../plugins/logs/src/connector.ts";
import { createLogHost, type StoredLine, toFrame } from "./support/log-host.ts";
import { type RecordingHost, startRecordingHost } from "./support/recording-host.ts";

const now = "2026-11-20T12:00:00Z";
const nowNs = BigInt(Date.parse(now)) * 1_000_000n;
const minuteNs = 60_000_000_000n;

let host: RecordingHost;
beforeAll(async () => {
  setSystemTime(new Date(now));
  host = await startRecordingHost(() => ({ status: 500 }));
});
beforeEach(() => void host.takeSent());
afterAll(async () => {
  setSystemTime();
  await host[Symbol.asyncDispose]();
});

type Options = { signal?: AbortSignal; config?: Record<string, string> };

// biome-ignore lint/suspicious/noExplicitAny: the assertions check the members that they name.
async function run(key: string, params: object, { signal, config }: Options = {}): Promise<any> {
  const policy = { savedHosts: [new URL(host.url).host], allow: [] };
  return await testOperation(logs, key, {
    config: {
      base_url: host.url,
      auth_mode: "token",
      token: "glsa_Zk4tV9pQx7Lw2Rn8",
      org_id: "7",
      datasource_uid: "loki-1",
      ...config,
    },
    params: { ...params },
    tools: {
      fetch: createGuardedFetch({ policy, ...(signal && { signal }), bodyBytesMax: 2 ** 21 }),
      ...(signal && { signal }),
    },
  });
}

function makeLines(count: number, more: Partial<StoredLine> = {}): StoredLine[] {
  return Array.from({ length: count }, (_, at) => ({
    timeNs: nowNs - minuteNs - BigInt(at) * 1_000_001n,
    labels: { app: "api", env: "prod" },
    line: `line ${at}`,
    ...more,
  }));
}

const answerFrames = (...frames: unknown[]) =>
  host.answerBy(() => ({ body: { results: { A: { status: 200, frames } } } }));

describe("A request", () => {
  test("A query is sent as a range query of the dashboard host with both organisation headers", async () => {
    host.answerBy(createLogHost({ lines: makeLines(1) }));
    await run("query", { query: '{app="api"}' });
    const [sent] = host.takeSent();
    expect(sent).toMatchObject({ method: "POST", target: "/api/ds/query?ds_type=loki" });
    expect(sent?.headers).toMatchObject({
      authorization: "Bearer glsa_Zk4tV9pQx7Lw2Rn8",
      "x-dashboard-org-id": "7",
      "x-grafana-org-id": "7",
    });
    const { from, to, queries } = JSON.parse(sent?.body ?? "");
    expect([Number(from), Number(to)]).toEqual([Date.parse(now) - 3_600_000, Date.parse(now)]);
    expect(queries).toMatchObject([
      {
        refId: "A",
        datasource: { type: "loki", uid: "loki-1" },
        expr: '{app="api"}',
        queryType: "range",
        maxLines: 101,
        direction: "backward",
      },
    ]);
  });

  test("A row with auth_mode basic sends username and password", async () => {
    host.answerBy(createLogHost({ lines: makeLines(1) }));
    const config = { auth_mode: "", username: "ada", password: "p:w" };
    await run("labels", {}, { config });
    expect(host.takeSent()[0]?.headers.authorization).toBe(`Basic ${btoa("ada:p:w")}`);
  });

  test.each([
    [5000, 5000],
    [99_999, 5000],
    [4999, 5000],
    ["12", 13],
  ])("A limit of %p requests %p lines", async (limit, lines) => {
    answerFrames();
    await run("query", { query: "{}", limit });
    expect(JSON.parse(host.takeSent()[0]?.body ?? "").queries[0].maxLines).toBe(lines);
  });

  test.each([
    ["2026-11-20T09:30:00Z", 1795167000000],
    ["2026-11-20T11:30:00.5+02:00", 1795167000500],
    ["1795167000123456789", 1795167000123],
    [1795167000000, null],
    ["now-2d", 1795003200000],
    ["yesterday", null],
    ["2026-11-20", null],
    ["2026-02-30T00:00:00Z", null],
    ["2026-11-20T09:30:00", null],
    ["now-1d/d", null],
  ])("The start %p is parsed as %p", async (start, fromMs) => {
    answerFrames();
    const pending = run("query", { query: "{}", start, end: "now" });
    if (fromMs === null) {
      await expect(pending).rejects.toThrow(/^start is not a time\. /);
      await expect(pending).rejects.toMatchObject({ issues: [{ path: "start" }] });
      expect(host.takeSent()).toEqual([]);
    } else {
      await pending;
      expect(JSON.parse(host.takeSent()[0]?.body ?? "").from).toBe(String(fromMs));
    }
  });

  test("A query with start after end, or a limit below 1, is refused before it is sent", async () => {
    const late = { query: "{}", start: "now", end: "now-1h" };
    await expect(run("query", late)).rejects.toThrow("start must be before end");
    await expect(run("query", late)).rejects.toMatchObject({ issues: [{ path: "start" }] });
    const past = { query: "{}", end: "now-2h" };
    await expect(run("query", past)).rejects.toThrow("give start as well");
    await expect(run("query", { query: "{}", limit: 0 })).rejects.toThrow("limit must be");
    expect(host.takeSent()).toEqual([]);
  });
});

describe("Lines", () => {
  test.each([
    ["tsNs", "2026-11-20T11:58:59.998999999Z"],
    ["nanos", "2026-11-20T11:58:59.998999999Z"],
    ["old", "2026-11-20T11:58:59.998Z"],
  ] as const)("Lines of frames with %s become entries with the precision of the frame", async (shape, at) => {
    host.answerBy(createLogHost({ lines: makeLines(2), shape }));
    const answer = await run("query", { query: '{app="api"}' });
    expect(answer).toEqual({
      count: 2,
      entries: [
        {
          timestamp: "2026-11-20T11:59:00Z",
          labels: { app: "api", env: "prod" },
          line: "line 0",
        },
        { timestamp: at, labels: { app: "api", env: "prod" }, line: "line 1" },
      ],
      window: { start: "2026-11-20T11:00:00Z", end: now.replace(".000", "") },
      truncated: false,
    });
  });

  test.each([
    "backward",
    "forward",
  ] as const)("Lines of several frames are merged by time: %s", async (direction) => {
    const lines = makeLines(9);
    const frames = [0, 1, 2].map((part) =>
      toFrame(
        lines.filter((_, at) => at % 3 === part),
        part === 1 ? "nanos" : "tsNs",
      ),
    );
    answerFrames(...frames);
    const { entries } = await run("query", { query: "{}", direction });
    const wanted = lines.map(({ line }) => line);
    if (direction === "forward") wanted.reverse();
    expect(entries.map(({ line }: { line: string }) => line)).toEqual(wanted);
  });

  test("Lines without labels of their own get the labels of their column", async () => {
    const fields = [
      { name: "ts", type: "time" },
      { name: "line", type: "string", labels: { app: "api" } },
    ];
    answerFrames({ schema: { fields }, data: { values: [[Date.parse(now)], ["a"]] } });
    const { entries } = await run("query", { query: "{}" });
    expect(entries).toEqual([
      { timestamp: "2026-11-20T12:00:00Z", labels: { app: "api" }, line: "a" },
    ]);
  });

  test("Lines without a valid time are refused as an invalid answer", async () => {
    for (const time of [null, "soon", -1, 8.64e15, { Time: 1 }]) {
      const fields = [{ name: "Time" }, { name: "Line" }];
      answerFrames({ schema: { fields }, data: { values: [[time], ["a"]] } });
      await expect(run("query", { query: "{}" })).rejects.toThrow("not that of Grafana");
    }
  });

  test("A very long line is cut at a character boundary and marked", async () => {
    host.answerBy(createLogHost({ lines: makeLines(1, { line: `${"x".repeat(8191)}😀😀` }) }));
    const { entries, note } = await run("query", { query: "{}" });
    expect(entries[0].line).toBe(`${"x".repeat(8191)} [cut: 4 more characters]`);
    expect(note).toContain("Lines cut: 1.");
  });
});

test("Structured metadata is separate from the labels of the selector", async () => {
  const metadata = { detected_level: "error", trace_id: "7f" };
  host.answerBy(createLogHost({ lines: makeLines(1, { metadata }) }));
  const { entries } = await run("query", { query: '{app="api"}' });
  expect(entries[0]).toMatchObject({ labels: { app: "api", env: "prod" }, metadata });
  // An older host sends no types, so all of them are labels.
  host.answerBy(createLogHost({ lines: makeLines(1, { metadata }), shape: "old" }));
  const old = await run("query", { query: '{app="api"}' });
  expect(old.entries[0].labels).toEqual({ app: "api", env: "prod", ...metadata });
});

describe("Pages", () => {
  const readAll = async (params: object) => {
    const seen: string[] = [];
    let window: object = {};
    for (let page = 0; page < 50; page += 1) {
      const answer = await run("query", { ...params, ...window });
      seen.push(...answer.entries.map(({ line }: { line: string }) => line));
      expect(answer.truncated).toBe(answer.next !== undefined);
      if (!answer.truncated) break;
      window = answer.next;
    }
    return seen;
  };

  test.each([
    "backward",
    "forward",
  ])("%s pages contain every line exactly once, even if times are close", async (direction) => {
    // The lines are one nanosecond apart, so they share the host's millisecond.
    const lines = makeLines(50).map((each, at) => ({
      ...each,
      timeNs: nowNs - minuteNs + BigInt(at),
    }));
    host.answerBy(createLogHost({ lines }));
    const seen = await readAll({ query: "{}", limit: 7, direction });
    const wanted = lines.map(({ line }) => line);
    expect(seen).toEqual(direction === "forward" ? wanted : wanted.reverse());
  });

  test("Pages contain all lines of the same nanosecond", async () => {
    const lines = makeLines(20).map((each, at) => ({
      ...each,
      timeNs: nowNs - minuteNs + BigInt(Math.floor(at / 3)),
    }));
    host.answerBy(createLogHost({ lines }));
    const seen = await readAll({ query: "{}", limit: 7 });
    expect(new Set(seen)).toEqual(new Set(lines.map(({ line }) => line)));
  });

  test("A page filled by lines of one timestamp advises to raise the limit", async () => {
    host.answerBy(createLogHost({ lines: makeLines(9, { timeNs: nowNs - minuteNs }) }));
    const answer = await run("query", { query: "{}", limit: 3 });
    expect(answer).toMatchObject({ count: 3, truncated: true });
    expect(answer).not.toHaveProperty("next");
    expect(answer.note).toContain("Raise limit");
  });

  test("A page can be as long as the log store allows", async () => {
    host.answerBy(createLogHost({ lines: makeLines(9), linesMax: 5 }));
    expect(await run("query", { query: "{}", limit: 5 })).toMatchObject({
      count: 5,
      truncated: true,
    });
    await expect(run("query", { query: "{}", limit: 6 })).rejects.toThrow("max entries limit");
  });

  test("A page with large lines ends before the limit, and the next page continues there", async () => {
    const lines = makeLines(200, { line: "x".repeat(8000) });
    host.answerBy(createLogHost({ lines }));
    const answer = await run("query", { query: "{}", limit: 150 });
    expect(answer.count).toBeLessThan(150);
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(1000 * 1024);
    expect(answer).toMatchObject({
      truncated: true,
      note: "The page ends before the limit, at 960 KiB.",
    });
    const rest = await run("query", { query: "{}", limit: 150, ...answer.next });
    expect(answer.count + rest.count).toBe(200);
  });
});

describe("Numbers", () => {
  const fields = [
    { name: "Time", type: "time" },
    { name: "Value", type: "number", labels: { app: "api" } },
  ];
  const frame = {
    schema: { fields },
    data: {
      values: [
        [0, 60_000],
        [3, null],
      ],
    },
  };

  test("A metric query returns series", async () => {
    answerFrames(frame, { schema: { fields: [] }, data: { values: [] } });
    expect(await run("query", { query: "sum(rate({}[5m]))" })).toEqual({
      count: 0,
      entries: [],
      series: [
        {
          labels: { app: "api" },
          points: [
            ["1970-01-01T00:00:00Z", 3],
            ["1970-01-01T00:01:00Z", null],
          ],
        },
      ],
      window: { start: "2026-11-20T11:00:00Z", end: "2026-11-20T12:00:00Z" },
      truncated: false,
    });
  });

  test("NaN and infinities are returned as text, and points outside the window are omitted", async () => {
    const times = ["10:59:00", "11:00:00", "11:30:00", "12:00:00", "12:01:00"];
    answerFrames({
      schema: { fields },
      data: {
        values: [times.map((time) => Date.parse(`2026-11-20T${time}Z`)), [1, null, null, null, 2]],
        entities: [null, { NaN: [1], Inf: [2], NegInf: [3] }],
      },
    });
    const { series } = await run("query", { query: "sum(rate({}[5m]))" });
    expect(series[0].points).toEqual([
      ["2026-11-20T11:00:00Z", "NaN"],
      ["2026-11-20T11:30:00Z", "+Inf"],
      ["2026-11-20T12:00:00Z", "-Inf"],
    ]);
  });

  test("Series over the limit are omitted, and the note says so", async () => {
    answerFrames(frame, frame, frame);
    const answer = await run("query", { query: "rate({}[5m])", limit: 2 });
    expect(answer.series).toHaveLength(2);
    expect(answer).toMatchObject({
      truncated: true,
      note: expect.stringContaining("2 of 3 series"),
    });
  });
});

describe("The hint of a query without a match", () => {
  const findHint = async (query: string, params: object = {}) => {
    const old = makeLines(3).map((each) => ({
      ...each,
      timeNs: each.timeNs - 600n * minuteNs,
      labels: { app: "old" },
    }));
    host.answerBy(createLogHost({ lines: [...makeLines(5), ...old] }));
    const answer = await run("query", { query, ...params });
    expect(answer).toMatchObject({ count: 0, entries: [], truncated: false });
    return answer.hint;
  };

  test("The hint names a line filter that excludes all lines", async () => {
    expect(await findHint('{app="api"} |= "nowhere"')).toBe(
      'The selector {app="api"} has lines in this window, but what follows it in the query lets none of them pass. Loosen the line filters or parsers. A regular expression that is not valid reads the same.',
    );
  });

  test("The hint counts lines that are not flushed yet, which the store's statistics omit", async () => {
    expect(await findHint('{app="api"} |= "nowhere"')).toContain("has lines in this window");
    const targets = host.takeSent().map(({ target }) => target);
    expect(targets.filter((target) => target.includes("index/stats"))).toEqual([]);
    // Each query requests one line.
    expect(targets.filter((target) => target.startsWith("/api/ds/query"))).toHaveLength(3);
  });

  test("The hint mentions an invalid regular expression, which the host does not report", async () => {
    expect(await findHint('{app="api"} |~ "("')).toContain(
      "A regular expression that is not valid",
    );
  });

  test("The hint of a query without filters names an answer over Loki's limit", async () => {
    const lines = makeLines(5, { line: "x".repeat(1000) });
    host.answerBy(createLogHost({ lines, answerBytesMax: 3000 }));
    for (const query of ['{app="api"}', '{app="api"} |= "xx"']) {
      const { count, hint } = await run("query", { query });
      expect(count).toBe(0);
      expect(hint).toContain(
        "exceeded its limit of 4 MB, for which Loki returns no lines. Try a smaller limit",
      );
      expect(hint).not.toContain("filters");
    }
    expect((await run("query", { query: '{app="api"}', limit: 1 })).count).toBe(1);
  });

  test("The hint of a metric query without filters does not mention filters", async () => {
    const hint = await findHint('sum(count_over_time({app="api"}[5m]))');
    expect(hint).toContain("has lines in this window. Loki may have failed");
    expect(hint).not.toContain("filters");
    expect(await findHint('sum(count_over_time({app="api"} |= "x" [5m]))')).toContain(
      "line filters",
    );
  });

  test("The hint shows how to filter by structured metadata", async () => {
    const lines = makeLines(3, { metadata: { detected_level: "error", trace_id: "7f" } });
    host.answerBy(createLogHost({ lines }));
    const findHintOf = async (query: string) => (await run("query", { query })).hint;
    expect(await findHintOf('{app="api", detected_level="error"}')).toEndWith(
      'Filter behind the selector: {app="api"} | detected_level="error"',
    );
    expect(await findHintOf('{detected_level="error"}')).toEndWith(
      '{app=~".+"} | detected_level="error"',
    );
    expect(await findHintOf('{app="api", trace_id="7f"}')).toContain('{app="api"} | trace_id="7f"');
    const { entries } = await run("query", { query: '{app="api"} | detected_level="error"' });
    expect(entries).toHaveLength(3);
  });

  test("The hint names the window in which lines exist", async () => {
    expect(await findHint('{app="old"}')).toMatch(
      /has lines between 2026-11-13T11:00:00Z and \S+, the newest at 2026-11-20T01:59:00Z\./,
    );
  });

  test("The hint names an unknown label and suggests a similar one", async () => {
    expect(await findHint('{ap="api"}')).toContain(
      "There is no label ap near this window. Did you mean app?",
    );
  });

  test("The hint names an unknown value and suggests a similar one", async () => {
    expect(await findHint('{app="apii"}')).toContain(
      'no value "apii" near this window. Did you mean api?',
    );
    expect(await findHint('{app="payments"}')).toContain('There is ["api","old"].');
  });

  test("The hint says that no stream has all of the labels", async () => {
    expect(await findHint('{app="old", env="prod"}')).toContain("no stream has them together");
  });

  test("A query without a match succeeds when the log store cannot provide a hint", async () => {
    host.answerBy(({ target }) =>
      target.startsWith("/api/ds/")
        ? { body: { results: { A: { frames: [] } } } }
        : { status: 500 },
    );
    expect((await run("query", { query: '{app="api"}' })).hint).toStartWith("Nothing matched.");
  });
});

describe("An answer with an error", () => {
  const refuse = (status: number, body: unknown, headers = {}) => {
    host.answerBy(() => ({ status, body, headers }));
    return expect(run("query", { query: '{app="api"' })).rejects;
  };

  test("An error inside a 200 fails the call with the status of the error", async () => {
    const error = "parse error at line 1, col 11: syntax error: unexpected $end";
    await refuse(200, { results: { A: { error, status: 400, frames: [] } } }).toMatchObject({
      httpStatus: 400,
      message: expect.stringMatching(/unexpected \$end\. A query begins with a stream selector/),
    });
  });

  test.each([
    [400, { results: { A: { error: "parse error: unexpected IDENTIFIER" } } }, "stream selector"],
    [401, { message: "Invalid API key" }, "Invalid API key. The row's login is not valid"],
    [403, { message: "Access denied" }, "check that org_id is its organisation"],
    [404, { message: "data source not found" }, "pick org_id and datasource_uid again"],
    [429, { message: "slow down" }, "Wait a little"],
    [500, { message: "context deadline exceeded" }, "Try a shorter window"],
    [502, "<html>Bad gateway</html>", "answered 502. Loki cannot be reached."],
    [503, { message: "no available server" }, "Loki cannot be reached."],
    [
      401,
      { message: "API key does not belong to the requested organization" },
      "org_id 7 is not the organisation of the row's login.",
    ],
    [
      400,
      {
        results: { A: { error: "max entries limit per query exceeded, limit > max (101 > 100)" } },
      },
      "Try a smaller limit",
    ],
    [
      500,
      { message: "trying to send message larger than max (5343332 vs. 4194304)" },
      "Try a smaller limit",
    ],
    [504, { message: "Query Timeout Exceeded: context deadline exceeded" }, "Try a shorter window"],
  ])("An error of status %i keeps the status and says what to do", async (httpStatus, body, words) => {
    await refuse(httpStatus, body).toMatchObject({
      httpStatus,
      message: expect.stringContaining(words),
    });
  });

  test("A redirect to another host is not followed, and the error does not name that host", async () => {
    await refuse(302, "", { location: "https://sso.example.com/login?token=x" }).toMatchObject({
      httpStatus: 302,
      message: expect.stringMatching(
        /redirects to another host.*(?!sso)An admin should check base_url/,
      ),
    });
    const failure = await run("query", { query: "{}" }).catch((thrown) => thrown);
    expect(failure.message).not.toContain("sso.example.com");
    expect(host.takeSent()).toHaveLength(2);
  });

  test.each([
    [
      (url: URL) => `https://${url.hostname}:8443/x?token=y`,
      /set base_url to https:\/\/[\w.]+:8443\.$/,
    ],
    [() => "/login?token=y", /another of its pages, often the sign-in page/],
  ])("The error for a redirect on the same host says what to set or check", async (toLocation, words) => {
    await refuse(302, "", { location: toLocation(new URL(host.url)) }).toThrow(words);
  });

  test("Queries and labels report an unreachable store in the same words", async () => {
    host.answerBy(createLogHost({ lines: [], isDown: true }));
    for (const [key, params] of [
      ["query", { query: '{app="api"}' }],
      ["labels", {}],
      ["label_values", { label: "app" }],
    ] as const) {
      await expect(run(key, params)).rejects.toThrow("Loki cannot be reached.");
    }
  });

  test("A timeout of the store advises a shorter window", async () => {
    const hang = new OutboundError("timeout", "127.0.0.1 did not answer within 30 s.");
    const pending = testOperation(logs, "query", {
      config: {
        base_url: "http://127.0.0.1:1",
        auth_mode: "token",
        token: "glsa_Zk4tV9pQx7Lw2Rn8",
        org_id: "7",
        datasource_uid: "loki-1",
      },
      params: { query: '{app="api"}' },
      tools: { fetch: () => Promise.reject(hang) },
    });
    await expect(pending).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringMatching(/within 30 s\. Loki may be overloaded\. Try a shorter window/),
    });
  });

  test("An invalid org_id is refused before a request is sent", async () => {
    const pending = run("query", { query: "{}" }, { config: { org_id: "-1" } });
    await expect(pending).rejects.toThrow("org_id must be a number from 1 on");
    expect(host.takeSent()).toEqual([]);
  });

  test.each([
    ["<html></html>"],
    [[]],
    [{}],
    [{ results: { A: { frames: 1 } } }],
  ])("The error for an unexpected answer names base_url: %p", async (body) => {
    await refuse(200, body).toThrow("base_url");
  });

  test("A text is not cut inside a secret, because the mask would miss its first half", async () => {
    const config = { auth_mode: "basic", username: "ada", password: 'p"ssword-0123456789' };
    const forms = [config.password, btoa(`ada:${config.password}`), 'p\\"ssword-0123456789'];
    for (const form of forms) {
      const at = (charsMax: number) => `${"x".repeat(charsMax - 6)}${form} and more`;
      host.answerBy(() => ({ status: 400, body: { message: at(1000) } }));
      const pending = run("query", { query: "{}" }, { config });
      await expect(pending).rejects.toThrow(/answered 400: x{994}\.$/);
      host.answerBy(createLogHost({ lines: makeLines(1, { line: at(8192) }) }));
      const { entries } = await run("query", { query: "{}" }, { config });
      expect(entries[0].line).toMatch(/^x{8186} \[cut: /);
    }
  });

  test("The error for a large answer says how to request less", async () => {
    host.answerBy(createLogHost({ lines: makeLines(40, { line: "x".repeat(100_000) }) }));
    await expect(run("query", { query: "{}" })).rejects.toThrow("Ask for fewer lines with limit");
  });

  test("A call without an answer ends when its signal is aborted", async () => {
    const caller = new AbortController();
    host.answerBy(() => {
      caller.abort(new Error("The time is up."));
      return new Promise(() => {});
    });
    const pending = run("query", { query: "{}" }, { signal: caller.signal });
    await expect(pending).rejects.toThrow("The time is up.");
  });
});

describe("Labels and values", () => {
  test("Labels and values are lists of the last six hours", async () => {
    host.answerBy(createLogHost({ lines: makeLines(3) }));
    const window = { start: "2026-11-20T06:00:00Z", end: "2026-11-20T12:00:00Z" };
    expect(await run("labels", {})).toEqual({ count: 2, labels: ["app", "env"], window });
    expect(await run("label_values", { label: "app" })).toEqual({
      label: "app",
      count: 1,
      values: ["api"],
      window,
    });
    const range = `start=${nowNs - 360n * minuteNs}&end=${nowNs}`;
    const base = "/api/datasources/uid/loki-1/resources";
    expect(host.takeSent().map(({ target }) => target)).toEqual([
      `${base}/labels?${range}`,
      `${base}/label/app/values?${range}`,
    ]);
  });

  test("Labels and values are empty, with a hint, when the log store answers null", async () => {
    host.answerBy(createLogHost({ lines: [] }));
    expect(await run("labels", {})).toMatchObject({
      count: 0,
      labels: [],
      hint: expect.any(String),
    });
    host.answerBy(createLogHost({ lines: makeLines(1) }));
    expect(await run("label_values", { label: "apps" })).toMatchObject({
      values: [],
      hint: "There is no label apps in this window. Did you mean app?",
    });
  });

  test.each([
    ["a/b?c#d", "a%2Fb%3Fc%23d"],
    ["é 1", "%C3%A9%201"],
    ["%2e", null],
    ["..", null],
    ["../../../../user", null],
    ["a/%252e%252e/b", null],
    ["a\nb", null],
    ["x".repeat(10_000), null],
  ])("The label %p is sent as %p", async (label, part) => {
    host.answerBy(() => ({ body: { status: "success", data: ["x"] } }));
    const pending = run("label_values", { label });
    if (part === null) {
      await expect(pending).rejects.toThrow("Nothing was sent");
      await expect(pending).rejects.toBeInstanceOf(InvalidInputError);
      expect(host.takeSent()).toEqual([]);
    } else {
      await pending;
      expect(host.takeSent()[0]?.target).toContain(`/resources/label/${part}/values?`);
    }
  });
});

test("A label with a slash is refused as an invalid name", async () => {
  host.answerBy(createLogHost({ lines: makeLines(1) }));
  const pending = run("label_values", { label: "app/name" });
  await expect(pending).rejects.toThrow("label is not a label name");
  await expect(pending).rejects.toBeInstanceOf(InvalidInputError);
});

describe("The base URL of a row", () => {
  test.each([
    ["ftp://h", "scheme and host only"],
    ["http://h/grafana", "scheme and host only"],
    ["http://h/?a", "scheme and host only"],
    ["http://u:p@h", "contains a user name"],
  ])("The base URL %s is refused", async (base_url, words) => {
    const pending = run("query", { query: "{}" }, { config: { base_url } });
    await expect(pending).rejects.toThrow(words);
  });
});
