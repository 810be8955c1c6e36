import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import protobuf from "protobufjs";
import { waitFor } from "./wait-for.ts";

/** A span as it was received. Ids are in hex. */
export type ReceivedSpan = {
  traceId: string;
  spanId: string;
  /** Empty for the first span of a trace. */
  parentSpanId: string;
  traceState: string;
  name: string;
  kind: "internal" | "server" | "client";
  attributes: Record<string, string | number | boolean>;
  links: Array<{ traceId: string; spanId: string }>;
  /** Null if the span has not failed. */
  error: { message: string } | null;
  startNano: bigint;
  endNano: bigint;
  service: string;
};

type Answer = (res: ServerResponse) => void;

/** A collector for OTLP over HTTP in protobuf that refuses what the protocol does not allow. */
export type OtlpCollector = AsyncDisposable & {
  url: string;
  spans(): ReceivedSpan[];
  /** All received bytes and headers as latin1. */
  received(): string;
  /** What was wrong with the requests. */
  faults(): string[];
  headers(): Array<Record<string, string | string[] | undefined>>;
  /** Waits until a span that fits has arrived. */
  waitForSpan(fits: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan>;
  /** Replaces the answer to later requests. Null is the protocol's own answer. */
  answerBy(answer: Answer | null): void;
  requests(): number;
};

const protocol = `
syntax = "proto3";
message Request { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; string schema_url = 3; }
message Resource { repeated KeyValue attributes = 1; uint32 dropped_attributes_count = 2; }
message ScopeSpans { Scope scope = 1; repeated Span spans = 2; string schema_url = 3; }
message Scope { string name = 1; string version = 2; repeated KeyValue attributes = 3; uint32 dropped_attributes_count = 4; }
message Span {
  bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; fixed32 flags = 16;
  string name = 5; int32 kind = 6; fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8;
  repeated KeyValue attributes = 9; uint32 dropped_attributes_count = 10;
  repeated Event events = 11; uint32 dropped_events_count = 12;
  repeated Link links = 13; uint32 dropped_links_count = 14; Status status = 15;
}
message Event { fixed64 time_unix_nano = 1; string name = 2; repeated KeyValue attributes = 3; uint32 dropped_attributes_count = 4; }
message Link { bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; repeated KeyValue attributes = 4; uint32 dropped_attributes_count = 5; fixed32 flags = 6; }
message Status { string message = 2; int32 code = 3; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; ArrayValue array_value = 5; KeyValueList kvlist_value = 6; bytes bytes_value = 7; } }
message ArrayValue { repeated AnyValue values = 1; }
message KeyValueList { repeated KeyValue values = 1; }`;

const requestType = protobuf.parse(protocol).root.lookupType("Request");

export async function startOtlpCollector(): Promise<OtlpCollector> {
  const spans: ReceivedSpan[] = [];
  const faults: string[] = [];
  const headers: IncomingMessage["headers"][] = [];
  let received = "";
  let requests = 0;
  let answer: Answer | null = null;
  const server = createServer((req, res) => {
    const parts: Buffer[] = [];
    requests += 1;
    req.on("data", (part: Buffer) => parts.push(part));
    req.on("end", () => {
      const body = Buffer.concat(parts);
      received += `${JSON.stringify(req.headers)}${body.toString("latin1")}`;
      headers.push(req.headers);
      if (answer !== null) return answer(res);
      try {
        checkRequest(req);
        spans.push(...decode(body));
        res.writeHead(200, { "content-type": "application/x-protobuf" }).end();
      } catch (thrown) {
        faults.push(String(thrown));
        res.writeHead(400).end();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    spans: () => [...spans],
    received: () => received,
    faults: () => [...faults],
    headers: () => [...headers],
    requests: () => requests,
    waitForSpan: (fits) => waitFor(() => spans.find(fits)),
    answerBy(next) {
      answer = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function checkRequest({ method, url, headers }: IncomingMessage): void {
  check(method === "POST", "the method is POST");
  check(url === "/v1/traces", "the path is /v1/traces");
  check(headers["content-type"] === "application/x-protobuf", "the body is protobuf");
}

type Bytes = Uint8Array;
type KeyValue = { key: string; value: Record<string, unknown> | null };
type DecodedSpan = {
  traceId: Bytes;
  spanId: Bytes;
  parentSpanId: Bytes;
  traceState: string;
  name: string;
  kind: number;
  attributes: KeyValue[];
  links: Array<{ traceId: Bytes; spanId: Bytes }>;
  status: { message: string; code: number } | null;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
};
type Decoded = {
  resourceSpans: Array<{
    resource: { attributes: KeyValue[] } | null;
    scopeSpans: Array<{ scope: { name: string } | null; spans: DecodedSpan[] }>;
  }>;
};

function decode(body: Buffer): ReceivedSpan[] {
  const message = requestType.decode(body);
  // What the types do not have is not written again.
  check(requestType.encode(message).finish().length === body.length, "all fields are known");
  const options = { longs: String, defaults: true, arrays: true } as const;
  // Safe: these are the types of the protocol above.
  const { resourceSpans } = requestType.toObject(message, options) as Decoded;
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = readAttributes(resource?.attributes ?? [])["service.name"];
    check(typeof service === "string", "the resource has a service.name");
    return scopeSpans.flatMap(({ scope, spans }) => {
      check(scope !== null && scope.name !== "", "the scope has a name");
      return spans.map((span) => toReceived(span, String(service)));
    });
  });
}

const kinds = { 1: "internal", 2: "server", 3: "client" } as const;

function toReceived(span: DecodedSpan, service: string): ReceivedSpan {
  check(isId(span.traceId, 16), "a trace id has 16 bytes that are not all zero");
  check(isId(span.spanId, 8), "a span id has 8 bytes that are not all zero");
  check(
    span.parentSpanId.length === 0 || isId(span.parentSpanId, 8),
    "a parent's id has 8 bytes, or none",
  );
  check(span.name !== "", "a span has a name");
  const kind = kinds[span.kind as keyof typeof kinds];
  check(kind !== undefined, "a span has a known kind");
  const startNano = BigInt(span.startTimeUnixNano);
  const endNano = BigInt(span.endTimeUnixNano);
  check(startNano > 0n && endNano >= startNano, "a span ends after its start");
  const status = span.status ?? { code: 0, message: "" };
  check(status.code === 2 || status.message === "", "only an error has a message");
  return {
    traceId: toHex(span.traceId),
    spanId: toHex(span.spanId),
    parentSpanId: toHex(span.parentSpanId),
    traceState: span.traceState,
    name: span.name,
    kind,
    attributes: readAttributes(span.attributes),
    links: span.links.map(({ traceId, spanId }) => ({
      traceId: toHex(traceId),
      spanId: toHex(spanId),
    })),
    error: status.code === 2 ? { message: status.message } : null,
    startNano,
    endNano,
    service,
  };
}

function readAttributes(attributes: KeyValue[]): ReceivedSpan["attributes"] {
  const read: ReceivedSpan["attributes"] = {};
  for (const { key, value } of attributes) {
    check(key !== "" && !(key in read), "each attribute has a key of its own");
    const [given] = Object.entries(value ?? {});
    check(given !== undefined, `the attribute ${key} has a value`);
    const [type, content] = given ?? [];
    read[key] = type === "intValue" ? Number(content) : (content as string | number | boolean);
  }
  return read;
}

function isId(bytes: Bytes, length: number): boolean {
  return bytes.length === length && bytes.some((byte) => byte !== 0);
}

function toHex(bytes: Bytes): string {
  return Buffer.from(bytes).toString("hex");
}

function check(isTrue: boolean, rule: string): asserts isTrue {
  if (!isTrue) throw new Error(`A request breaks the rule: ${rule}.`);
}
