import { InvalidInputError } from "@hub/connector";

/** Bytes from base64 or base64url. Throws InvalidInputError: the decoder would skip other characters. */
export function decodeBase64(input: string, value: unknown): Uint8Array {
  if (typeof value !== "string" || !/^[A-Za-z0-9+/_-]*={0,2}\s*$/.test(value)) {
    throw new InvalidInputError(input, "must be base64");
  }
  return new Uint8Array(Buffer.from(value, "base64"));
}
