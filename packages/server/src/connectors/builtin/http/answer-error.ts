import { endSentence, readRequestedWait, toJsonText, UpstreamError } from "@hub/connector";
import { UnreadBody } from "../../../lib/streams/unread-body.ts";
import type { Answer } from "./answer.ts";

/**
 * A longer error page is omitted. Cutting it could split a secret, and masking does not find half of a
 * secret.
 */
const bodyCharsMax = 8192;
const wordsCharsMax = 500;

type Asked = { method: string; statusText: string };

/** The error for an answer with a status of 400 or above, made of `response`, which has headers that an answer lacks. */
export function toAnswerError(
  answer: Answer,
  { method, response, now }: { method: string; response: Response; now: number },
): UpstreamError {
  const waitS = readRequestedWait(response, { now, body: answer.body });
  const { statusText } = response;
  const sentences = [...describeAnswer(answer, { method, statusText }), advise(answer, waitS)];
  return new UpstreamError(sentences.join(" ").trim(), {
    httpStatus: answer.status,
    ...(waitS !== null && { retryAfterS: waitS }),
    body: toExcerpt(answer.body),
  });
}

/** What the server answered, and its own words, as sentences. */
export function describeAnswer({ status, body }: Answer, asked: Asked): string[] {
  const said = findWords(body);
  return [
    // Without the path: it may contain an encrypted value, which must not be quoted in part.
    `The server answered ${asked.method} with ${`${status} ${asked.statusText}`.trim()}.`,
    ...(said === null ? [] : [`The server says: ${said}`]),
  ];
}

function advise({ status }: Answer, waitS: number | null): string {
  if (status === 401) return "It refused the row's credentials. Ask an admin to check them.";
  if (status === 403) return "The row's credentials do not allow this.";
  if (status === 404) return "Check the path.";
  if (status === 400 || status === 422) return "Check path, query and body against the API.";
  if (status === 429) {
    return `Too many calls. Wait ${waitS === null ? "some time" : `${waitS} s`}, then try again.`;
  }
  return status >= 500 ? "The server failed. Try again later." : "";
}

/** Finds the message that most APIs include in an error. */
function findWords(body: unknown): string | null {
  if (typeof body !== "object" || body === null) return null;
  for (const name of ["message", "error_description", "detail", "title", "error"]) {
    const value: unknown = Object.getOwnPropertyDescriptor(body, name)?.value;
    if (typeof value === "string" && value !== "") {
      return value.length > wordsCharsMax ? null : endSentence(value);
    }
    if (name === "error") return findWords(value);
  }
  return null;
}

export function toExcerpt(body: unknown): unknown {
  if (body === null) return undefined;
  if (body instanceof UnreadBody) {
    return { left_out: "The answer is too long to show.", bytes: body.bytes.length };
  }
  const chars = typeof body === "string" ? body.length : toJsonText(body).length;
  return chars <= bodyCharsMax ? body : { left_out: "The answer is too long to show.", chars };
}
