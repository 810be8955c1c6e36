import { InvalidInputError } from "@hub/connector";

/** Attack: the ref `main...evil` on one side would compare with another ref. */
export function checkComparable(input: string, ref: string): void {
  if (!ref.includes("..")) return;
  throw new InvalidInputError(
    input,
    'must be one branch, tag or sha, without "..": base and head are given apart',
  );
}
