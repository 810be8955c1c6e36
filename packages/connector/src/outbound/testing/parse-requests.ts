export type ParsedRequest = {
  method: string;
  target: string;
  /** By lower-case name. */
  headers: Map<string, string>;
  framing: "length" | "chunked" | "none";
  body: Buffer;
};

type Head = Omit<ParsedRequest, "body">;

const requestLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\S+) HTTP\/1\.1$/;
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): *(.*?) *$/;

/** Reads the requests of one connection, strictly by RFC 9112. */
export function createRequestParser() {
  let received = Buffer.alloc(0);
  let head: Head | null = null;

  return {
    /** The requests that are complete with these bytes. Throws for bytes that are no request. */
    push(bytes: Buffer): ParsedRequest[] {
      received = Buffer.concat([received, bytes]);
      const complete: ParsedRequest[] = [];
      for (;;) {
        if (head === null) {
          const end = received.indexOf("\r\n\r\n");
          if (end === -1) return complete;
          head = parseHead(received.toString("latin1", 0, end));
          received = received.subarray(end + 4);
        }
        const found = takeBody(head, received);
        if (found === null) return complete;
        complete.push({ ...head, body: found.body });
        received = received.subarray(found.length);
        head = null;
      }
    },
  };
}

function parseHead(text: string): Head {
  const [first = "", ...lines] = text.split("\r\n");
  const [, method = "", target = ""] = requestLine.exec(first) ?? fail(first);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name = "", value = ""] = headerLine.exec(line) ?? fail(line);
    if (headers.has(name.toLowerCase())) fail(`${line}, twice`);
    headers.set(name.toLowerCase(), value);
  }
  if (!headers.has("host")) fail("no Host header");
  const coding = headers.get("transfer-encoding");
  const length = headers.get("content-length");
  if (coding !== undefined && (coding !== "chunked" || length !== undefined)) fail(coding);
  if (length !== undefined && !/^\d{1,9}$/.test(length)) fail(`Content-Length: ${length}`);
  const framing = coding !== undefined ? "chunked" : length !== undefined ? "length" : "none";
  return { method, target, headers, framing };
}

function takeBody(head: Head, bytes: Buffer): { body: Buffer; length: number } | null {
  if (head.framing === "chunked") return takeChunks(bytes);
  const length = Number(head.headers.get("content-length") ?? 0);
  return bytes.length < length ? null : { body: bytes.subarray(0, length), length };
}

function takeChunks(bytes: Buffer): { body: Buffer; length: number } | null {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd === -1) return null;
    const size = bytes.toString("latin1", at, lineEnd);
    if (!/^[0-9a-fA-F]{1,8}$/.test(size)) fail(`the chunk size ${size}`);
    const start = lineEnd + 2;
    const end = start + Number.parseInt(size, 16);
    if (bytes.length < end + 2) return null;
    if (bytes.toString("latin1", end, end + 2) !== "\r\n") fail("a chunk that is too long");
    if (end === start) return { body: Buffer.concat(chunks), length: end + 2 };
    chunks.push(bytes.subarray(start, end));
    at = end + 2;
  }
}

function fail(text: string): never {
  throw new Error(`Not a request: ${text}`);
}
