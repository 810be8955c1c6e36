import { type CallTools, type FieldValues, wick } from "@hub/connector";

/** The fields of one log datasource of one organisation, with the login to read it. */
export const configFields = {
  BaseURL: wick(
    "url;required;pattern=^https?://[^/?#]+/?$;hint=must be scheme and host only, such as https://grafana.example.com;desc=Scheme and host of the dashboard host, such as https://grafana.example.com",
  ),
  Status: wick("html=status;desc=Whether the host answers, and its version"),
  AuthMode: wick(
    "dropdown=basic|token;default=basic;desc=basic is a username and password, token a service account's token",
  ),
  Username: wick("personal;required;visible_when=auth_mode:basic"),
  Password: wick("secret;personal;required;visible_when=auth_mode:basic"),
  Token: wick(
    "secret;personal;required;visible_when=auth_mode:token;desc=Token of a service account",
  ),
  OrgID: wick.int(
    "html=organisations;required;pattern=^[1-9][0-9]*$;hint=must be a number from 1 on;desc=The organisation of the datasource",
  ),
  DatasourceUID: wick(
    "html=datasources;required;desc=The log datasource to read. Select the organisation first",
  ),
};

/** Every value can be missing during the setup of a row. */
export type RowConfig = Partial<FieldValues<typeof configFields>>;

/** The members of a call's context that requests to the dashboard host use. */
export type HostContext = Pick<CallTools, "fetch" | "mask"> & { config: RowConfig };

/** Secrets that a cut must not split if the host echoes them. */
export function listSecrets({ Username = "", Password = "", Token = "" }: RowConfig): string[] {
  // Basic authentication sends the encoded pair.
  return Password === "" ? [Token] : [Password, Token, `${Username}:${Password}`];
}
