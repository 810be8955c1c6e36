import { isJsonObject } from "@hub/connector";
import { LeftOut } from "./left-out.ts";
import { isJsonType, toMediaType } from "./media-type.ts";
import type { References } from "./references.ts";

const typesMax = 5;

/** The content types of an operation's first successful answer, and the schema of its JSON. */
export function readAnswers(
  references: References,
  responses: unknown,
): { accept: string | null; schema: unknown } {
  const content = findContent(references, responses);
  const types = Object.keys(content).filter((type) => /^[\w.+*-]+\/[\w.+*-]+/.test(type));
  const json = types.find((type) => isJsonType(toMediaType(type)));
  const media = json === undefined ? undefined : content[json];
  return {
    accept:
      types.length === 0
        ? null
        : [...types.slice(0, typesMax).map(toMediaType), "*/*;q=0.1"].join(", "),
    schema: isJsonObject(media) ? media.schema : undefined,
  };
}

function findContent(references: References, responses: unknown): Record<string, unknown> {
  if (!isJsonObject(responses)) return {};
  const status = Object.keys(responses)
    .filter((key) => /^2(\d\d|XX)$/i.test(key))
    .sort()[0];
  try {
    const { content } = references.resolve(responses[status ?? "default"] ?? {});
    return isJsonObject(content) ? content : {};
  } catch (thrown) {
    // The answer is only described, so the operation can be used without it.
    if (thrown instanceof LeftOut) return {};
    throw thrown;
  }
}
