import { ApiError } from "./api-error.ts";
import { parseExactJson } from "./exact-json.ts";

/**
 * Reads the events of long work: each step goes to `onProgress`, and the last event is the answer or
 * the failure, which is thrown.
 */
export async function readEvents(
  response: Response,
  onProgress: (progress: unknown) => void,
): Promise<unknown> {
  for await (const frame of listFrames(response)) {
    if ("progress" in frame) onProgress(frame.progress);
    else if ("result" in frame) return frame.result;
    else throw toFailure(frame);
  }
  throw new ApiError({ error: lost, code: "unreachable" }, 0);
}

const lost =
  "The connection ended before the hub was done. The hub goes on with what it has begun. Look again in a moment.";

/** The failure that an event names. */
export function toFailure({ error, code, ...detail }: Record<string, unknown>): ApiError {
  return new ApiError({ error: String(error), code: String(code), ...detail }, 200);
}

/** The data of each event of a stream. */
export async function* listFrames(response: Response): AsyncGenerator<Record<string, unknown>> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      const events = (text + next.value).split("\n\n");
      text = events.pop() ?? "";
      for (const event of events) {
        const data = /^data: (.*)$/m.exec(event)?.[1];
        if (data !== undefined) yield Object(parseExactJson(data));
      }
    }
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw new ApiError({ error: lost, code: "unreachable" }, 0, { cause });
  }
}
