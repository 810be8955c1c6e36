import type { Issue } from "../../fields/field-spec.ts";

/** Members that are not set have the defaults of proto3, as in `toObject` of protobufjs. */
export type WireError = {
  code: string;
  message: string;
  httpStatus?: number;
  bodyJson?: Uint8Array;
  stack?: string;
  issues?: Issue[];
  notSent?: boolean;
  /** Absent if the outside system asks for no wait, and from older plugins. */
  retryAfterS?: number;
};

export type ExecuteRequest = {
  operation: string;
  argsJson: Uint8Array;
  creds: Record<string, string>;
  requestId: string;
  sessionId: string;
  configJson: Uint8Array;
  outboundPolicyJson: Uint8Array;
  /** Absent from older hosts. */
  widgetInputJson?: Uint8Array;
  /** Empty outside of workflows, and absent from older hosts. */
  idempotencyKey?: string;
  /** Empty without a trace, and absent from older hosts. */
  traceparent?: string;
  tracestate?: string;
};

export type ExecuteResponse = {
  resultJson: Uint8Array;
  error: WireError | null;
  meta: Record<string, string>;
};

/** A part of a streamed answer. Empty members are not sent. */
export type Chunk = {
  data: Uint8Array;
  eof: boolean;
  error: WireError | null;
  progress: number;
  total: number;
  message: string;
  mask: string[];
  maskIgnoreCase: string[];
  /** Whether the masked values belong to the row. */
  maskOfRow: boolean;
  logJson: Uint8Array;
  httpStatus: number;
  /** Absent without progress. */
  exactProgress?: number;
  exactTotal?: number;
};

/** A message of the host about one call. All frames of one turn are sent as one message. */
export type HostFrame = {
  /** The number of the call on its stream. */
  call: number;
  start?: Partial<ExecuteRequest>;
  cancel?: boolean;
  /** Allows this many more bytes of the result. */
  credit?: number;
};

/** A part of one call's answer. */
export type PluginFrame = { call: number; chunk: Partial<Chunk> };

export type Frames<Frame> = { frames: Frame[] };

export type StdioData = { channel: number; data: Uint8Array };
