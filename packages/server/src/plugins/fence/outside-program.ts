import type { ProgramFolders } from "./launch-plan.ts";

/** A program of others: of a plugin, or of a row. */
export type OutsideProgram = {
  /** A path, or a name that is looked up in `PATH` of its environment. */
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
  folders: ProgramFolders;
};

/** The start of a program: what Bun runs. */
export type ProgramStart = Pick<OutsideProgram, "command" | "args" | "env" | "cwd"> & {
  /** Ends what is left of the program after its end. */
  release?: () => Promise<void>;
};
