import type { gcmsiv } from "@noble/ciphers/aes.js";

/**
 * AES-256-GCM-SIV (RFC 8452). The library computes its tables as it is loaded, which is with the
 * first secret: a program starts without.
 */
export function createGcmSiv(...args: Parameters<typeof gcmsiv>): ReturnType<typeof gcmsiv> {
  const library: typeof import("@noble/ciphers/aes.js") = require("@noble/ciphers/aes.js");
  return library.gcmsiv(...args);
}
