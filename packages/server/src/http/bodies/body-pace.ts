import { toBytesText, toDurationText } from "@hub/connector";
import { HubError } from "../../errors.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { Portions } from "../queue/request-portions.ts";

/** Less than the server's idle timeout, which would close the connection without an answer. */
const pauseMsMax = 25_000;
/** The minimum rate after that time. A slow phone has 40 kB/s. */
const bytesPerMsMin = 32;

/**
 * `lost` rejects when a body is too slow: each received byte extends its time a little. Those that are late at the same
 * time are refused in portions.
 */
export function createBodyPace(timers: Timers, portions: Portions) {
  const startedAt = timers.now();
  const { promise: lost, reject } = Promise.withResolvers<never>();
  let arrived = 0;
  let cancelTimer = timers.after(pauseMsMax, check);

  function check(): void {
    const msLeft = pauseMsMax + Math.floor(arrived / bytesPerMsMin) - (timers.now() - startedAt);
    if (msLeft > 0) cancelTimer = timers.after(msLeft, check);
    else void refuse();
  }

  async function refuse(): Promise<void> {
    await portions.begin();
    reject(refusePace());
  }

  return {
    lost,
    record(bytes: number) {
      arrived += bytes;
    },
    end: () => cancelTimer(),
  };
}

export function refuseSize(bytesMax: number): HubError {
  return new HubError(
    "body_too_large",
    `The body must not be larger than ${toBytesText(bytesMax)}.`,
  );
}

function refusePace(): HubError {
  return new HubError(
    "body_too_slow",
    `The body arrived too slowly: it must be complete within ${toDurationText(pauseMsMax)} or arrive at ${bytesPerMsMin} kB/s. Send it again.`,
  );
}
