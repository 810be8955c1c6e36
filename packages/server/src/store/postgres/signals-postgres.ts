import type { SQL } from "bun";
import type { Signals } from "../signals.ts";
import type { ConnectionPool } from "./connection-pool.ts";

type SignalDeps = { pool: Pick<ConnectionPool, "query">; connect(): SQL };

/** One channel for all signals, whose payload is a name. */
const channel = "hub_signals";

const retryMs = 1_000;

/**
 * Signals by LISTEN and NOTIFY. A commit with a NOTIFY waits for all others of its kind, so calls send
 * none. The client opens the connection of LISTEN again when it was lost.
 */
export function createPostgresSignals({ pool, connect }: SignalDeps): Signals {
  return {
    async send(name) {
      // Without the signal, the receivers find out by their next poll.
      await pool.query("select pg_notify($1, $2)", [channel, name]).catch(() => {});
    },
    async receive(name, onSignal) {
      const client = connect();
      const onPayload = (payload: string) => {
        if (payload === name) onSignal();
      };
      let retry: Timer | undefined;
      let isEnded = false;
      // The client connects again after a lost connection, but not after a failed first one.
      const listen = () => {
        client.listen(channel, onPayload, onSignal).catch(() => {
          if (isEnded) return;
          retry = setTimeout(listen, retryMs);
          retry.unref();
        });
      };
      listen();
      return () => {
        isEnded = true;
        clearTimeout(retry);
        return client.close({ timeout: 0 });
      };
    },
    pollMs: 5_000,
  };
}
