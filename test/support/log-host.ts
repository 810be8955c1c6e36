import type { AnswerRequest, HostAnswer, SentRequest } from "./recording-host.ts";

export type StoredLine = {
  timeNs: bigint;
  labels: Record<string, string>;
  line: string;
  /** Structured metadata of Loki 3, which is separate from the labels. */
  metadata?: Record<string, string>;
};

/** The format of a log frame, which depends on the version of the dashboard host. */
export type FrameShape = "tsNs" | "nanos" | "old";

export type LogHostOptions = {
  lines: StoredLine[];
  shape?: FrameShape;
  /** The Authorization header that the host accepts. */
  authorization?: string;
  /** The maximum number of lines in one answer. */
  linesMax?: number;
  /** Loki's limit for one answer. Above it, the dashboard host returns a success without lines. */
  answerBytesMax?: number;
  /** Loki refuses connections. */
  isDown?: boolean;
};

/** Newer lines are not flushed to chunks yet, so statistics do not count them. */
const flushedNs = 2n * 3_600_000_000_000n;

/** Answers as a dashboard host with one log datasource, `loki-1`, in organisation 1. */
export function createLogHost(options: LogHostOptions): AnswerRequest {
  return (sent) => {
    const url = new URL(sent.target, "http://host");
    if (url.pathname === "/api/health") return { body: { database: "ok", version: "11.2.0" } };
    const { authorization = sent.headers.authorization } = options;
    if (sent.headers.authorization === undefined || sent.headers.authorization !== authorization) {
      return { status: 401, body: { message: "Invalid username or password" } };
    }
    if (url.pathname === "/api/user/orgs") {
      return { body: [{ orgId: 1, name: "Main Org.", role: "Viewer" }] };
    }
    if (url.pathname === "/api/datasources") {
      return {
        body: [
          { uid: "prom-1", name: "Metrics", type: "prometheus" },
          { uid: "loki-1", name: "Logs", type: "loki" },
        ],
      };
    }
    if (options.isDown) return answerDown(url.pathname);
    if (url.pathname === "/api/ds/query") return answerQuery(options, sent);
    const resource = url.pathname.split("/api/datasources/uid/loki-1/resources/")[1];
    if (resource === undefined) return { status: 404, body: { message: "Not found" } };
    return answerResource(options, resource, url.searchParams);
  };
}

/** Grafana's errors, which differ by address. */
function answerDown(path: string): HostAnswer {
  if (path !== "/api/ds/query") {
    const message = "An error occurred within the plugin";
    return { status: 500, body: { message, messageId: "plugin.downstreamError", statusCode: 500 } };
  }
  const error =
    'Get "http://loki:3100/loki/api/v1/query_range?direction=backward": dial tcp 10.0.0.5:3100: connect: connection refused';
  return { status: 400, body: { results: { A: { error, status: 400, frames: [] } } } };
}

function answerQuery(options: LogHostOptions, sent: SentRequest): HostAnswer {
  const { from, to, queries } = JSON.parse(sent.body);
  const [{ expr, maxLines, direction }] = queries;
  const { linesMax = 5000, answerBytesMax = 4 * 1024 * 1024 } = options;
  if (maxLines > linesMax) {
    const error = `max entries limit per query exceeded, limit > max_entries_limit (${maxLines} > ${linesMax})`;
    return { status: 400, body: { results: { A: { error, status: 400, frames: [] } } } };
  }
  // No test sends metric queries to this host.
  if (!expr.startsWith("{")) return { body: { results: { A: { status: 200, frames: [] } } } };
  // The dashboard host turns the querier's 400 into an empty 200.
  if (/\|~\s*"\("/.test(expr)) return { body: { results: { A: { status: 200, frames: [] } } } };
  const selector = /^[^{]*(\{[^}]*\})/.exec(expr)?.[1] ?? "";
  const filter = /\|=\s*("(?:[^"\\]|\\.)*")/.exec(expr)?.[1];
  const text = filter === undefined ? "" : JSON.parse(filter);
  const [, name, value] = /\|\s*(\w+)="([^"]*)"/.exec(expr) ?? [];
  const window = { startNs: BigInt(from) * 1_000_000n, endNs: BigInt(to) * 1_000_000n };
  const found = findLines(options.lines, selector, window).filter(
    ({ line, labels, metadata = {} }) =>
      line.includes(text) && (name === undefined || { ...labels, ...metadata }[name] === value),
  );
  found.sort((a, b) => Number(a.timeNs - b.timeNs));
  if (direction === "backward") found.reverse();
  const page = found.slice(0, maxLines);
  const bytes = page.reduce((sum, { line }) => sum + line.length, 0);
  const isSwallowed = bytes > answerBytesMax;
  const frame = toFrame(isSwallowed ? [] : page, options.shape ?? "tsNs");
  return { body: { results: { A: { status: 200, frames: [frame] } } } };
}

function answerResource(
  { lines }: LogHostOptions,
  resource: string,
  search: URLSearchParams,
): HostAnswer {
  if (!search.has("start") || !search.has("end")) {
    return { status: 500, body: { message: "a range is needed" } };
  }
  const window = {
    startNs: BigInt(search.get("start") ?? 0),
    endNs: BigInt(search.get("end") ?? 0),
  };
  const found = findLines(lines, search.get("query") ?? "", window);
  if (resource === "index/stats") {
    const now = BigInt(Date.now()) * 1_000_000n;
    const flushed = found.filter(({ timeNs }) => timeNs < now - flushedNs);
    const streams = new Set(flushed.map(({ labels }) => JSON.stringify(labels))).size;
    return { body: { streams, chunks: streams, entries: flushed.length, bytes: 0 } };
  }
  const label = /^label\/([^/]+)\/values$/.exec(resource)?.[1];
  // The dashboard host decodes the path before it forwards the request.
  if (label !== undefined && decodeURIComponent(label).includes("/")) {
    return { status: 404, body: "404 page not found" };
  }
  const names =
    label === undefined
      ? found.flatMap(({ labels }) => Object.keys(labels))
      : found.flatMap(({ labels }) => labels[decodeURIComponent(label)] ?? []);
  const data = [...new Set(names)].sort();
  return { body: { status: "success", data: data.length === 0 ? null : data } };
}

/** Supports equality matchers and `=~".+"`, which the tests use. */
function findLines(
  lines: readonly StoredLine[],
  selector: string,
  { startNs, endNs }: { startNs: bigint; endNs: bigint },
): StoredLine[] {
  const matchers = [...selector.matchAll(/(\w+)="([^"]*)"/g)];
  const present = [...selector.matchAll(/(\w+)=~"\.\+"/g)];
  return lines.filter(
    ({ timeNs, labels }) =>
      timeNs >= startNs &&
      timeNs < endNs &&
      matchers.every(([, name = "", value]) => labels[name] === value) &&
      present.every(([, name = ""]) => labels[name] !== undefined),
  );
}

export function toFrame(lines: readonly StoredLine[], shape: FrameShape): unknown {
  const timesMs = lines.map(({ timeNs }) => Number(timeNs / 1_000_000n));
  const texts = lines.map(({ line }) => line);
  const labels = lines.map((each) => ({ ...each.labels, ...each.metadata }));
  const types = lines.map((each) => ({
    ...Object.fromEntries(Object.keys(each.labels).map((name) => [name, "I"])),
    ...Object.fromEntries(Object.keys(each.metadata ?? {}).map((name) => [name, "S"])),
  }));
  switch (shape) {
    case "tsNs":
      return {
        schema: {
          fields: [
            { name: "labels", type: "other" },
            { name: "Time", type: "time" },
            { name: "Line", type: "string" },
            { name: "tsNs", type: "string" },
            { name: "labelTypes", type: "other" },
            { name: "id", type: "string" },
          ],
        },
        data: {
          values: [
            labels,
            timesMs,
            texts,
            lines.map(({ timeNs }) => timeNs.toString()),
            types,
            lines.map((_, at) => `id_${at}`),
          ],
        },
      };
    case "nanos":
      return {
        schema: {
          fields: [
            { name: "timestamp", type: "time" },
            { name: "body", type: "string" },
            { name: "labels", type: "other" },
          ],
        },
        data: {
          values: [timesMs, texts, labels],
          nanos: [lines.map(({ timeNs }) => Number(timeNs % 1_000_000n)), null, null],
        },
      };
    case "old":
      return {
        schema: {
          fields: [
            { name: "__labels", type: "string" },
            { name: "TIME", type: "time" },
            { name: "LINE", type: "string" },
          ],
        },
        data: { values: [labels.map((each) => JSON.stringify(each)), timesMs, texts] },
      };
  }
}
