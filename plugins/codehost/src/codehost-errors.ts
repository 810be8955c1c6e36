import {
  cutText,
  endSentence,
  isJsonObject,
  type Json,
  parseJson,
  UpstreamError,
} from "@hub/connector";
import { emptyAdvice, saysEmpty } from "./empty-repository.ts";
import { findMissingPermission } from "./errors/permission.ts";
import { findRateLimit, findRateLimitWait } from "./errors/rate-limit.ts";
import { describeRefusal } from "./errors/refusal.ts";

/** The maximum length of the host's message in an error. */
const messageCharsMax = 1000;

/** Converts a refusal to an error with the host's message and advice. */
export function toHostError(
  response: Response,
  text: string,
  secrets: readonly string[],
): UpstreamError {
  const body = parseBody(text);
  const hostMessage = cutText(describeRefusal(body), messageCharsMax, secrets).trimEnd();
  const heading = `The code host answered ${response.status}${hostMessage === "" ? "" : `: ${endSentence(hostMessage)}`}`;
  const advice = findAdvice(response, hostMessage);
  const waitS = findRateLimitWait(response, hostMessage);
  return new UpstreamError([endSentence(heading), advice].filter(Boolean).join(" "), {
    httpStatus: response.status,
    ...(waitS !== null && { retryAfterS: waitS }),
    ...(isJsonObject(body) && { body: toShortBody(body) }),
  });
}

function parseBody(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    // The page of a proxy is not shown; its status is enough.
    return null;
  }
}

/** Omits `documentation_url` and the status, which repeat the message. */
function toShortBody({ message, errors }: Record<string, Json>): Json {
  return { ...(message !== undefined && { message }), ...(errors !== undefined && { errors }) };
}

function findAdvice(response: Response, hostMessage: string): string {
  const { status, headers } = response;
  const limit = findRateLimit(response, hostMessage);
  if (limit !== null) return limit;
  if (saysEmpty(hostMessage)) return emptyAdvice;
  const missing = status === 403 || status === 404 ? findMissingPermission(headers) : null;
  if (status === 404) return [notFound, missing].filter(Boolean).join(" ");
  return missing ?? adviceByStatus[status] ?? (status >= 500 ? "Try again later." : "");
}

const notFound =
  "It does not exist, or the token has no access to it; for a private repository both look the same. Check owner, repo and the other params. get_me shows the token's account.";

const moved =
  "The repository has moved, and changes are not redirected. Get the new name (full_name) with get_repo and call again with it.";

const adviceByStatus: Record<number, string> = {
  301: moved,
  302: moved,
  307: moved,
  308: moved,
  401: "The row's token is not valid, or has expired. Ask an admin to set a new one.",
  403: "The token may not do this. Its account may lack the permission in this repository, or the repository may be archived.",
  405: "This is not possible in the current state. See mergeable_state of get_pr. The pull request's page lists missing checks and reviews.",
  409: "The object has changed since it was read, or there is a conflict. Read it again, then decide.",
  410: "It was deleted, or is disabled in this repository.",
  422: "Correct the inputs that the host names, then call again.",
};
