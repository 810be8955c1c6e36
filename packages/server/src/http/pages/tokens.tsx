/** @jsxImportSource hono/jsx */
import type { Token } from "@hub/contract/token.ts";
import { raw } from "hono/html";
import type { SignedIn } from "../../identity/browser-sessions.ts";
import { Confirm } from "./confirm.tsx";
import { CsrfField, Field, Notice, Page } from "./page.tsx";
import { copyScript } from "./page-scripts.ts";
import { Time } from "./time.tsx";

export type TokenMessages = {
  /** The token just created, shown only once. */
  created: string | null;
  /** What is wrong with the form of a new token. */
  fault: string | null;
  /** Why a token was not rotated. */
  rotationFault: string | null;
};

type TokensProps = TokenMessages & {
  signedIn: SignedIn;
  tokens: readonly Token[];
  /** The cursor of the next page; null on the last page. */
  next: string | null;
};

export const tokensPath = "/profile/tokens";

export function TokensPage({ signedIn, tokens, next, ...messages }: TokensProps) {
  const { created, fault, rotationFault } = messages;
  const { csrfToken } = signedIn;
  return (
    <Page title="Access tokens" signedIn={signedIn} here={tokensPath}>
      {created !== null && <CreatedToken token={created} />}
      {rotationFault !== null && <Notice kind="error">{rotationFault}</Notice>}
      <p>
        A token lets a program act on your behalf: a client without OAuth, a script, curl. Keep it
        secret like a password, and give each program its own token. You can have 50 tokens at a
        time.
      </p>
      <section class="card" aria-labelledby="new">
        <h2 id="new">New token</h2>
        <NewToken csrfToken={csrfToken} fault={fault} />
      </section>
      <section class="card" aria-labelledby="yours">
        <h2 id="yours">Your tokens</h2>
        <LiveTokens tokens={tokens} csrfToken={csrfToken} />
        {next !== null && (
          <a href={`${tokensPath}?after=${encodeURIComponent(next)}`}>More tokens</a>
        )}
      </section>
    </Page>
  );
}

function CreatedToken({ token }: { token: string }) {
  return (
    <>
      <Notice kind="success">
        <p>
          <strong>Your new token.</strong> Copy it now: it is not shown again.
        </p>
        <pre class="wrap" data-copy="the token">
          {token}
        </pre>
      </Notice>
      <script>{raw(copyScript)}</script>
    </>
  );
}

function NewToken({ csrfToken, fault }: Pick<TokensProps, "fault"> & { csrfToken: string }) {
  return (
    <form method="post" action={tokensPath} class="inline">
      <CsrfField token={csrfToken} />
      <Field
        name="name"
        label="Name"
        help="What you use it for, such as: Cursor on my laptop."
        error={fault}
        required
      />
      <div class="field">
        <label for="scope">Access to</label>
        <select id="scope" name="scope" aria-describedby="scope-help">
          <option value="mcp" selected>
            MCP
          </option>
          <option value="manage">MCP and the management API</option>
        </select>
        <p class="help" id="scope-help">
          MCP clients need MCP only.
        </p>
      </div>
      <div class="field">
        <label for="expires_in_days">Expires</label>
        <select id="expires_in_days" name="expires_in_days">
          <option value="30">after 30 days</option>
          <option value="90" selected>
            after 90 days
          </option>
          <option value="365">after a year</option>
          <option value="">never</option>
        </select>
      </div>
      <Field
        name="only"
        label="Only these rows and tools"
        help="Ids of rows, or tool_ids. Empty for all that you may call. It opens MCP only, and always expires."
      />
      <Field
        name="addresses"
        label="Only from these addresses"
        help="Such as 10.0.0.0/8. Empty for all."
      />
      <button type="submit">Create token</button>
    </form>
  );
}

type LiveTokensProps = Pick<TokensProps, "tokens"> & { csrfToken: string };

function LiveTokens({ tokens, csrfToken }: LiveTokensProps) {
  const live = tokens.filter(({ revoked_at }) => revoked_at === null);
  if (live.length === 0) return <p class="soft">You have no tokens yet.</p>;
  return (
    <table class="stack">
      <thead>
        <tr>
          <th>Name</th>
          <th>Ends with</th>
          <th>Access to</th>
          <th>Last used</th>
          <th>Expires</th>
          <th>
            <span class="hub-unseen">Action</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {live.map((token) => (
          <tr>
            <td data-label="Name">{token.name}</td>
            <td data-label="Ends with">
              <code>…{token.last_four}</code>
            </td>
            <td data-label="Access to">
              {token.scope === "manage"
                ? "MCP and API"
                : token.bounds === null
                  ? "MCP"
                  : "MCP, limited"}
            </td>
            <td data-label="Last used">
              <Time at={token.last_used_at} />
            </td>
            <td data-label="Expires">
              <Time at={token.expires_at} />
            </td>
            <td>
              <div class="actions">
                <Rotate token={token} csrfToken={csrfToken} />
                <Confirm
                  action={`${tokensPath}/${token.id}/revoke`}
                  csrfToken={csrfToken}
                  name="Revoke"
                  question="Programs that use it lose access at once."
                />
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Makes a new token like this one. The old one stays valid as long as its programs need. */
function Rotate({ token: { id, name }, csrfToken }: { token: Token; csrfToken: string }) {
  return (
    <details class="confirm">
      <summary aria-label={`Rotate ${name}`}>Rotate</summary>
      <form method="post" action={`${tokensPath}/${id}/rotate`}>
        <CsrfField token={csrfToken} />
        <p>
          <label for={`overlap-${id}`}>The old token ends</label>
        </p>
        <select id={`overlap-${id}`} name="overlap_hours">
          <option value="0">at once</option>
          <option value="1">in an hour</option>
          <option value="24" selected>
            in 24 hours
          </option>
          <option value="168">in 7 days</option>
        </select>
        <button type="submit">Rotate</button>
      </form>
    </details>
  );
}
