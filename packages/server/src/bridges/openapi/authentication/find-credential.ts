import type { CallTools } from "@hub/connector";
import { HubError } from "../../../errors.ts";
import type { Binding } from "../binding.ts";
import type { OpenApiConfig } from "../openapi-config-fields.ts";
import type { AccessTokens } from "./access-tokens.ts";

type Context = Pick<CallTools, "fetch" | "mask" | "signal"> & {
  config: OpenApiConfig;
  rowId: string;
};

/** The credential of a request by the row's settings; null for none. */
export async function findCredential(
  tokens: AccessTokens,
  ctx: Context,
  apiKey: Binding["apiKey"],
): Promise<Credential | null> {
  const { config, mask } = ctx;
  switch (config.AuthMode) {
    case "none":
      return null;
    case "api_key":
      return { ...findKeyTarget(config, apiKey), value: maskTrimmed(config.APIKey, mask) };
    case "basic": {
      if (config.Username.includes(":")) refuse("username contains a colon");
      const pair = `${config.Username}:${config.Password ?? ""}`;
      const credentials = Buffer.from(pair).toString("base64");
      // Masking the password alone would leave the encoded user name visible.
      if (config.Password) mask(credentials, { ofRow: true });
      return toAuthorization(`Basic ${credentials}`);
    }
    // The hub puts the access token of a sign-in in the place of the row's token.
    case "oauth":
    case "bearer":
      return toAuthorization(`Bearer ${maskTrimmed(config.Token, mask)}`);
    case "client_credentials":
      return toAuthorization(`Bearer ${await tokens.take(ctx)}`);
  }
}

function toAuthorization(value: string): Credential {
  return { in: "header", name: "authorization", value };
}

function findKeyTarget(
  { KeyIn, KeyName }: OpenApiConfig,
  apiKey: Binding["apiKey"],
): Pick<Credential, "in" | "name"> {
  const name = KeyName?.trim() ?? "";
  const place = KeyIn === "as_documented" ? (apiKey?.in ?? "header") : KeyIn;
  const found = name === "" ? apiKey?.name : name;
  if (found === undefined) {
    refuse(
      "the document does not say where the API key is sent, so key_in and key_name must be set",
    );
  }
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(found) && place !== "query") {
    refuse("key_name is not a valid name");
  }
  return { in: place, name: found };
}

/** A secret may have been pasted with a line break, which is not sent. */
function maskTrimmed(secret: string, mask: CallTools["mask"]): string {
  const trimmed = secret.trim();
  if (trimmed !== secret) mask(trimmed, { ofRow: true });
  if (/[^\t\x20-\x7e\x80-\xff]/.test(trimmed)) {
    refuse("the credential has a character that a request cannot have");
  }
  return trimmed;
}

function refuse(problem: string): never {
  throw new HubError(
    "needs_setup",
    `This row's configuration is invalid: ${problem}. An admin can correct it in the settings of the row.`,
  );
}

/** What a request shows to authenticate itself. */
export type Credential = { in: "header" | "query" | "cookie"; name: string; value: string };
