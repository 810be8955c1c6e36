import { parseJson } from "@hub/connector";
import { HubError } from "../../errors.ts";

/** A larger result could not even be cut down to what a model may get. */
const resultBytesMax = 128 * 1024 * 1024;

/** Puts a streamed result together; what has come is kept as text only, not as bytes as well. */
export type ResultCollector = {
  add(data: Uint8Array): void;
  /** The result; null when the plugin sent none. */
  finish(): unknown;
};

export function createResultCollector(pluginKey: string): ResultCollector {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const parts: string[] = [];
  let bytes = 0;
  const decode = (data?: Uint8Array) => {
    try {
      parts.push(data === undefined ? decoder.decode() : decoder.decode(data, { stream: true }));
    } catch (cause) {
      throw toBrokenAnswer(pluginKey, cause);
    }
  };
  return {
    add(data) {
      bytes += data.length;
      if (bytes > resultBytesMax) {
        throw new HubError(
          "upstream_error",
          "The operation's result is so large that not even a part of it can be shown. Ask for less at a time.",
        );
      }
      decode(data);
    },
    finish() {
      if (bytes === 0) return null;
      decode();
      try {
        return parseJson(parts.join(""));
      } catch (cause) {
        throw toBrokenAnswer(pluginKey, cause);
      }
    },
  };
}

function toBrokenAnswer(pluginKey: string, cause: unknown): HubError {
  return new HubError(
    "upstream_error",
    `The plugin "${pluginKey}" answered with something that is no JSON. Its author has to mend it.`,
    { cause },
  );
}
