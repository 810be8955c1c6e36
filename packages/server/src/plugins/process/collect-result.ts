import { parseJson } from "@hub/connector";
import type { AnswerBudget } from "../../connectors/connector-port.ts";
import { HubError } from "../../errors.ts";
import { isSmallJson } from "../../lib/json/check-json.ts";
import { toTooLargeValue } from "../../lib/json/plain-json.ts";
import { answerBytesMax, loopBytesMax } from "../../lib/limits/answer-limits.ts";
import { toNoMemory } from "../../lib/limits/to-no-memory.ts";
import { createByteCollector } from "../../lib/streams/collect-bytes.ts";
import { UnreadBody } from "../../lib/streams/unread-body.ts";

/** Collects the chunks of a streamed result. */
export type ResultCollector = {
  add(data: Uint8Array): void;
  /** The result, unparsed if it is large; null if the plugin sent none. */
  finish(): unknown;
};

export function createResultCollector(pluginKey: string, budget: AnswerBudget): ResultCollector {
  const collector = createByteCollector();
  let bytes = 0;
  let held = 0;
  return {
    add(data) {
      bytes += data.length;
      if (bytes > answerBytesMax) throw toTooLargeValue();
      if (bytes > loopBytesMax && bytes > held) {
        const wanted = bytes + loopBytesMax - held;
        // All calls of a plugin share a stream, so one of them cannot wait.
        if (!budget.takeArrived(wanted)) throw toNoMemory();
        held += wanted;
      }
      collector.add(data);
    },
    finish() {
      if (bytes === 0) return null;
      const whole = collector.take();
      if (bytes > loopBytesMax) return new UnreadBody(whole, { kind: "json" });
      try {
        const text = new TextDecoder("utf-8", { fatal: true }).decode(whole);
        // A short text can still hold many values.
        return isSmallJson(text) ? parseJson(text) : new UnreadBody(whole, { kind: "json" });
      } catch (cause) {
        throw cause instanceof HubError ? cause : toBrokenAnswer(pluginKey, cause);
      }
    },
  };
}

function toBrokenAnswer(pluginKey: string, cause: unknown): HubError {
  return new HubError(
    "upstream_error",
    `The plugin "${pluginKey}" returned invalid JSON. Report this to the plugin's author.`,
    { cause },
  );
}
