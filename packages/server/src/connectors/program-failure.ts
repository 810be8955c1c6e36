import { UpstreamError } from "@hub/connector";

/** A program of a row did not start, or has ended. */
export class ProgramFailure extends UpstreamError {
  /** The last lines of its standard error, masked. Only admins get them, because they can have paths. Empty if it wrote none. */
  readonly programOutput: string;

  constructor(message: string, programOutput: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.programOutput = programOutput;
  }
}
