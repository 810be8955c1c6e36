import type {
  ConnectorLog,
  FieldSpec,
  Health,
  LookupItem,
  MaskOptions,
  OperationSpec,
  OutboundPolicy,
  WidgetClick,
} from "@hub/connector";
import type { Caller } from "../caller.ts";

/** What the hub knows of a connector, compiled in or plugin alike. */
export type RegisteredConnector = {
  key: string;
  name: string;
  description: string;
  icon: string;
  tier: "builtin" | "plugin";
  /** Of a plugin, what its manifest says; 1 leaves the checks of its operations' inputs to it. */
  protoVersion?: number;
  configFields: readonly FieldSpec[];
  operations: ReadonlyMap<string, OperationSpec>;
  /** Runs one operation; resolves with its result, rejects with what it threw. */
  invoke(call: Invocation): Promise<unknown>;
  /** Asks the outside system whether this configuration works. */
  health?(call: ConnectorCall): Promise<Health>;
  /** Items of a picker field. */
  lookup?(call: ConnectorCall & { source: string; query: string }): Promise<LookupItem[]>;
  /** A fresh value of a `regen` field. */
  generate?(fieldKey: string): Promise<string>;
};

/** What a call may hold of the memory for large answers. */
export type AnswerRoom = {
  /** Null when so many more bytes may be held now; else resolves when they may. */
  take(bytes: number): Promise<void> | null;
  /** For bytes that are there already: false when they are too many. */
  takeNow(bytes: number): boolean;
};

/** What any call into a connector carries. */
export type ConnectorCall = {
  /** An answer beyond 256 KiB asks for room before more of it is read. */
  space: AnswerRoom;
  /** The row's configuration: typed, by wire key, defaults applied. */
  config: Record<string, unknown>;
  signal: AbortSignal;
  caller: Caller;
  outbound: OutboundPolicy;
  log: ConnectorLog;
  runId: string;
  /** Plaintexts that row and params hold: what the connector prints by itself must not show them. */
  secrets: readonly string[];
  /** Adds a value to those that leave the hub only as tokens. */
  mask(value: string, options?: MaskOptions): void;
  maskIgnoreCase(value: string, options?: MaskOptions): void;
  progress(done: number, total?: number, message?: string): void;
  /** Records the status of the outside system's latest HTTP answer in the audit row. */
  noteHttpStatus(status: number): void;
};

/** One execution of an operation. */
export type Invocation = ConnectorCall & {
  operation: string;
  /** Checked params: typed, by wire key. */
  params: Record<string, unknown>;
  /** Of a call that an html widget makes. */
  widget?: WidgetClick;
};
