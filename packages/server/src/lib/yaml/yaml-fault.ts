/** Why a text is refused: a sentence, and where, if there is a place. Lines and columns begin with 1. */
export class YamlFault extends Error {
  override readonly name = "YamlFault";
  readonly line: number | null;
  readonly column: number | null;

  constructor(message: string, at: { line: number; column: number } | null = null) {
    super(message);
    this.line = at?.line ?? null;
    this.column = at?.column ?? null;
  }

  /** The whole sentence, such as "Line 3, column 5: …". */
  toText(): string {
    return this.line === null
      ? this.message
      : `Line ${this.line}, column ${this.column}: ${this.message}`;
  }
}

/** What a text may have. `noun` and `advice` are for the messages. */
export type YamlLimits = {
  noun: string;
  advice: string;
  /** Characters that begin or end values. */
  marksMax: number;
  /** Keys and values, those of an alias each time that it is used. */
  valuesMax: number;
  depthMax: number;
};

export function toTooDeep({ noun, depthMax }: YamlLimits): YamlFault {
  return new YamlFault(`The ${noun} is nested deeper than ${depthMax} levels, or contains itself.`);
}
