const nameCharsMax = 64;

/**
 * A name from outside, for an issue. A name that is too long is omitted completely: a cut name
 * could contain half a secret, which the mask would not find.
 */
export function showName(name: string): string {
  return name.length <= nameCharsMax ? name : `(a name of ${name.length} characters)`;
}
