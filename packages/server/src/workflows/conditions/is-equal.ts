import { isJsonObject, type Json } from "@hub/connector";
import { findNumber, isSameNumber, type ReadNumber } from "./find-number.ts";

/**
 * Whether two values are equal. A number equals a text that is the same number, and a boolean the
 * text `true` or `false`, because values from forms and addresses are texts. Two texts are equal
 * only if they have the same characters. Lists and objects are compared with all that is in them;
 * the order of an object's members does not matter.
 */
export function isEqual(left: Json, right: Json, readNumber: ReadNumber = findNumber): boolean {
  // A stack of its own, so that deep values cannot exhaust the program's.
  const pairs: [Json, Json][] = [[left, right]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [one, two] = pair;
    if (Array.isArray(one) && Array.isArray(two)) {
      if (one.length !== two.length) return false;
      for (const [at, item] of one.entries()) pairs.push([item, two[at]]);
    } else if (isJsonObject(one) && isJsonObject(two)) {
      const keys = Object.keys(one);
      if (keys.length !== Object.keys(two).length) return false;
      for (const key of keys) {
        if (!Object.hasOwn(two, key)) return false;
        pairs.push([one[key], two[key]]);
      }
    } else if (!isSameScalar(one, two, readNumber)) return false;
  }
  return true;
}

function isSameScalar(one: Json, two: Json, readNumber: ReadNumber): boolean {
  if (one === two) return true;
  if (typeof one === "string" && typeof two === "string") return false;
  if (typeof one === "boolean") return two === String(one);
  if (typeof two === "boolean") return one === String(two);
  const first = readNumber(one);
  const second = readNumber(two);
  return first !== null && second !== null && isSameNumber(first, second);
}
