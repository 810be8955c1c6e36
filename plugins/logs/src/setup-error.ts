/** The row's configuration is invalid. `problem` begins with the field's key. */
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
