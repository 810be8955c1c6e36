import type { ClientRequest } from "../../operations/operations.ts";
import type { Params } from "../frames/frame.ts";

/** What a call asks its client before it goes on. The client makes the same request again with its answers. */
export type NeededInput = {
  requests: Readonly<Record<string, ClientRequest>>;
  /** JSON that comes back with the answers, sealed. */
  kept: unknown;
};

/** What a request brings as answers to an earlier one. */
export type ClientInput = {
  /** By the keys of the requests. As the client wrote them: each reader checks its own. */
  responses: Params;
  /** Null if the hub kept nothing. */
  kept: unknown;
};

export const noInput: ClientInput = { responses: {}, kept: null };
