import { changeTools } from "./change-tools.ts";

/** Passes requests on to an MCP server. Once `isChanged` returns true, it changes the tools in the answers. */
export function startToolsProxy(
  origin: string,
  isChanged: () => boolean,
): Disposable & { url: string } {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const headers = new Headers(request.headers);
      for (const name of ["host", "accept-encoding", "connection"]) headers.delete(name);
      const body = await request.text();
      const answer = await fetch(origin + pathname + search, {
        method: request.method,
        headers,
        signal: request.signal,
        ...(body !== "" && { body }),
      });
      const { status } = answer;
      const passed = new Headers(answer.headers);
      for (const name of ["content-encoding", "content-length"]) passed.delete(name);
      if (passed.get("content-type")?.startsWith("application/json") === true) {
        const text = await answer.text();
        return new Response(isChanged() ? changeTools(text) : text, { status, headers: passed });
      }
      const changed = answer.body?.pipeThrough(changeEvents(isChanged)) ?? null;
      return new Response(changed, { status, headers: passed });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

/** Each message is a line of a stream of events. */
function changeEvents(isChanged: () => boolean) {
  const decoder = new TextDecoder();
  let rest = "";
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      const changed = lines.map((line) =>
        isChanged() && line.startsWith("data: {") ? `data: ${changeTools(line.slice(6))}` : line,
      );
      if (lines.length > 0) controller.enqueue(Buffer.from(`${changed.join("\n")}\n`));
    },
  });
}
