import type { IncomingMessage } from "node:http";
import { toBytesText } from "../bytes-text.ts";
import { watchChunkSizes } from "./chunk-sizes.ts";
import type { Deadline } from "./deadline.ts";
import { decompress } from "./decompress.ts";
import { toNetworkError } from "./network-error.ts";
import { OutboundError } from "./outbound-error.ts";
import type { OutboundRequest } from "./outbound-request.ts";

type ResponseOptions = { deadline: Deadline; bodyBytesMax: number; redirected: boolean };

/**
 * The answer as a Response whose body is read on demand, with the deadline and the size limit.
 * Bytes are counted after decompression, because Bun's own `fetch` continues to expand a
 * decompression bomb after a cancellation.
 */
export async function toResponse(
  request: OutboundRequest,
  message: IncomingMessage,
  options: ResponseOptions,
): Promise<Response> {
  const status = message.statusCode ?? 0;
  const { host } = request.url;
  if (status < 200 || status > 599) {
    message.destroy();
    throw new OutboundError(
      "network",
      `${host} answered with status ${status}, which is not an HTTP status.`,
    );
  }
  const headers = toHeaders(message);
  const body = hasBody(request.method, status)
    ? ((await takeArrived(message, headers, options)) ?? openBody(message, headers, host, options))
    : null;
  if (body === null) message.resume();
  if (body === null || body instanceof Uint8Array) options.deadline.clear();
  const response = new Response(body, { status, statusText: message.statusMessage ?? "", headers });
  Object.defineProperty(response, "url", { value: request.url.href });
  Object.defineProperty(response, "redirected", { value: options.redirected });
  return response;
}

function toHeaders(message: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(message.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  return headers;
}

function hasBody(method: string, status: number): boolean {
  return method !== "HEAD" && status !== 204 && status !== 205 && status !== 304;
}

/** The body, if all of it has arrived with the headers, as that of most short answers. A stream takes longer. */
async function takeArrived(
  message: IncomingMessage,
  headers: Headers,
  { deadline, bodyBytesMax }: ResponseOptions,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const { complete, readableLength: length } = message;
  if (!complete || length === 0 || length > bodyBytesMax) return null;
  if (headers.has("content-encoding") || deadline.signal.aborted) return null;
  const chunks: Buffer<ArrayBuffer>[] = [];
  const ended = new Promise((resolve) => message.once("close", resolve));
  // The last read returns null, and ends the message. Then the next request can use its connection.
  for (let chunk = message.read(); chunk !== null; chunk = message.read()) chunks.push(chunk);
  await ended;
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
}

/** What compression may add to a body that it cannot shorten: some bytes for each block, and a header. */
const compressionBytesMax = 64 * 1024;

function openBody(
  message: IncomingMessage,
  headers: Headers,
  host: string,
  { deadline, bodyBytesMax }: ResponseOptions,
): ReadableStream<Uint8Array> {
  const tooLarge = () =>
    new OutboundError(
      "body_too_large",
      `The answer of ${host} is larger than ${toBytesText(bodyBytesMax)}. Request less data at a time, such as a smaller page.`,
    );
  const close = () => {
    deadline.signal.removeEventListener("abort", close);
    deadline.clear();
    message.destroy();
  };
  deadline.signal.addEventListener("abort", close, { once: true });
  if (Number(headers.get("content-length") ?? 0) > bodyBytesMax) {
    close();
    throw tooLarge();
  }
  const body = decompress(message, headers, {
    host,
    bytesMax: bodyBytesMax + compressionBytesMax,
    toTooLarge: tooLarge,
  });
  const chunks = body[Symbol.asyncIterator]();
  // Before decompression, since its chunks are large.
  const sizes = body === message ? watchChunkSizes(host) : null;
  let bytesRead = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next();
          if (done) {
            deadline.signal.throwIfAborted();
            close();
            controller.close();
            return;
          }
          bytesRead += value.byteLength;
          sizes?.add(value.byteLength);
          if (bytesRead > bodyBytesMax) throw tooLarge();
          controller.enqueue(value);
        } catch (thrown) {
          const reason = deadline.signal.aborted ? deadline.signal.reason : null;
          close();
          controller.error(reason ?? toNetworkError(host, thrown));
        }
      },
      async cancel() {
        close();
        await chunks.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
