/** @jsxImportSource hono/jsx */

import type { ClientSnippet } from "@hub/contract/client-snippets.ts";
import type { SignedIn } from "../../identity/sessions.ts";
import { Page } from "./page.tsx";

type ConnectProps = { signedIn: SignedIn; mcpUrl: string; snippets: readonly ClientSnippet[] };

export const connectPath = "/profile/mcp";

export function ConnectPage({ signedIn, mcpUrl, snippets }: ConnectProps) {
  return (
    <Page title="Connect a client" signedIn={signedIn} here={connectPath}>
      <section class="card" aria-labelledby="address">
        <h2 id="address">The address</h2>
        <pre class="wrap">{mcpUrl}</pre>
        <p>
          A client that supports OAuth needs only this address: it opens this hub in your browser
          and asks for your consent. For other clients, create an{" "}
          <a href="/profile/tokens">access token</a> and use it in place of <code>YOUR_TOKEN</code>.
        </p>
      </section>
      {snippets.map(({ client, place, text }) => (
        <section class="card">
          <h2>{client}</h2>
          <p class="soft">{place}</p>
          <pre>{text}</pre>
        </section>
      ))}
    </Page>
  );
}
