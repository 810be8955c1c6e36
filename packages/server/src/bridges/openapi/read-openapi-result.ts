import { type Json, toBytesText } from "@hub/connector";
import { isReadable, readAnswer } from "../../connectors/builtin/http/answer.ts";
import { toAnswerError } from "../../connectors/builtin/http/answer-error.ts";
import type { AnswerBudget } from "../../connectors/connector-port.ts";

/** As base64 a third more, which is what a model or a workflow can still use. */
const binaryBytesMax = 192 * 1024;

/**
 * The result of a call: the JSON or the text of the answer itself, bytes as base64, or the headers of
 * a HEAD. Throws UpstreamError for a status of 400 or above.
 */
export async function readResult(
  response: Response,
  method: string,
  budget: AnswerBudget | undefined,
): Promise<Json> {
  const { status } = response;
  if (status < 400 && method !== "HEAD" && !isReadable(response)) {
    return await readBinary(response);
  }
  const answer = await readAnswer(response, method, budget);
  if (status >= 400) throw toAnswerError(answer, { method, response, now: Date.now() });
  if (method === "HEAD") return { status, headers: answer.headers };
  // An answer without content still shows that the call was successful.
  return answer.body ?? { status };
}

async function readBinary(response: Response): Promise<Json> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes <= binaryBytesMax) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (bytes === 0) return { status: response.status };
  const described = { content_type: response.headers.get("content-type") ?? "", bytes };
  if (bytes > binaryBytesMax) {
    return {
      ...described,
      left_out: `The answer is left out: it is not text, and longer than ${toBytesText(binaryBytesMax)}.`,
    };
  }
  return { ...described, base64: Buffer.concat(chunks).toString("base64") };
}
