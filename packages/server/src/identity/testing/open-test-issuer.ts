import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

type Claims = Record<string, unknown>;

export type TestIssuer = Disposable & {
  /** Its address, without a slash at the end. */
  issuer: string;
  /** The key that its ID tokens should be signed with. */
  ownKey: KeyObject;
  /**
   * Sets the response of the token endpoint: claims, the signing key, and changes after signing.
   */
  answerWith(claims: Claims, key?: KeyObject | null, alter?: (token: string) => string): void;
  /** Answers at the token endpoint with more members than the ID token, or with an error. */
  answerMore(more: Claims, status?: number): void;
  /** The claims of `/userinfo`. Null: the issuer has no such endpoint until then. */
  answerUserInfo(claims: Claims, status?: number): void;
};

/** The key of all these issuers: a new one takes a tenth of a second of the processor. */
const own = generateKeyPairSync("rsa", { modulusLength: 2048 });

/** An OpenID provider whose token endpoint returns what the test sets. */
export function openTestIssuer(): TestIssuer {
  let answer = {
    claims: {},
    key: own.privateKey as KeyObject | null,
    alter: (token: string) => token,
  };
  let more = { members: {} as Claims, status: 200 };
  let userInfo: { claims: Claims; status: number } | null = null;
  const host = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(req): Response {
      const { pathname, origin } = new URL(req.url);
      if (pathname === "/jwks") {
        const jwk = { ...own.publicKey.export({ format: "jwk" }), use: "sig", alg: "RS256" };
        return Response.json({ keys: [jwk] });
      }
      if (pathname === "/userinfo") {
        return Response.json(userInfo?.claims ?? {}, { status: userInfo?.status ?? 404 });
      }
      if (pathname !== "/token") {
        const metadata = toMetadata(origin);
        const named = userInfo === null ? {} : { userinfo_endpoint: `${origin}/userinfo` };
        return Response.json({ ...metadata, ...named });
      }
      if (more.status !== 200) return Response.json(more.members, { status: more.status });
      const now = Math.floor(Date.now() / 1000);
      const idToken = toJwt(answer.key, {
        iss: origin,
        aud: "hub",
        sub: "s1",
        iat: now,
        exp: now + 60,
        email: "ada@example.com",
        email_verified: true,
        ...answer.claims,
      });
      const tokens = { access_token: "a", token_type: "Bearer" };
      return Response.json({ ...tokens, id_token: answer.alter(idToken), ...more.members });
    },
  });
  return {
    issuer: host.url.origin,
    ownKey: own.privateKey,
    answerWith(claims, key = own.privateKey, alter = (token) => token) {
      answer = { claims, key, alter };
    },
    answerMore: (members, status = 200) => void (more = { members, status }),
    answerUserInfo: (claims, status = 200) => void (userInfo = { claims, status }),
    [Symbol.dispose]: () => void host.stop(true),
  };
}

function toMetadata(issuer: string): Record<string, string> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
  };
}

function toJwt(key: KeyObject | null, claims: Claims): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${encode({ alg: key === null ? "none" : "RS256" })}.${encode(claims)}`;
  const signature =
    key === null ? "" : sign("sha256", Buffer.from(text), key).toString("base64url");
  return `${text}.${signature}`;
}
