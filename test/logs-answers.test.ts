/** What the connector `logs` makes of the answers that dashboard hosts and log stores give. */
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
      token: "glsa_0123456789",
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

describe("a request", () => {
  test("is the range query of the dashboard host, with both organisation headers", async () => {
    host.answerBy(createLogHost({ lines: makeLines(1) }));
    await run("query", { query: '{app="api"}' });
    const [sent] = host.takeSent();
    expect(sent).toMatchObject({ method: "POST", target: "/api/ds/query?ds_type=loki" });
    expect(sent?.headers).toMatchObject({
      authorization: "Bearer glsa_0123456789",
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

  test("logs in with username and password unless the row says token", async () => {
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
  ])("for a limit of %p asks for %p lines", async (limit, lines) => {
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
  ])("reads a start of %p as %p", async (start, fromMs) => {
    answerFrames();
    const asked = run("query", { query: "{}", start, end: "now" });
    if (fromMs === null) {
      await expect(asked).rejects.toThrow(/^start is not a time\. /);
      await expect(asked).rejects.toMatchObject({ issues: [{ path: "start" }] });
      expect(host.takeSent()).toEqual([]);
    } else {
      await asked;
      expect(JSON.parse(host.takeSent()[0]?.body ?? "").from).toBe(String(fromMs));
    }
  });

  test("with start after end, or a limit below one, is refused and not sent", async () => {
    const late = { query: "{}", start: "now", end: "now-1h" };
    await expect(run("query", late)).rejects.toThrow("start must be before end");
    await expect(run("query", late)).rejects.toMatchObject({ issues: [{ path: "start" }] });
    const past = { query: "{}", end: "now-2h" };
    await expect(run("query", past)).rejects.toThrow("give start as well");
    await expect(run("query", { query: "{}", limit: 0 })).rejects.toThrow("limit must be");
    expect(host.takeSent()).toEqual([]);
  });
});

describe("lines", () => {
  test.each([
    ["tsNs", "2026-11-20T11:58:59.998999999Z"],
    ["nanos", "2026-11-20T11:58:59.998999999Z"],
    ["old", "2026-11-20T11:58:59.998Z"],
  ] as const)("of frames with %s are flat entries, as exact as the frame is", async (shape, at) => {
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
  ] as const)("of several frames are merged, %s", async (direction) => {
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

  test("carry labels of a whole column where there are none for each row", async () => {
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

  test("without a time that can be read are no answer of a dashboard host", async () => {
    for (const time of [null, "soon", -1, 8.64e15, { Time: 1 }]) {
      const fields = [{ name: "Time" }, { name: "Line" }];
      answerFrames({ schema: { fields }, data: { values: [[time], ["a"]] } });
      await expect(run("query", { query: "{}" })).rejects.toThrow("not that of Grafana");
    }
  });

  test("that are very long end in a mark, at the end of a character", async () => {
    host.answerBy(createLogHost({ lines: makeLines(1, { line: `${"x".repeat(8191)}😀😀` }) }));
    const { entries, note } = await run("query", { query: "{}" });
    expect(entries[0].line).toBe(`${"x".repeat(8191)} [cut: 4 more characters]`);
    expect(note).toContain("Lines cut: 1.");
  });
});

test("entries keep structured metadata apart from the labels that a selector takes", async () => {
  const metadata = { detected_level: "error", trace_id: "7f" };
  host.answerBy(createLogHost({ lines: makeLines(1, { metadata }) }));
  const { entries } = await run("query", { query: '{app="api"}' });
  expect(entries[0]).toMatchObject({ labels: { app: "api", env: "prod" }, metadata });
  // A host of before tells no types: all are labels there.
  host.answerBy(createLogHost({ lines: makeLines(1, { metadata }), shape: "old" }));
  const old = await run("query", { query: '{app="api"}' });
  expect(old.entries[0].labels).toEqual({ app: "api", env: "prod", ...metadata });
});

describe("pages", () => {
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
  ])("%s lead through all lines once, however close", async (direction) => {
    // One nanosecond apart: all of them share the millisecond that hosts count in.
    const lines = makeLines(50).map((each, at) => ({
      ...each,
      timeNs: nowNs - minuteNs + BigInt(at),
    }));
    host.answerBy(createLogHost({ lines }));
    const seen = await readAll({ query: "{}", limit: 7, direction });
    const wanted = lines.map(({ line }) => line);
    expect(seen).toEqual(direction === "forward" ? wanted : wanted.reverse());
  });

  test("lose no line among those of the same nanosecond", async () => {
    const lines = makeLines(20).map((each, at) => ({
      ...each,
      timeNs: nowNs - minuteNs + BigInt(Math.floor(at / 3)),
    }));
    host.answerBy(createLogHost({ lines }));
    const seen = await readAll({ query: "{}", limit: 7 });
    expect(new Set(seen)).toEqual(new Set(lines.map(({ line }) => line)));
  });

  test("say what to do when one moment holds more lines than a page", async () => {
    host.answerBy(createLogHost({ lines: makeLines(9, { timeNs: nowNs - minuteNs }) }));
    const answer = await run("query", { query: "{}", limit: 3 });
    expect(answer).toMatchObject({ count: 3, truncated: true });
    expect(answer).not.toHaveProperty("next");
    expect(answer.note).toContain("Raise limit");
  });

  test("of a log store that takes fewer lines are as long as it allows", async () => {
    host.answerBy(createLogHost({ lines: makeLines(9), linesMax: 5 }));
    expect(await run("query", { query: "{}", limit: 5 })).toMatchObject({
      count: 5,
      truncated: true,
    });
    await expect(run("query", { query: "{}", limit: 6 })).rejects.toThrow("max entries limit");
  });

  test("end before the limit where the lines are large, and go on there", async () => {
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

describe("numbers", () => {
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

  test("of a metric query are series", async () => {
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

  test("that JSON has no word for are told as words, and points outside the window are left out", async () => {
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

  test("of more series than the limit are cut, and say so", async () => {
    answerFrames(frame, frame, frame);
    const answer = await run("query", { query: "rate({}[5m])", limit: 2 });
    expect(answer.series).toHaveLength(2);
    expect(answer).toMatchObject({
      truncated: true,
      note: expect.stringContaining("2 of 3 series"),
    });
  });
});

describe("when nothing matched, the hint", () => {
  const ask = async (query: string, params: object = {}) => {
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

  test("tells a line filter that lets nothing pass", async () => {
    expect(await ask('{app="api"} |= "nowhere"')).toBe(
      'The selector {app="api"} has lines in this window, but what follows it in the query lets none of them pass. Loosen the line filters or parsers. A regular expression that is not valid reads the same.',
    );
  });

  test("counts lines that were not flushed yet, which the store's statistics leave out", async () => {
    expect(await ask('{app="api"} |= "nowhere"')).toContain("has lines in this window");
    const asked = host.takeSent().map(({ target }) => target);
    expect(asked.filter((target) => target.includes("index/stats"))).toEqual([]);
    // Each question is for one line.
    expect(asked.filter((target) => target.startsWith("/api/ds/query"))).toHaveLength(3);
  });

  test("names a regular expression that the store refused and the host swallowed", async () => {
    expect(await ask('{app="api"} |~ "("')).toContain("A regular expression that is not valid");
  });

  test("of a bare selector blames no filter, but an answer over Loki's limit", async () => {
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

  test("of a metric query without filters blames none", async () => {
    const hint = await ask('sum(count_over_time({app="api"}[5m]))');
    expect(hint).toContain("has lines in this window. Loki may have failed");
    expect(hint).not.toContain("filters");
    expect(await ask('sum(count_over_time({app="api"} |= "x" [5m]))')).toContain("line filters");
  });

  test("shows how to filter by what is structured metadata and no label", async () => {
    const lines = makeLines(3, { metadata: { detected_level: "error", trace_id: "7f" } });
    host.answerBy(createLogHost({ lines }));
    const find = async (query: string) => (await run("query", { query })).hint;
    expect(await find('{app="api", detected_level="error"}')).toEndWith(
      'Filter behind the selector: {app="api"} | detected_level="error"',
    );
    expect(await find('{detected_level="error"}')).toEndWith(
      '{app=~".+"} | detected_level="error"',
    );
    expect(await find('{app="api", trace_id="7f"}')).toContain('{app="api"} | trace_id="7f"');
    const { entries } = await run("query", { query: '{app="api"} | detected_level="error"' });
    expect(entries).toHaveLength(3);
  });

  test("tells the wrong window", async () => {
    expect(await ask('{app="old"}')).toMatch(
      /has lines between 2026-11-13T11:00:00Z and \S+, the newest at 2026-11-20T01:59:00Z\./,
    );
  });

  test("tells a label that does not exist", async () => {
    expect(await ask('{ap="api"}')).toContain(
      "There is no label ap near this window. Did you mean app?",
    );
  });

  test("tells a value that does not exist", async () => {
    expect(await ask('{app="apii"}')).toContain(
      'no value "apii" near this window. Did you mean api?',
    );
    expect(await ask('{app="payments"}')).toContain('There is ["api","old"].');
  });

  test("tells labels that exist, but not together", async () => {
    expect(await ask('{app="old", env="prod"}')).toContain("no stream has them together");
  });

  test("fails no call where the log store cannot help", async () => {
    host.answerBy(({ target }) =>
      target.startsWith("/api/ds/")
        ? { body: { results: { A: { frames: [] } } } }
        : { status: 500 },
    );
    expect((await run("query", { query: '{app="api"}' })).hint).toStartWith("Nothing matched.");
  });
});

describe("an answer that is an error", () => {
  const refuse = (status: number, body: unknown, headers = {}) => {
    host.answerBy(() => ({ status, body, headers }));
    return expect(run("query", { query: '{app="api"' })).rejects;
  };

  test("inside a 200 is an error of the call, with its own status", async () => {
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
  ])("of status %i keeps the status and says what to do", async (httpStatus, body, words) => {
    await refuse(httpStatus, body).toMatchObject({
      httpStatus,
      message: expect.stringContaining(words),
    });
  });

  test("that redirects to another host is not followed, nor does it become advice to log in there", async () => {
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
  ])("that redirects on the same host says what to set or to check", async (toLocation, words) => {
    await refuse(302, "", { location: toLocation(new URL(host.url)) }).toThrow(words);
  });

  test("of a store that is down is told in the same words for queries, labels and health", async () => {
    host.answerBy(createLogHost({ lines: [], isDown: true }));
    for (const [key, params] of [
      ["query", { query: '{app="api"}' }],
      ["labels", {}],
      ["label_values", { label: "app" }],
    ] as const) {
      await expect(run(key, params)).rejects.toThrow("Loki cannot be reached.");
    }
  });

  test("of a store that hangs ends with what to ask for instead", async () => {
    const hang = new OutboundError("timeout", "127.0.0.1 did not answer within 30 s.");
    const asked = testOperation(logs, "query", {
      config: {
        base_url: "http://127.0.0.1:1",
        auth_mode: "token",
        token: "glsa_0123456789",
        org_id: "7",
        datasource_uid: "loki-1",
      },
      params: { query: '{app="api"}' },
      tools: { fetch: () => Promise.reject(hang) },
    });
    await expect(asked).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringMatching(/within 30 s\. Loki may be overloaded\. Try a shorter window/),
    });
  });

  test("is not waited for where org_id is no organisation", async () => {
    const asked = run("query", { query: "{}" }, { config: { org_id: "-1" } });
    await expect(asked).rejects.toThrow("org_id must be a number from 1 on");
    expect(host.takeSent()).toEqual([]);
  });

  test.each([
    ["<html></html>"],
    [[]],
    [{}],
    [{ results: { A: { frames: 1 } } }],
  ])("of another shape, %p, names base_url", async (body) => {
    await refuse(200, body).toThrow("base_url");
  });

  test("is never cut in the middle of a secret, whose half no mask would find", async () => {
    const config = { auth_mode: "basic", username: "ada", password: 'p"ssword-0123456789' };
    const forms = [config.password, btoa(`ada:${config.password}`), 'p\\"ssword-0123456789'];
    for (const form of forms) {
      const at = (charsMax: number) => `${"x".repeat(charsMax - 6)}${form} and more`;
      host.answerBy(() => ({ status: 400, body: { message: at(1000) } }));
      const asked = run("query", { query: "{}" }, { config });
      await expect(asked).rejects.toThrow(/answered 400: x{994}\.$/);
      host.answerBy(createLogHost({ lines: makeLines(1, { line: at(8192) }) }));
      const { entries } = await run("query", { query: "{}" }, { config });
      expect(entries[0].line).toMatch(/^x{8186} \[cut: /);
    }
  });

  test("that is too large says how to ask for less", async () => {
    host.answerBy(createLogHost({ lines: makeLines(40, { line: "x".repeat(100_000) }) }));
    await expect(run("query", { query: "{}" })).rejects.toThrow("Ask for fewer lines with limit");
  });

  test("that never comes ends with the caller's patience", async () => {
    const patience = new AbortController();
    host.answerBy(() => {
      patience.abort(new Error("The time is up."));
      return new Promise(() => {});
    });
    const asked = run("query", { query: "{}" }, { signal: patience.signal });
    await expect(asked).rejects.toThrow("The time is up.");
  });
});

describe("labels and values", () => {
  test("are clean lists of the last six hours", async () => {
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

  test("are empty where the log store answers null, with a hint", async () => {
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
  ])("a label named %p leaves as %p", async (label, part) => {
    host.answerBy(() => ({ body: { status: "success", data: ["x"] } }));
    const asked = run("label_values", { label });
    if (part === null) {
      await expect(asked).rejects.toThrow("Nothing was sent");
      await expect(asked).rejects.toBeInstanceOf(InvalidInputError);
      expect(host.takeSent()).toEqual([]);
    } else {
      await asked;
      expect(host.takeSent()[0]?.target).toContain(`/resources/label/${part}/values?`);
    }
  });
});

test("a label with a slash, which no store has, is told as a wrong name", async () => {
  host.answerBy(createLogHost({ lines: makeLines(1) }));
  const asked = run("label_values", { label: "app/name" });
  await expect(asked).rejects.toThrow("label is not a label name");
  await expect(asked).rejects.toBeInstanceOf(InvalidInputError);
});

describe("the row's address", () => {
  test.each([
    ["ftp://h", "must begin with"],
    ["http://h/grafana", "scheme and host only, such as http://h"],
    ["http://h/?a", "scheme and host only"],
    ["http://u:p@h", "holds a user name"],
  ])("%s is refused", async (base_url, words) => {
    const asked = run("query", { query: "{}" }, { config: { base_url } });
    await expect(asked).rejects.toThrow(words);
  });
});
