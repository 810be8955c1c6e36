import { toDurationText } from "@hub/connector";
import {
  type AppVersion,
  appVersions,
  coreVersion,
  type Handshake,
  parseHandshakeLine,
} from "@hub/connector/plugin";
import type { Timers } from "../../lib/time/timers.ts";
import { describeExit, type PluginChild } from "./spawn-plugin.ts";

/** The limit of go-plugin. Large programs on slow disks take long to start. */
const handshakeTimeoutMs = 60_000;

export type CheckedHandshake = Handshake & { app: AppVersion };

/** Resolves with the plugin's handshake. Rejects with an Error that describes its fault. */
export async function waitForHandshake(
  { timers }: { timers: Timers },
  child: PluginChild,
): Promise<CheckedHandshake> {
  const { promise, resolve, reject } = Promise.withResolvers<Handshake>();
  child.readStdout((line) => {
    const handshake = parseHandshakeLine(line);
    // Lines before the handshake are log output, like lines after it.
    if (handshake === null) return false;
    child.readStdout(() => false);
    resolve(handshake);
    return true;
  });
  const cancelTimer = timers.after(handshakeTimeoutMs, () =>
    reject(new Error(`it was not ready within ${toDurationText(handshakeTimeoutMs)}`)),
  );
  child.exited.then((exit) => reject(new Error(`${describeExit(exit)} before it was ready`)));
  try {
    return checkHandshake(await promise);
  } finally {
    cancelTimer();
  }
}

function checkHandshake(handshake: Handshake): CheckedHandshake {
  const { core, network, address, protocol, certificate } = handshake;
  if (core !== coreVersion) {
    throw new Error(`it uses version ${core} of go-plugin's protocol; the hub supports 1`);
  }
  const app = appVersions.find((version) => version === handshake.app);
  if (app === undefined) {
    const supported = appVersions.join(" and ");
    throw new Error(
      `it uses version ${handshake.app} of the connector protocol; the hub supports ${supported}`,
    );
  }
  if (protocol !== "grpc") throw new Error(`it uses "${protocol}"; the hub supports grpc`);
  if (network === "tcp") {
    const isLocal = /^(?:127\.0\.0\.1|localhost|\[::1\]):\d+$/.test(address);
    if (!isLocal) throw new Error(`it listens at ${address}, which is not a loopback address`);
    // Other users can connect to a port, but not to a socket in the hub's private folder.
    if (certificate === null) throw new Error("it listens on a port without TLS");
  }
  return { ...handshake, app };
}
