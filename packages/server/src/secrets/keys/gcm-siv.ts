import type { gcmsiv } from "@noble/ciphers/aes.js";

/**
 * AES-256-GCM-SIV (RFC 8452). Loading the library computes its tables, so it is loaded with the
 * first secret and not when the program starts.
 */
export function createGcmSiv(...args: Parameters<typeof gcmsiv>): ReturnType<typeof gcmsiv> {
  const library: typeof import("@noble/ciphers/aes.js") = require("@noble/ciphers/aes.js");
  return library.gcmsiv(...args);
}
