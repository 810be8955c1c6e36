import type { SystemCalls } from "./system-calls.ts";

/**
 * What programs of a hub that runs as root keep: those of a usual container, without the ones that make
 * device files. Others open memory of other processes, disks and the kernel.
 */
const kept = {
  chown: 0,
  overrideFileModes: 1,
  actAsFileOwner: 3,
  keepSetIds: 4,
  kill: 5,
  setGroup: 6,
  setUser: 7,
  bindLowPorts: 10,
  rawSockets: 13,
  chroot: 18,
};

/** Version 3 of `capset`: 64 capabilities in two words. */
const version = 0x20080522;

/**
 * Drops the other capabilities of this thread. Since it can gain no privileges, what it starts does not
 * get them back. Throws if the system refuses it.
 */
export function dropCapabilities(calls: Pick<SystemCalls, "getCapabilities" | "setCapabilities">) {
  const header = new Uint32Array([version, 0]);
  // For each word: effective, permitted, inheritable.
  const sets = new Uint32Array(6);
  if (calls.getCapabilities(header, sets) < 0) throw new Error("capget failed");
  const mask = Object.values(kept).reduce((bits, number) => bits | (1 << number), 0);
  const permitted = (sets[1] ?? 0) & mask;
  sets.set([permitted, permitted, 0, 0, 0, 0]);
  if (calls.setCapabilities(header, sets) < 0) throw new Error("capset failed");
}
