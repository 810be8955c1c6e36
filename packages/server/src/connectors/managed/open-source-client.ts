import { readFile } from "node:fs/promises";
import { createGuardedFetch } from "@hub/connector";
import { z } from "zod";
import { openAtRest } from "../../secrets/at-rest/at-rest.ts";
import { findRing } from "../../secrets/at-rest/find-ring.ts";
import { toSourceLocation } from "../../secrets/at-rest/secret-locations.ts";
import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import { createSourceClient } from "../../secrets/sources/create-client.ts";
import type { SourceDefinition } from "../../secrets/sources/secret-definitions.ts";
import type { MachineAccess, SourceClient } from "../../secrets/sources/source-client.ts";
import { SourceFailure } from "../../secrets/sources/source-failure.ts";

export type OpenClientDeps = {
  ring: RingHolder;
  outboundAllow: readonly string[];
  /** Variables by which clouds say where their credentials are. */
  readCloudVariable(name: string): string | undefined;
  now(): number;
};

const credentialsSchema = z.record(z.string(), z.string());
const timeoutMs = 10_000;
const metadataTimeoutMs = 2_000;
/** With what a manager writes around a secret of 64 KiB. */
const bodyBytesMax = 256 * 1024;

/** Makes the client of a source, with its credentials. Only clients that sign in as the machine get to it. */
export async function openSourceClient(
  { ring, outboundAllow, readCloudVariable, now }: OpenClientDeps,
  { id, settings, sealed }: SourceDefinition,
): Promise<SourceClient> {
  const credentials =
    sealed === null
      ? {}
      : credentialsSchema.parse(
          JSON.parse(openAtRest(await findRing(ring, sealed), toSourceLocation(id), sealed)),
        );
  const address = findAddress(settings);
  const fetch = createGuardedFetch({
    // An admin entered it in a browser session, or on the hub's machine.
    policy: {
      savedHosts: address === null ? [] : [new URL(address).host],
      allow: [...outboundAllow],
    },
    timeoutMs,
    bodyBytesMax,
    pool: `secret source ${id}`,
    advice: "An admin can list the host in HUB_OUTBOUND_ALLOW.",
  });
  const usesMachine =
    "auth" in settings && ["chain", "workload", "kubernetes"].includes(settings.auth);
  const machine = usesMachine ? createMachine(readCloudVariable) : noMachine;
  return await createSourceClient({ fetch, machine, now }, settings, credentials);
}

function findAddress(settings: SourceDefinition["settings"]): string | null {
  if ("address" in settings) return settings.address;
  return "endpoint" in settings && settings.endpoint !== "" ? settings.endpoint : null;
}

function createMachine(readVariable: MachineAccess["readVariable"]): MachineAccess {
  return {
    readVariable,
    async readTokenFile(path) {
      try {
        return await readFile(path, "utf8");
      } catch {
        throw new SourceFailure("bad", `the file ${path} cannot be read on the hub's machine`);
      }
    },
    createMetadataFetch: (host) =>
      createGuardedFetch({
        policy: { savedHosts: [host], allow: [] },
        metadataHost: host,
        timeoutMs: metadataTimeoutMs,
        connectTimeoutMs: metadataTimeoutMs,
        bodyBytesMax,
      }),
  };
}

const refuse = () => {
  throw new Error("This source does not sign in as the machine");
};
const noMachine: MachineAccess = {
  readVariable: refuse,
  readTokenFile: refuse,
  createMetadataFetch: refuse,
};
