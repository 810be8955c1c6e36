import { type Issue, isJsonObject, type JsonSchema } from "@hub/connector";
import { compileLinearPattern, type LinearPattern } from "../text/linear-pattern.ts";
import { findAcceptedTypes, hasType } from "./accepted-types.ts";
import { arrayKeywords } from "./check-array.ts";
import { combinedKeywords } from "./check-combined.ts";
import { numberKeywords } from "./check-number.ts";
import { objectKeywords } from "./check-object.ts";
import { textKeywords } from "./check-text.ts";
import { toEngineSyntax } from "./to-engine-syntax.ts";
import type { KeywordCheck, Problem, Validation } from "./validation.ts";
import { writeExample } from "./write-example.ts";

/**
 * The members of a value, its alternatives, and portions of texts that one validation looks at: some 100 ms. Every
 * keyword counts what it reads, because a schema may have each keyword many times.
 */
const stepsMax = 200_000;

/** Reading so many characters, or so many names of members, takes about as long as a step. */
const charsPerStep = 64;
const namesPerStep = 4;

/** A pattern takes as many steps as its program has, times the characters of the text. Each is short. */
const patternStepsPerStep = 16;

const keywords = new Map<string, KeywordCheck>(
  Object.entries({
    ...combinedKeywords,
    ...numberKeywords,
    ...textKeywords,
    ...arrayKeywords,
    ...objectKeywords,
  }),
);

class TooManySteps extends Error {}

/**
 * Checks values against a JSON Schema of draft 2020-12 that `cleanSchema` has cleaned. A library
 * that compiles schemas takes a second for a large one, and none limits how long a validation may
 * take. This one interprets the schema, within a number of steps: nested alternatives could
 * otherwise take exponential time. Patterns run in linear time. `unevaluatedProperties` and
 * `unevaluatedItems` are not checked.
 */
export function createSchemaChecker(root: JsonSchema): (value: unknown) => Issue | null {
  const patterns = new Map<string, LinearPattern>();
  return (given) => {
    let steps = 0;
    const spend = (count: number) => {
      steps += count;
      if (steps > stepsMax) throw new TooManySteps();
    };
    const validation: Validation = {
      root,
      spend,
      spendChars: (chars) => spend(Math.ceil(chars / charsPerStep)),
      listNames(value) {
        const names = Object.keys(value);
        spend(Math.ceil(names.length / namesPerStep));
        return names;
      },
      check(schema, value, path) {
        spend(1);
        return checkSchema(validation, schema, value, path);
      },
      matches(source, text) {
        const pattern = patterns.get(source) ?? createPattern(source);
        patterns.set(source, pattern);
        spend(1 + Math.ceil((pattern.size * text.length) / patternStepsPerStep));
        return pattern.isFoundIn(text);
      },
    };
    try {
      const problem = validation.check(root, given, "");
      return problem === null ? null : toIssue(validation, problem);
    } catch (thrown) {
      if (!(thrown instanceof TooManySteps) && !(thrown instanceof RangeError)) throw thrown;
      return { path: "", message: "are too large to check against the schema. Send fewer values" };
    }
  };
}

/** The form of an object or a list is shown, because models often write another type. */
function toIssue({ root, spend }: Validation, { path, message, refusedBy }: Problem): Issue {
  if (refusedBy === undefined) return { path, message };
  const types = findAcceptedTypes(root, spend, refusedBy);
  if (!hasType(types, "object") && !hasType(types, "array")) return { path, message };
  const example = writeExample(root, spend, refusedBy);
  return { path, message: example === null ? message : `${message}, such as ${example}` };
}

function checkSchema(
  validation: Validation,
  schema: unknown,
  value: unknown,
  path: string,
): Problem | null {
  if (schema === false) return { path, message: "must be left out" };
  if (!isJsonObject(schema)) return null;
  for (const keyword of Object.keys(schema)) {
    const problem = keywords.get(keyword)?.(validation, schema, value, path) ?? null;
    if (problem !== null) return problem;
  }
  return null;
}

/** The outside system checks a pattern that the engine does not know, such as one with look-ahead. */
function createPattern(source: string): LinearPattern {
  try {
    return compileLinearPattern(toEngineSyntax(source));
  } catch {
    return { size: 0, isFoundIn: () => true };
  }
}
