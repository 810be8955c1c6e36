import { createHash } from "node:crypto";
import { toJsonText } from "@hub/connector";
import { z } from "zod";
import { writeCanonical } from "../../operations/calls/call-digest.ts";
import type { CallContext } from "../../operations/operations.ts";
import { findPrincipal, formatPrincipal } from "../../operations/pending/principal.ts";
import { openAtRest, type SecretLocation, sealAtRest } from "../../secrets/at-rest/at-rest.ts";
import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import type { Params } from "../frames/frame.ts";

/** The `requestState` of results that need input. The client sends it back with its answers, to any server. */
export type RequestStates = {
  /** `kept` is JSON. What an outside system keeps in it is checked where it comes from. */
  seal(ctx: CallContext, params: Params, kept: unknown): Promise<string>;
  /** Null for a text that the hub did not seal for this principal and this request, or that is too old. */
  open(ctx: CallContext, params: Params, sealed: string): Promise<{ kept: unknown } | null>;
};

const stateSchema = z.strictObject({
  request: z.string(),
  sealedAt: z.number(),
  kept: z.unknown(),
});

/** As long as a question of the hub waits for its caller. */
const ageMsMax = 60 * 60_000;
/** The state of a server, of at most 16 KiB, grows as JSON and by its seal. */
const charsMax = 256 * 1024;

/** Sealed to the user and the principal: what another one was given does not open. */
export function createRequestStates({
  ring,
  now,
}: {
  ring: Pick<RingHolder, "current">;
  now(): number;
}): RequestStates {
  return {
    async seal(ctx, params, kept) {
      const state = { request: await digestParams(params), sealedAt: now(), kept };
      const sealed = sealAtRest(ring.current(), toLocation(ctx), toJsonText(state));
      return Buffer.from(sealed).toString("base64url");
    },
    async open(ctx, params, sealed) {
      const state = openState(ring.current(), toLocation(ctx), sealed);
      if (state === null || now() - state.sealedAt > ageMsMax) return null;
      return state.request === (await digestParams(params)) ? { kept: state.kept } : null;
    },
  };
}

function openState(
  ring: ReturnType<RingHolder["current"]>,
  location: SecretLocation,
  sealed: string,
) {
  if (sealed.length > charsMax || !/^[\w-]+$/.test(sealed)) return null;
  try {
    const text = openAtRest(ring, location, Buffer.from(sealed, "base64url"));
    return stateSchema.parse(JSON.parse(text));
  } catch {
    // Forged, altered, of another principal or of a removed key: the result is the same.
    return null;
  }
}

function toLocation(ctx: CallContext): SecretLocation {
  const field = formatPrincipal(findPrincipal(ctx));
  return { table: "mcp-request-state", row: ctx.caller.userId, field };
}

/** The digest of what must be equal in the repeated request. */
async function digestParams({ name, arguments: args }: Params): Promise<string> {
  const text = await writeCanonical([name ?? null, args ?? null]);
  return createHash("sha256").update(text).digest("base64url");
}
