/** The kinds of parts whose size a caller chooses. */
export const kinds = [
  "number",
  "length",
  "depth",
  "repetition",
  "tokens",
  "chunking",
  "idling",
  "parallelism",
] as const;
export type Kind = (typeof kinds)[number];

/** An input that is ready to be sent. Only `run` is measured. */
export type Prepared = {
  /** What the hub receives. */
  bytes: number;
  /** The requests in it, each of which has a base of processor time. The default is 1. */
  requests?: number;
  /** Sends it, and resolves with the status of the answer, or with what else happened. */
  run(): Promise<string>;
  /** What a process of its own has used, which has ended. */
  usage?: () => Usage;
};

export type Usage = { cpuMs: number; memoryMiB: number };

export type Attack = {
  kind: Kind;
  /** Makes the input of about this size. */
  prepare(bytes: number): Prepared | Promise<Prepared>;
  /** The largest size of this attack, if it is below that of the door. */
  bytesMax?: number;
};

/** One way into the hub, with everything that a caller may send there. */
export type Door = {
  /** The file of `doors/` that made it, for `--only`. */
  group: string;
  name: string;
  bytesMax: number;
  /** Allowed beside the limits of the law, for example for the hash of a password. */
  cpuMsExtra?: number;
  memoryMiBExtra?: number;
  /** The request deletes its target, so it uses a spare target and is sent after the others. */
  isEnd?: boolean;
  attacks: Record<string, Attack>;
  /** The process that does the work, if it is not the server. */
  pid?: () => number;
};

export type RequestSpec = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** The size of the processed data, if it is not the request. */
  bytes?: number;
};
