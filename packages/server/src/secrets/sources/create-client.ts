import type { SourceSettings } from "@hub/contract/secret-source.ts";
import type { ClientDeps, SourceClient } from "./source-client.ts";

/** Makes the client of a source. The code of its kind is loaded with the first one. */
export async function createSourceClient(
  deps: ClientDeps,
  settings: SourceSettings,
  credentials: Readonly<Record<string, string>>,
): Promise<SourceClient> {
  switch (settings.kind) {
    case "vault": {
      const { createVaultClient } = await import("./clients/vault.ts");
      return createVaultClient(deps, settings, credentials);
    }
    case "aws": {
      const { createAwsClient } = await import("./clients/aws.ts");
      return createAwsClient(deps, settings, credentials);
    }
    case "google": {
      const { createGoogleClient } = await import("./clients/google.ts");
      return createGoogleClient(deps, settings, credentials);
    }
    case "azure": {
      const { createAzureClient } = await import("./clients/azure.ts");
      return createAzureClient(deps, settings, credentials);
    }
    case "onepassword_connect": {
      const { createOnePasswordConnectClient } = await import("./clients/onepassword-connect.ts");
      return createOnePasswordConnectClient(deps, settings, credentials);
    }
    case "onepassword": {
      const { createOnePasswordClient } = await import("./clients/onepassword.ts");
      return createOnePasswordClient(credentials);
    }
    case "infisical": {
      const { createInfisicalClient } = await import("./clients/infisical.ts");
      return createInfisicalClient(deps, settings, credentials);
    }
  }
}
