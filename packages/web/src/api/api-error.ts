import type { Problem } from "@hub/contract/problem-document.ts";
import { formatSpan } from "../ui/text/format.ts";
import { parseExactJson } from "./exact-json.ts";

/** A failure of the API. `message` says what to do next and can be shown. */
export class ApiError extends Error {
  readonly code: string;
  /** 0 if there was no answer. */
  readonly status: number;
  /** Further members of the answer, such as `issues`. */
  readonly detail: Record<string, unknown>;

  constructor(
    { error, code, ...detail }: Problem & Record<string, unknown>,
    status: number,
    options?: ErrorOptions,
  ) {
    super(error, options);
    this.code = code;
    this.status = status;
    this.detail = detail;
  }

  static unreachable(cause: unknown): ApiError {
    const error = "The hub does not answer. Check your connection, and that the hub runs.";
    return new ApiError({ error, code: "unreachable" }, 0, { cause });
  }
}

/** The failure in an answer. A proxy in between may answer with something else than JSON. */
export async function toApiError(response: Response): Promise<ApiError> {
  const { status } = response;
  const body: unknown = await response.json().catch(() => null);
  if (isProblem(body)) return new ApiError(body, status);
  return toForeignError(response);
}

/** The content of an answer. Throws `ApiError` if it is cut, or not from the hub. */
export async function readAnswer(response: Response): Promise<unknown> {
  let text: string;
  try {
    text = await response.text();
  } catch (cause) {
    throw ApiError.unreachable(cause);
  }
  try {
    return parseExactJson(text);
  } catch {
    throw toForeignError(response);
  }
}

/** An answer of a proxy, or of the page with which a network asks to sign in. */
function toForeignError({ status, headers }: Response): ApiError {
  const seconds = /^\d{1,5}$/.exec(headers.get("retry-after") ?? "")?.[0];
  const next = seconds === undefined ? "Try again" : `Try again in ${formatSpan(Number(seconds))}`;
  const error = `The answer has the status ${status} and is not from the hub. ${next}, or ask who runs the proxy in between.`;
  return new ApiError({ error, code: "internal" }, status);
}

function isProblem(body: unknown): body is Problem & Record<string, unknown> {
  if (typeof body !== "object" || body === null) return false;
  return "error" in body && "code" in body && typeof body.error === "string";
}

/** Any thrown value as an `ApiError`. */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  // The code of a page, which is loaded with its first visit.
  if (thrown instanceof TypeError && /import/i.test(thrown.message)) {
    return ApiError.unreachable(thrown);
  }
  const error = "This page has failed. Reload it. If it fails again, report it.";
  return new ApiError({ error, code: "internal" }, 0, { cause: thrown });
}
