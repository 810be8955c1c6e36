import type { Server } from "bun";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

type Key = Awaited<ReturnType<typeof generateKeyPair>> & { kid: string };

async function createKey(kid: string): Promise<Key> {
  return { kid, ...(await generateKeyPair("RS256", { extractable: true })) };
}

/** An issuer with its metadata and its keys on a port of this machine. */
export async function openIssuer() {
  let key = await createKey("first");
  const asked: string[] = [];
  const server: Server<undefined> = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(req): Promise<Response> {
      const { pathname } = new URL(req.url);
      asked.push(pathname);
      if (pathname === "/.well-known/openid-configuration") {
        return Response.json({ issuer, jwks_uri: `${issuer}/keys` });
      }
      if (pathname !== "/keys") return new Response(null, { status: 404 });
      const jwk = await exportJWK(key.publicKey);
      return Response.json({ keys: [{ ...jwk, kid: key.kid, alg: "RS256", use: "sig" }] });
    },
  });
  const issuer: string = `http://127.0.0.1:${server.port}`;
  return {
    issuer,
    asked,
    publicJwk: async () => await exportJWK(key.publicKey),
    async rotate() {
      key = await createKey("second");
    },
    /** A signed JWT. `at` is its `iat` in epoch ms; it lives for five minutes unless `exp` is among the claims. */
    async sign(
      claims: JWTPayload & Record<string, unknown>,
      { at, typ = "JWT", signer = key }: { at: number; typ?: string; signer?: Key },
    ): Promise<string> {
      const seconds = Math.floor(at / 1000);
      return await new SignJWT({ iss: issuer, iat: seconds, exp: seconds + 300, ...claims })
        .setProtectedHeader({ alg: "RS256", typ, kid: signer.kid })
        .sign(signer.privateKey);
    },
    createKey,
    stop: () => server.stop(true),
  };
}
