/** What has been written for other processes. */
export type SignalName = "cancel" | "runs";

/**
 * Wakes other processes of a database that look for something written. A signal may be lost, so its
 * receiver also polls.
 */
export type Signals = {
  /** Follows the commit of what it announces. Never throws. */
  send(name: SignalName): Promise<void>;
  /**
   * Calls `onSignal` for each signal, and whenever signals may have been lost: at the start and after
   * the connection was. Resolves with a function that ends this.
   */
  receive(name: SignalName, onSignal: () => void): Promise<() => Promise<void>>;
  /** How often a receiver polls. */
  pollMs: number;
};

/** The processes of one folder only poll, which costs them a read from memory. */
export const noSignals: Signals = {
  send: async () => {},
  receive: async () => async () => {},
  pollMs: 1_000,
};
