import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import Provider from "oidc-provider";

/** The claims of an account of the provider. */
export type Account = {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
};

export type OpenIdProvider = AsyncDisposable & {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Selects the account of all later sign-ins. */
  signInAs(account: Account): void;
  /** Requests to the token endpoint. */
  redemptions(): number;
};

type Options = { redirectUris: readonly string[]; port?: number };

/** Starts an OpenID provider that signs in without user interaction. */
export async function startOpenIdProvider(options: Options): Promise<OpenIdProvider> {
  let provider: Provider | null = null;
  let redemptions = 0;
  const server = createServer((req, res) => {
    if (req.url === "/token") redemptions += 1;
    const uid = /^\/interaction\/(.+)$/.exec(req.url ?? "")?.[1];
    if (provider === null) res.writeHead(503).end();
    else if (uid !== undefined) void decide(provider, req, res);
    else void provider.callback()(req, res);
  });
  await new Promise<void>((resolve) =>
    server.listen(options.port ?? 0, "127.0.0.1", () => resolve()),
  );
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");

  const accounts = new Map<string, Account>();
  let current: Account = { sub: "nobody" };
  const issuer = `http://127.0.0.1:${address.port}`;
  const [clientId, clientSecret] = ["hub", `sso-secret-${crypto.randomUUID()}`];
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [...options.redirectUris],
        token_endpoint_auth_method: "client_secret_post",
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256" }] },
    cookies: { keys: ["a key of a test"] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...accounts.get(sub), sub }) }),
  });

  async function decide(
    at: Provider,
    ...[req, res]: Parameters<Provider["interactionDetails"]>
  ): Promise<void> {
    const { prompt, params, session } = await at.interactionDetails(req, res);
    if (prompt.name === "login") {
      await at.interactionFinished(req, res, { login: { accountId: current.sub } });
      return;
    }
    const grant = new at.Grant({
      accountId: session?.accountId ?? "",
      clientId: String(params.client_id),
    });
    grant.addOIDCScope(String(params.scope));
    await at.interactionFinished(req, res, { consent: { grantId: await grant.save() } });
  }

  return {
    issuer,
    clientId,
    clientSecret,
    signInAs(account) {
      accounts.set(account.sub, account);
      current = account;
    },
    redemptions: () => redemptions,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
