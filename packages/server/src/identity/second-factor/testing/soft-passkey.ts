import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

type Site = { origin: string; host: string };
type Signing = {
  challenge: string;
  site: Site;
  counter?: number;
  /** The authenticator has checked who the person is. */
  isVerified?: boolean;
  userHandle?: string;
  type?: string;
  crossOrigin?: boolean;
};

const toText = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");

const kinds = {
  es256: () => ({ ...generateKeyPairSync("ec", { namedCurve: "P-256" }), algorithm: -7 }),
  ed25519: () => ({ ...generateKeyPairSync("ed25519"), algorithm: -8 }),
  rs256: () => ({ ...generateKeyPairSync("rsa", { modulusLength: 2048 }), algorithm: -257 }),
} as const;

/** An authenticator in software, which answers as browsers do, also wrongly. */
export function createSoftPasskey(kind: keyof typeof kinds = "es256") {
  const { privateKey, publicKey, algorithm } = kinds[kind]();
  const id = new Uint8Array(randomBytes(16));
  const credentialId = toText(id);
  return {
    credentialId,
    /** The fields of the form with which a passkey is added. */
    make(given: Signing) {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const data = Buffer.concat([toData(given, 0x40), Buffer.alloc(16), length, id]);
      return {
        client_data: toClientData({ type: "webauthn.create", ...given }),
        authenticator_data: toText(data),
        public_key: toText(publicKey.export({ format: "der", type: "spki" })),
        algorithm: String(algorithm),
      };
    },
    /** The fields of the form with which it signs in. */
    sign(given: Signing) {
      const client = toClientData({ type: "webauthn.get", ...given });
      const data = toData(given, 0);
      const hash = createHash("sha256").update(Buffer.from(client, "base64url")).digest();
      return {
        credential_id: credentialId,
        client_data: client,
        authenticator_data: toText(data),
        signature: toText(signData(privateKey, Buffer.concat([data, hash]))),
        user_handle: toText(Buffer.from(given.userHandle ?? "")),
      };
    },
  };
}

function signData(key: KeyObject, data: Uint8Array): Uint8Array {
  return sign(key.asymmetricKeyType === "ed25519" ? null : "sha256", data, key);
}

function toData({ site, counter = 0, isVerified = true }: Signing, flags: number): Buffer {
  const numbers = Buffer.alloc(5);
  numbers.writeUInt8(flags | 1 | (isVerified ? 4 : 0), 0);
  numbers.writeUInt32BE(counter, 1);
  return Buffer.concat([createHash("sha256").update(site.host).digest(), numbers]);
}

function toClientData({ type, challenge, site, crossOrigin = false }: Signing): string {
  return toText(Buffer.from(JSON.stringify({ type, challenge, origin: site.origin, crossOrigin })));
}
