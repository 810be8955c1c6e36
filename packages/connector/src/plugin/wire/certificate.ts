import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { bits, boolean, der, integer, octets, oid, sequence, time } from "./der.ts";

/** A temporary identity of one side of one connection. */
export type SelfSigned = { certPem: string; keyPem: string; certificate: Uint8Array };

/**
 * As in go-plugin's AutoMTLS: valid for `localhost`, as client, as server and as its own authority.
 */
export const certificateName = "localhost";

const dayMs = 86_400_000;
const validDays = 3650;

/**
 * Creates a P-256 key and its self-signed certificate. It is written by hand, because a library for
 * this takes longer to load than the whole plugin.
 */
export function createSelfSigned(now: Date = new Date()): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(oid("1.2.840.10045.4.3.2")); // ecdsa-with-SHA256
  const name = sequence(der(0x31, sequence(oid("2.5.4.3"), utf8(certificateName))));
  const body = sequence(
    der(0xa0, integer(Buffer.from([2]))), // version 3
    integer(createSerial()),
    algorithm,
    name,
    // The start time allows for a clock that is slightly wrong.
    sequence(
      time(new Date(now.getTime() - dayMs)),
      time(new Date(now.getTime() + validDays * dayMs)),
    ),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...createExtensions())),
  );
  const certificate = sequence(body, algorithm, bits(sign("sha256", body, privateKey)));
  return {
    certificate,
    certPem: toPem(certificate),
    keyPem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

export function toPem(certificate: Uint8Array): string {
  const lines =
    Buffer.from(certificate)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

/** An integer in DER that is always positive and not empty. */
function createSerial(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes;
}

function createExtensions(): Buffer[] {
  const critical = boolean(true);
  // digitalSignature, keyEncipherment, keyAgreement, keyCertSign; one bit of the last byte is
  // unused.
  const keyUsage = der(0x03, Buffer.from([2, 0b1010_1100]));
  const purposes = sequence(oid("1.3.6.1.5.5.7.3.2"), oid("1.3.6.1.5.5.7.3.1"));
  const names = sequence(der(0x82, Buffer.from(certificateName, "ascii")));
  return [
    sequence(oid("2.5.29.15"), critical, octets(keyUsage)),
    sequence(oid("2.5.29.37"), octets(purposes)),
    sequence(oid("2.5.29.19"), critical, octets(sequence(boolean(true)))),
    sequence(oid("2.5.29.17"), octets(names)),
  ];
}

function utf8(text: string): Buffer {
  return der(0x0c, Buffer.from(text, "utf8"));
}
