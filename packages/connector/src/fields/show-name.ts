const nameCharsMax = 64;

/**
 * A name from outside, for an issue. One that is too long to be a misspelt name is left out whole:
 * cut, it could hold half a secret, and half a secret is not found when the issue is sealed.
 */
export function showName(name: string): string {
  return name.length <= nameCharsMax ? name : `(a name of ${name.length} characters)`;
}
