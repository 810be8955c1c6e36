/** A server with the routes of Vault that the hub uses, with secrets that a test changes. */
export type VaultStub = AsyncDisposable & {
  url: string;
  /** By path below `secret/`. */
  secrets: Map<string, Record<string, unknown>>;
  /** The paths that were asked for, as they were sent. */
  asked: string[];
  /** Answers every request in the place of the secrets. */
  fails: null | (() => Response | Promise<Response>);
  token: string;
};

export function startVaultStub(): VaultStub {
  const stub: Omit<VaultStub, "url" | typeof Symbol.asyncDispose> = {
    secrets: new Map(),
    asked: [],
    fails: null,
    token: "token-of-the-hub",
  };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname } = new URL(request.url);
      stub.asked.push(request.url.slice(request.url.indexOf("/v1/")));
      if (stub.fails !== null) return stub.fails();
      if (request.headers.get("x-vault-token") !== stub.token) {
        return Response.json({ errors: ["permission denied"] }, { status: 403 });
      }
      const data = stub.secrets.get(pathname.replace("/v1/secret/data/", ""));
      if (data === undefined) return Response.json({ errors: [] }, { status: 404 });
      return Response.json({ data: { data, metadata: { version: 1 } } });
    },
  });
  return Object.assign(stub, {
    url: `http://127.0.0.1:${server.port}`,
    [Symbol.asyncDispose]: () => server.stop(true),
  });
}
