import { InvalidInputError } from "@hub/connector";

/** Names the attack: `main...evil` as one side would compare with what nobody named. */
export function checkComparable(input: string, ref: string): void {
  if (!ref.includes("..")) return;
  throw new InvalidInputError(
    input,
    'must be one branch, tag or sha, without "..": base and head are given apart',
  );
}
