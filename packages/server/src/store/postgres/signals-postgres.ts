import type { SQL } from "bun";
import type { SignalName, Signals } from "../servers/signals.ts";
import type { ConnectionPool } from "./connections/connection-pool.ts";

type SignalDeps = { pool: Pick<ConnectionPool, "query">; connect(): SQL };

/** One channel for all signals, whose payload is a name. */
const channel = "hub_signals";

const retryMs = 1_000;

type Receiver = { name: SignalName; onSignal(): void };

/**
 * Signals by LISTEN and NOTIFY. A commit with a NOTIFY waits for all others of its kind, so calls send
 * none. All receivers share one connection.
 */
export function createPostgresSignals({ pool, connect }: SignalDeps): Signals {
  const receivers = new Set<Receiver>();
  let listener: Listener | null = null;
  return {
    async send(name) {
      // Without the signal, the receivers find out by their next poll.
      await pool.query("select pg_notify($1, $2)", [channel, name]).catch(() => {});
    },
    async receive(name, onSignal) {
      const receiver = { name, onSignal };
      receivers.add(receiver);
      if (listener?.isListening()) onSignal();
      listener ??= listen(connect(), receivers);
      return async () => {
        receivers.delete(receiver);
        if (receivers.size > 0) return;
        const ending = listener;
        listener = null;
        await ending?.close();
      };
    },
    pollMs: 5_000,
  };
}

type Listener = { isListening(): boolean; close(): Promise<void> };

/** The client opens the connection of LISTEN again when it was lost. */
function listen(client: SQL, receivers: ReadonlySet<Receiver>): Listener {
  let isListening = false;
  let isEnded = false;
  let retry: Timer | undefined;
  const onPayload = (payload: string) => {
    for (const { name, onSignal } of receivers) if (name === payload) onSignal();
  };
  const onListening = () => {
    isListening = true;
    for (const { onSignal } of receivers) onSignal();
  };
  // The client connects again after a lost connection, but not after a failed first one.
  const begin = () => {
    client.listen(channel, onPayload, onListening).catch(() => {
      if (isEnded) return;
      retry = setTimeout(begin, retryMs);
      retry.unref();
    });
  };
  begin();
  return {
    isListening: () => isListening,
    close() {
      isEnded = true;
      clearTimeout(retry);
      return client.close({ timeout: 0 });
    },
  };
}
