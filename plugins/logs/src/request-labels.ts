import {
  InvalidInputError,
  isJsonObject,
  type Json,
  toPathPart,
  UpstreamError,
} from "@hub/connector";
import type { HostContext } from "./logs-config-fields.ts";
import { requestResource, toShapeError } from "./request-logs.ts";
import { toNsQuery, type Window } from "./time/window.ts";

/** Requests the label names of a window. The window is always sent, because some log stores need it. */
export async function requestLabels(
  ctx: HostContext,
  window: Window,
  signal?: AbortSignal,
): Promise<string[]> {
  return readNames(await requestResource(ctx, "labels", toNsQuery(window), signal));
}

const labelCharsMax = 1024;

/** Requests the values of one label in a window. */
export async function requestLabelValues(
  ctx: HostContext,
  label: string,
  window: Window,
  signal?: AbortSignal,
): Promise<string[]> {
  const refuse = (problem: string): never => {
    throw new InvalidInputError("label", `${problem}. Nothing was sent.`);
  };
  if (label.length > labelCharsMax) refuse(`is longer than ${labelCharsMax} characters`);
  const part = toPathPart(label, refuse);
  const resource = `label/${part}/values`;
  const answer = requestResource(ctx, resource, toNsQuery(window), signal);
  return readNames(await answer.catch((thrown) => explainName(label, thrown)));
}

/** Explains a 404: the host has no address for a name that is not a valid label name. */
function explainName(label: string, thrown: unknown): never {
  const isUnknown = thrown instanceof UpstreamError && thrown.httpStatus === 404;
  if (!isUnknown || !label.includes("/")) throw thrown;
  throw new InvalidInputError(
    "label",
    "is not a label name. Label names have letters, digits and _. labels lists them",
  );
}

/** Reads the names in an answer of the log store's label addresses. `data` is null if there are none. */
function readNames(answer: Json): string[] {
  if (!isJsonObject(answer)) throw toShapeError();
  const { data } = answer;
  if (data === undefined || data === null) return [];
  if (!Array.isArray(data)) throw toShapeError();
  return [...new Set(data.filter((name) => typeof name === "string" && name !== ""))];
}
