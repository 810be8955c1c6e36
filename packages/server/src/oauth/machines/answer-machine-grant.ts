import { createGuardedFetch } from "@hub/connector";
import type { Log } from "../../lib/logs/create-log.ts";
import type { Db } from "../../store/database/database.ts";
import type { HotReads } from "../../store/database/hot-reads.ts";
import { toResource } from "../endpoints.ts";
import type { ClientRequest } from "./authenticate-client.ts";
import { grantClientCredentials } from "./client-credentials.ts";
import { grantByIdJag, idJagType } from "./id-jag-grant.ts";
import { createKeySets, type KeySets } from "./key-sets.ts";
import { checkTarget, readTokenParams } from "./read-token-params.ts";
import { TokenRefusal, toRefusalResponse } from "./token-refusal.ts";
import { readUnverified } from "./verify-assertion.ts";
import { grantByWorkload } from "./workload-grant.ts";

export type MachineGrantDeps = {
  db: Db;
  reads: Pick<HotReads, "findUserAccess">;
  now(): number;
  baseUrl: string;
  /** Private destinations that rows, and so issuers, may have. */
  outboundAllow: readonly string[];
  log: Pick<Log, "warn">;
};

/** Answers the token requests of programs: those that need no browser and no consent. */
export type MachineGrants = {
  /** For the grant types of `machineGrantTypes`. Refusals have the form of RFC 6749. */
  answer(params: URLSearchParams, from: Omit<ClientRequest, "params">): Promise<Response>;
};

/** An issuer answers within this time, and with so much. */
const fetchLimits = { timeoutMs: 5_000, connectTimeoutMs: 5_000, bodyBytesMax: 256 * 1024 };

export function createMachineGrants(deps: MachineGrantDeps): MachineGrants {
  const { outboundAllow: allow, now, log } = deps;
  const fetch = createGuardedFetch({
    ...fetchLimits,
    policy: { savedHosts: [], allow: [...allow] },
    advice: "Ask an admin to add its address to HUB_OUTBOUND_ALLOW.",
  });
  const keys = logFailures(createKeySets({ fetch, now }), log);
  return {
    async answer(given, from) {
      try {
        const params = readTokenParams(given);
        checkTarget(params, toResource(deps.baseUrl));
        return await grant({ ...deps, keys }, { ...from, params });
      } catch (thrown) {
        if (thrown instanceof TokenRefusal) return toRefusalResponse(thrown);
        throw thrown;
      }
    },
  };
}

async function grant(
  deps: MachineGrantDeps & { keys: KeySets },
  request: ClientRequest,
): Promise<Response> {
  const { params } = request;
  if (params.get("grant_type") === "client_credentials") {
    return await grantClientCredentials(deps, request);
  }
  const text = params.get("assertion");
  if (text === undefined) throw new TokenRefusal("invalid_request", "missing parameter: assertion");
  const assertion = await readUnverified(text);
  // The type decides, so that an assertion of one kind is never read as the other.
  return assertion.typ === idJagType || assertion.typ === `application/${idJagType}`
    ? await grantByIdJag(deps, assertion, request)
    : await grantByWorkload(deps, assertion, request);
}

/** Why keys could not be read is for admins: the client learns that they could not. */
function logFailures(keys: KeySets, log: MachineGrantDeps["log"]): KeySets {
  return {
    async find(source, options) {
      try {
        return await keys.find(source, options);
      } catch (err) {
        log.warn({ err, issuer: source.issuer }, "The keys of a trusted issuer cannot be read");
        throw err;
      }
    },
  };
}
