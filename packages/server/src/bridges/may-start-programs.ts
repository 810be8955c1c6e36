import type { Config } from "../config.ts";

/** A program of a row is past all signatures. On PostgreSQL, each server would need it. */
export function mayStartPrograms(
  config: Pick<
    Config,
    | "bridgeStdio"
    | "pluginRequireSignature"
    | "pluginPubkey"
    | "pluginCosignPubkey"
    | "readDatabaseUrl"
  >,
): boolean {
  if (config.bridgeStdio !== null) return config.bridgeStdio;
  const needsSignatures = config.pluginRequireSignature ?? config.pluginPubkey.length > 0;
  return (
    !needsSignatures && config.pluginCosignPubkey === null && config.readDatabaseUrl() === null
  );
}
