import {
  type AppVersion,
  appVersions,
  coreVersion,
  type Handshake,
  parseHandshakeLine,
} from "@hub/connector/plugin";
import type { Timers } from "../../lib/timers.ts";
import { describeExit, type PluginChild } from "./spawn-plugin.ts";

/** As go-plugin allows; a large program on a slow disk takes its time. */
const handshakeTimeoutMs = 60_000;

export type CheckedHandshake = Handshake & { app: AppVersion };

/** Resolves with the plugin's handshake. Rejects with an Error that says what is wrong with it. */
export async function waitForHandshake(
  { timers }: { timers: Timers },
  child: PluginChild,
): Promise<CheckedHandshake> {
  const { promise, resolve, reject } = Promise.withResolvers<Handshake>();
  child.readStdout((line) => {
    const handshake = parseHandshakeLine(line);
    // What a program prints before its handshake is log output, as what it prints after.
    if (handshake === null) return false;
    child.readStdout(() => false);
    resolve(handshake);
    return true;
  });
  const cancelTimer = timers.after(handshakeTimeoutMs, () =>
    reject(new Error(`it has not said that it is ready within ${handshakeTimeoutMs / 1000} s`)),
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
    throw new Error(`it speaks version ${core} of go-plugin's protocol; the hub speaks 1`);
  }
  const app = appVersions.find((version) => version === handshake.app);
  if (app === undefined) {
    const spoken = appVersions.join(" and ");
    throw new Error(
      `it speaks version ${handshake.app} of the connector's protocol; the hub speaks ${spoken}`,
    );
  }
  if (protocol !== "grpc") throw new Error(`it speaks "${protocol}"; the hub speaks grpc`);
  if (network === "tcp") {
    const isLocal = /^(?:127\.0\.0\.1|localhost|\[::1\]):\d+$/.test(address);
    if (!isLocal) throw new Error(`it listens at ${address}, which is not this machine's own`);
    // A socket in the hub's private folder is closed to others; a port is open to them.
    if (certificate === null) throw new Error("it listens on a port without TLS");
  }
  return { ...handshake, app };
}
