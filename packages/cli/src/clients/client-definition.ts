import type { Machine } from "./machine.ts";

/**
 * How a client starts the hub. All paths are absolute, so that it works from any folder: several
 * clients ignore `cwd`.
 */
export type StdioServer = {
  command: string;
  args: readonly string[];
  /** The folder of the sources, if the program runs from source. */
  cwd?: string;
  env: Readonly<Record<string, string>>;
};

/** How a client reaches a hub that runs as a server. */
type HttpServer = {
  url: string;
  headers: Readonly<Record<string, string>>;
};

export type ClientId =
  | "claude-desktop"
  | "cursor"
  | "gemini-cli"
  | "codex"
  | "claude-code"
  | "vscode"
  | "opencode"
  | "zed";

/** The members of one server's entry. */
export type Entry = Readonly<Record<string, unknown>>;

/** A program that reads its MCP servers from a file. */
export type Client = {
  id: ClientId;
  title: string;
  format: "json" | "toml";
  /** The member of the file that maps names to servers. */
  container: string;
  /** The client refuses its file if it has comments or trailing commas. */
  isStrictJson: boolean;
  /** The files that the client reads, the most usual first. An existing file is preferred. */
  listFiles(machine: Machine): readonly [string, ...string[]];
  /** The client is installed if one of these files or folders exists, … */
  listTraces(machine: Machine): readonly string[];
  /** … or if one of these commands is on the PATH. */
  commands: readonly string[];
  toStdioEntry(server: StdioServer): Entry;
  /** Null if the client only starts programs. */
  toHttpEntry: ((server: HttpServer) => Entry) | null;
  /** What the user does so that the client reads the entry. */
  nextStep: string;
};
