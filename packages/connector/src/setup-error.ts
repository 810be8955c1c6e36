/**
 * The row's configuration is invalid: only an admin can correct it. The call fails with code `upstream_error`. `problem` begins
 * with the wire key of the field and is shown to the caller, so it must not quote a value that may contain a secret.
 *
 * @example throw new SetupError("token contains invalid characters");
 */
export class SetupError extends Error {
  override readonly name = "SetupError";
  readonly problem: string;

  constructor(problem: string) {
    super(
      `This row's configuration is invalid: ${problem}. An admin can correct it in the settings of the row.`,
    );
    this.problem = problem;
  }
}
