import { isJsonObject } from "@hub/connector";
import { hubPathKey, readHubPath } from "../../lib/hub-path.ts";
import type { CallContext } from "../../operations/operations.ts";
import type { Params } from "./frame.ts";

/** Adds the hubs that the message says it has passed. */
export function withHubPath(ctx: CallContext, { _meta: meta }: Params): CallContext {
  if (!isJsonObject(meta) || !(hubPathKey in meta)) return ctx;
  return { ...ctx, hubs: readHubPath(meta[hubPathKey]) };
}
