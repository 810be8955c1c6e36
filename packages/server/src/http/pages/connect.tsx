/** @jsxImportSource hono/jsx */

import {
  type ClientSnippet,
  toClientSnippets,
  toFurtherSnippets,
  toInstallLinks,
} from "@hub/contract/client-snippets.ts";
import { raw } from "hono/html";
import type { SignedIn } from "../../identity/browser-sessions.ts";
import { Page } from "./page.tsx";
import { copyScript } from "./page-scripts.ts";

type ConnectProps = {
  signedIn: SignedIn;
  mcpUrl: string;
  /** The tab of the further clients, as the address names it. */
  client: string | undefined;
};

export const connectPath = "/profile/mcp";

export function ConnectPage({ signedIn, mcpUrl, client }: ConnectProps) {
  return (
    <Page title="Connect a client" signedIn={signedIn} here={connectPath}>
      <section class="card" aria-labelledby="address">
        <h2 id="address">The address</h2>
        <pre class="wrap" data-copy="the address">
          {mcpUrl}
        </pre>
        <p>
          A client that supports OAuth needs only this address: it opens this hub in your browser
          and asks for your consent. For other clients, create an{" "}
          <a href="/profile/tokens">access token</a> and use it in place of <code>YOUR_TOKEN</code>.{" "}
          <a href="/operations">What I can call</a> shows what your clients will find.
        </p>
        <p class="actions">
          {toInstallLinks(mcpUrl).map(({ name, href }) => (
            <a class="button quiet" href={href}>
              {name}
            </a>
          ))}
        </p>
      </section>
      <div class="columns">
        {toClientSnippets(mcpUrl).map((snippet) => (
          <section class="card">
            <h2>{snippet.client}</h2>
            <Snippet snippet={snippet} />
          </section>
        ))}
      </div>
      <FurtherClients mcpUrl={mcpUrl} client={client} />
      <script>{raw(copyScript)}</script>
    </Page>
  );
}

/** One tab for each. A tab is a link, so that it works without scripts and stands in the address. */
function FurtherClients({ mcpUrl, client }: Pick<ConnectProps, "mcpUrl" | "client">) {
  const snippets = toFurtherSnippets(mcpUrl);
  const shown = snippets.find(({ key }) => key === client) ?? snippets[0];
  return (
    <section class="card" aria-labelledby="more">
      <h2 id="more">Other clients</h2>
      <nav class="tabs" aria-label="Other clients">
        {snippets.map(({ key, client: name }) => (
          <a
            href={`${connectPath}?client=${key}#more`}
            aria-current={key === shown?.key ? "true" : undefined}
          >
            {name}
          </a>
        ))}
      </nav>
      {shown !== undefined && <Snippet snippet={shown} />}
    </section>
  );
}

function Snippet({ snippet: { client, location, text } }: { snippet: ClientSnippet }) {
  return (
    <>
      <p class="soft">{location}</p>
      <pre class="wrap" data-copy={`the lines for ${client}`}>
        {text}
      </pre>
    </>
  );
}
