import type { Adapter, AdapterPayload } from "oidc-provider";
import type { StorageDeps } from "./storage-deps.ts";

/**
 * Stored times are of the clock that all servers share. The provider compares them with its machine's
 * clock, which may be minutes off, and would refuse a code that another server has just issued.
 */
export function onOwnClock(adapter: Adapter, { now }: Pick<StorageDeps, "now">): Adapter {
  const toAheadSeconds = () => Math.round((now() - Date.now()) / 1000);
  return {
    ...adapter,
    upsert: (id, payload, expiresIn) =>
      adapter.upsert(id, shift(payload, toAheadSeconds()), expiresIn),
    async find(id) {
      const payload = await adapter.find(id);
      return payload && shift(payload, -toAheadSeconds());
    },
  };
}

function shift(payload: AdapterPayload, seconds: number): AdapterPayload {
  if (seconds === 0) return payload;
  const { exp, iat } = payload;
  return {
    ...payload,
    ...(exp !== undefined && { exp: exp + seconds }),
    ...(iat !== undefined && { iat: iat + seconds }),
  };
}
