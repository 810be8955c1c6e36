import { ApiError } from "./api-error.ts";

type Sending = {
  method: string;
  url: string;
  headers: Headers;
  file: Blob;
  /** From 0 to 100, as the file is sent. */
  onPercent(percent: number): void;
  signal?: AbortSignal | undefined;
};

export type SendFile = (sending: Sending) => Promise<Response>;

/** Sends a file as the body. `fetch` does not say how much of a body it has sent. */
export const sendFile: SendFile = ({ method, url, headers, file, onPercent, signal }) => {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const request = new XMLHttpRequest();
  const encoder = new TextEncoder();
  let read = 0;
  let body: ReadableStreamDefaultController<Uint8Array> | null = null;
  const readMore = () => {
    body?.enqueue(encoder.encode(request.responseText.slice(read)));
    read = request.responseText.length;
  };
  const fail = (cause: unknown) => {
    const failure = ApiError.unreachable(cause);
    reject(failure);
    body?.error(failure);
  };
  request.upload.onprogress = ({ loaded, total }) =>
    onPercent(total > 0 ? (loaded * 100) / total : 0);
  request.onreadystatechange = () => {
    if (request.readyState !== XMLHttpRequest.HEADERS_RECEIVED) return;
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        body = controller;
      },
    });
    resolve(new Response(stream, { status: request.status }));
  };
  request.onprogress = readMore;
  request.onload = () => {
    readMore();
    body?.close();
  };
  request.onerror = fail;
  request.onabort = fail;
  request.open(method, url);
  for (const [name, value] of headers) request.setRequestHeader(name, value);
  signal?.addEventListener("abort", () => request.abort());
  request.send(file);
  return promise;
};
