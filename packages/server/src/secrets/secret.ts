import { inspect } from "node:util";

const shown = "[secret]";

/**
 * A plaintext secret on its way through the program. However it is printed (JSON, string,
 * template, console, inspector) it reads `[secret]`; only `reveal` gives the text.
 */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The plaintext: for the one place that needs it, never for an object that can be logged. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return shown;
  }

  toJSON(): string {
    return shown;
  }

  [Symbol.toPrimitive](): string {
    return shown;
  }

  [inspect.custom](): string {
    return shown;
  }
}
