/** An answer of an outside system, of about the given size, that is expensive to process. */
export type HostileShape = {
  contentType: string;
  status?: number;
  write(bytes: number, secret: string): string;
};

const json = "application/json";
const text = "text/plain";

const repeat = (part: string, bytes: number) =>
  part.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(part))));

/** Nests JSON in JSON strings. Each layer escapes the one before. */
function nestStrings(inner: string, layers: number): string {
  return layers === 0 ? inner : nestStrings(JSON.stringify(inner), layers - 1);
}

const toPercent = (given: string) =>
  [...given].map((char) => `%${char.charCodeAt(0).toString(16)}`).join("");

/** Repeats the secret, each time with a different set of escaped characters. */
function writeVariants(bytes: number, secret: string): string {
  const variants: string[] = [];
  for (let size = 0, at = 0; size < bytes; at += 1) {
    const variant = [...secret]
      .map((char, bit) => ((at >> (bit % 24)) & 1 ? toPercent(char) : char))
      .join("");
    variants.push(variant);
    size += variant.length + 1;
  }
  return variants.join(" ");
}

export const hostileShapes: Record<string, HostileShape> = {
  plain_text: { contentType: text, write: (bytes) => repeat("lorem ipsum dolor ", bytes) },
  json_in_json: {
    contentType: json,
    write: (bytes) => nestStrings(repeat('{"a":"\\u0041"},', bytes / 8), 3),
  },
  nested_arrays: {
    contentType: json,
    write: (bytes) => "[".repeat(bytes / 2) + "]".repeat(bytes / 2),
  },
  nested_objects: { contentType: json, write: (bytes) => repeat('[{"a":', bytes) },
  many_numbers: { contentType: json, write: (bytes) => `[${repeat("1,", bytes - 3)}1]` },
  many_arrays: { contentType: json, write: (bytes) => `[${repeat("[],", bytes - 4)}[]]` },
  many_keys: {
    contentType: json,
    write: (bytes) =>
      `{${Array.from({ length: bytes / 12 }, (_, at) => `"${at.toString(36).padStart(6, "k")}":1`).join()}}`,
  },
  many_keys_with_secret: {
    contentType: json,
    write: (bytes, secret) =>
      `{${Array.from({ length: bytes / (secret.length + 12) }, (_, at) => `"${secret}${at.toString(36).padStart(6, "k")}":1`).join()}}`,
  },
  long_numbers: {
    contentType: json,
    write: (bytes) => `[${repeat(`1${"0".repeat(396)}1,`, bytes)}1]`,
  },
  secrets: { contentType: text, write: (bytes, secret) => repeat(`${secret} `, bytes) },
  secrets_in_list: {
    contentType: json,
    write: (bytes, secret) => `[${repeat(`"${secret}",`, bytes)}1]`,
  },
  secret_variants: { contentType: text, write: writeVariants },
  beginnings_of_secret: {
    contentType: text,
    write: (bytes, secret) => repeat(secret.slice(0, -1), bytes),
  },
  beginnings_in_base64: {
    contentType: text,
    write: (bytes, secret) => repeat(btoa(secret).slice(0, -4), bytes),
  },
  percent_of_percent: { contentType: text, write: (bytes) => repeat("%25", bytes) },
  mixed_escapes: {
    contentType: text,
    write: (bytes) => repeat("\\u0025%5cu0026&#x5c;&amp;%26amp;+%2b\\\\", bytes),
  },
  entities: { contentType: text, write: (bytes) => repeat("&amp;amp;", bytes) },
  backslashes: { contentType: text, write: (bytes) => "\\".repeat(bytes) },
  control_characters: { contentType: text, write: (bytes) => "\u0001".repeat(bytes) },
  line_breaks: { contentType: text, write: (bytes) => repeat("ab\r\n\t", bytes) },
  forged_tokens: { contentType: text, write: (bytes) => repeat("hub_enc_AQAAAAAAAP__", bytes) },
  an_error_page: {
    contentType: json,
    status: 500,
    write: (bytes, secret) => `{"message":"${repeat(`${secret} failed `, bytes)}"}`,
  },
};

/** An outside system that answers `/SHAPE/BYTES` with the answer of that shape and size. */
export type HostileHost = AsyncDisposable & {
  url: string;
  /** Resolves when the next answer has been sent completely. */
  sent(): Promise<void>;
};

export function startHostileHost(secret: string): HostileHost {
  let isSent = Promise.withResolvers<void>();
  const bodies = new Map<string, Uint8Array>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(req) {
      const { pathname } = new URL(req.url);
      const [, name = "", bytes = ""] = pathname.split("/");
      const shape = hostileShapes[name];
      if (shape === undefined) return new Response("no such shape", { status: 404 });
      const body = bodies.get(pathname) ?? Buffer.from(shape.write(Number(bytes), secret));
      bodies.set(pathname, body);
      const stream = new ReadableStream<Uint8Array>(
        { pull: sendPart(body, () => isSent.resolve()) },
        { highWaterMark: 0 },
      );
      const headers = { "content-type": shape.contentType };
      return new Response(stream, { status: shape.status ?? 200, headers });
    },
  });
  return {
    url: server.url.origin,
    sent() {
      isSent = Promise.withResolvers<void>();
      return isSent.promise;
    },
    async [Symbol.asyncDispose]() {
      await server.stop(true);
    },
  };
}

const partBytes = 256 * 1024;

function sendPart(body: Uint8Array, onSent: () => void) {
  let at = 0;
  return (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (at < body.length) controller.enqueue(new Uint8Array(body.subarray(at, at + partBytes)));
    at += partBytes;
    if (at < body.length) return;
    controller.close();
    onSent();
  };
}
