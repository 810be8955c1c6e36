import type { Issue } from "../../fields/field-spec.ts";

/** Members that are not set have proto3's defaults, as `toObject` of protobufjs gives them. */
export type WireError = {
  code: string;
  message: string;
  httpStatus?: number;
  bodyJson?: Uint8Array;
  stack?: string;
  issues?: Issue[];
};

export type ExecuteRequest = {
  operation: string;
  argsJson: Uint8Array;
  creds: Record<string, string>;
  requestId: string;
  sessionId: string;
  configJson: Uint8Array;
  outboundPolicyJson: Uint8Array;
  /** Absent from hosts that do not know it. */
  widgetInputJson?: Uint8Array;
};

export type ExecuteResponse = {
  resultJson: Uint8Array;
  error: WireError | null;
  meta: Record<string, string>;
};

/** One step of a streamed answer; what it does not carry is left out when it is sent. */
export type Chunk = {
  data: Uint8Array;
  eof: boolean;
  error: WireError | null;
  progress: number;
  total: number;
  message: string;
  mask: string[];
  maskIgnoreCase: string[];
  /** What the two above hold belongs to the row. */
  maskOfRow: boolean;
  logJson: Uint8Array;
  httpStatus: number;
  /** Absent without progress. */
  exactProgress?: number;
  exactTotal?: number;
};

/** A word of the host about one call; all that is said in one turn goes in one message. */
export type HostFrame = {
  /** Names the call on its stream. */
  call: number;
  start?: Partial<ExecuteRequest>;
  cancel?: boolean;
  /** Allows this many more bytes of the result. */
  credit?: number;
};

/** A step of one call's answer. */
export type PluginFrame = { call: number; chunk: Partial<Chunk> };

export type Frames<Frame> = { frames: Frame[] };

export type StdioData = { channel: number; data: Uint8Array };
