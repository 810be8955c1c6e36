import { HubError } from "../errors.ts";
import type { Tracing } from "../lib/tracing/tracing.ts";
import type { ConnectorCall, RegisteredConnector } from "./connector-port.ts";

/**
 * Records a span for each use of a connector, and gives the connector its trace context. A call that
 * ends by its time limit or a cancellation ends the span, also if the connector goes on.
 */
export function traceConnector(
  connector: RegisteredConnector,
  tracing: Tracing,
): RegisteredConnector {
  const { key, health, lookup } = connector;

  async function trace<Call extends ConnectorCall, T>(
    operation: string,
    call: Call,
    use: (call: Call) => Promise<T>,
  ): Promise<T> {
    const attributes = {
      "hub.connector.key": key,
      "hub.operation.key": operation,
      "hub.run.id": call.runId,
    };
    const spec = { name: `${key} ${operation}`, kind: "internal", attributes } as const;
    const spanned = await tracing.span(spec, async (span) => {
      const recordHttpStatus = (status: number) => {
        span.set({ "http.response.status_code": status });
        call.recordHttpStatus(status);
      };
      const { context } = span;
      const traced = { ...call, recordHttpStatus, ...(context !== null && { trace: context }) };
      const used = use(traced);
      try {
        await raceAbort(call.signal, used);
      } catch (thrown) {
        // The message is not sealed yet, so only the code is told.
        span.fail(thrown instanceof HubError ? thrown.code : "_OTHER");
      }
      return { used };
    });
    return await spanned.used;
  }

  return {
    ...connector,
    invoke: (call) =>
      tracing.isActive() ? trace(call.operation, call, connector.invoke) : connector.invoke(call),
    ...(health && { health: (call) => trace("hub.health", call, health) }),
    ...(lookup && { lookup: (call) => trace("hub.lookup", call, lookup) }),
  };
}

/** Resolves with `used`, or rejects when the signal aborts. */
async function raceAbort(signal: AbortSignal, used: Promise<unknown>): Promise<void> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.race([used, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
