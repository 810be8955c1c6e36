import type { SourceClient } from "../source-client.ts";
import { SourceFailure } from "../source-failure.ts";

/** What the hub uses of the package. */
type Sdk = {
  createClient(options: {
    auth: string;
    integrationName: string;
    integrationVersion: string;
  }): Promise<{ secrets: { resolve(reference: string): Promise<string> } }>;
};

const packageName = "@1password/sdk";

/**
 * Service accounts of 1Password. What they read is encrypted from end to end, so only 1Password's own package can read
 * it. It has 14 MB, and is installed beside the hub by who needs it.
 */
export function createOnePasswordClient({ token = "" }: { token?: string }): SourceClient {
  let opened: ReturnType<Sdk["createClient"]> | null = null;
  return {
    async read({ path, field, version }) {
      if (version !== null) {
        throw new SourceFailure(
          "bad",
          "1Password has no versions here. Remove it from the reference",
        );
      }
      const sdk = await loadSdk();
      opened ??= sdk.createClient({
        auth: token,
        integrationName: "Hub",
        integrationVersion: "v1.0.0",
      });
      try {
        const client = await opened;
        return {
          value: await client.secrets.resolve(`op://${path}/${field || "password"}`),
          version: null,
        };
      } catch (thrown) {
        opened = null;
        throw toFailure(thrown);
      }
    },
  };
}

async function loadSdk(): Promise<Sdk> {
  try {
    // Not a literal: bundles must not look for it.
    const name: string = packageName;
    // Safe: a package of this name has this function, or the first read fails.
    return (await import(name)) as Sdk;
  } catch {
    throw new SourceFailure(
      "bad",
      `service accounts of 1Password need the package ${packageName}. Install it beside the hub (npm install ${packageName}), or use 1Password Connect`,
    );
  }
}

/** Its errors are texts. They may name the secret, so they are not quoted. */
function toFailure(thrown: unknown): SourceFailure {
  const text = String(thrown).toLowerCase();
  if (/rate limit|too many|timed? ?out|network|connect|unavailable/.test(text)) {
    return new SourceFailure("away", "1Password cannot be reached, or limits the hub");
  }
  if (/no (?:vault|item|field|matching)|not found|couldn't find/.test(text)) {
    return new SourceFailure(
      "absent",
      "1Password has no such secret, or does not show it to the hub",
    );
  }
  return new SourceFailure("refused", "1Password refused the hub this secret");
}
