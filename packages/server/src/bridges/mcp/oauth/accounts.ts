import { HubError } from "../../../errors.ts";
import type { SessionAccount } from "../send-authorized.ts";
import type { RowAuthorizer } from "./authorize-row.ts";
import { type AuthorizedRow, toGrantId } from "./authorized-row.ts";
import { isScope } from "./connect-target.ts";

/** A call, whose output must not contain a token. */
type MaskedCall = {
  mask(value: string, options?: { ofRow?: boolean }): void;
  signal: AbortSignal;
};

export type Accounts = ReturnType<typeof createAccounts>;

/** The tokens of sessions, which are masked in all calls that may see them. */
export function createAccounts(authorizer: Omit<RowAuthorizer, "close">) {
  /** The calls under way, by grant. A server may repeat a token that another call brought. */
  const calls = new Map<string, Set<MaskedCall>>();

  function maskInCalls(grantId: string, token: string): string {
    for (const call of calls.get(grantId) ?? []) call.mask(token, { ofRow: true });
    return token;
  }

  return {
    /** Throws `needs_setup` before a session is opened, so that this is no failure of the server. */
    async maskDuring<T>(row: AuthorizedRow, call: MaskedCall, work: () => Promise<T>): Promise<T> {
      const grantId = toGrantId(row);
      const ofRow = calls.get(grantId) ?? new Set();
      calls.set(grantId, ofRow.add(call));
      try {
        maskInCalls(grantId, await authorizer.findToken(row, call.signal));
        return await work();
      } finally {
        ofRow.delete(call);
        if (ofRow.size === 0) calls.delete(grantId);
      }
    },

    open(row: AuthorizedRow): SessionAccount {
      const grantId = toGrantId(row);
      return {
        async findToken(url, signal) {
          checkOrigin(row, url);
          return maskInCalls(grantId, await authorizer.findToken(row, signal));
        },
        async renewToken(url, refused, signal) {
          checkOrigin(row, url);
          return maskInCalls(grantId, await authorizer.renewToken(row, refused, signal));
        },
        async checkAnswer(response) {
          const { status } = response;
          if (status !== 401 && status !== 403) return;
          const { extractWWWAuthenticateParams } = await import("@modelcontextprotocol/client");
          const { error, scope } = extractWWWAuthenticateParams(response);
          const isScopeMissing = error === "insufficient_scope";
          if (status === 403 && !isScopeMissing) return;
          await response.body?.cancel();
          const page = await authorizer.findPage(row.rowId);
          if (isScopeMissing) throw toScopeError(scope, page, status);
          if (row.account !== null) {
            throw await authorizer.refuse(row, "the MCP server refused a fresh access token.");
          }
          throw new HubError(
            "needs_setup",
            `The MCP server refused a fresh access token of the row. Ask an admin to connect it again at ${page}.`,
            { detail: { http_status: status } },
          );
        },
      };
    },
  };
}

/** Attack: a server that names another address for its messages would get the token sent there. */
function checkOrigin({ address }: AuthorizedRow, url: URL): void {
  if (url.origin === address.origin) return;
  throw new HubError(
    "upstream_error",
    "The MCP server names another host for its messages. The row's access token is not sent there.",
  );
}

const scopeCharsMax = 200;

function toScopeError(scope: string | undefined, page: string, status: number): HubError {
  const text = (scope ?? "").split(" ").filter(isScope).join(" ");
  const named =
    text === "" || text.length > scopeCharsMax ? "further scopes" : `the scopes ${text}`;
  return new HubError(
    "needs_setup",
    `The MCP server requires ${named} for this. Ask an admin to add them to Scopes and to connect the row again at ${page}.`,
    { detail: { http_status: status } },
  );
}
