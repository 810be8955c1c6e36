/** The kinds of secret managers. */
export type SourceKind =
  | "vault"
  | "aws"
  | "google"
  | "azure"
  | "onepassword_connect"
  | "onepassword"
  | "infisical";

/** The names of the managers for people. */
export const sourceKindNames: Readonly<Record<SourceKind, string>> = {
  vault: "Vault or OpenBao",
  aws: "AWS Secrets Manager",
  google: "Google Cloud Secret Manager",
  azure: "Azure Key Vault",
  onepassword_connect: "1Password Connect",
  onepassword: "1Password service account",
  infisical: "Infisical",
};

/** The credentials that each authentication needs, by `kind` or `kind.auth`. */
export const sourceCredentials: Readonly<Record<string, readonly string[]>> = {
  "vault.token": ["token"],
  "vault.approle": ["secret_id"],
  "vault.kubernetes": [],
  "vault.jwt": ["jwt"],
  "aws.keys": ["access_key_id", "secret_access_key"],
  "aws.chain": [],
  "google.key": ["service_account"],
  "google.chain": [],
  "azure.client_secret": ["client_secret"],
  "azure.workload": [],
  "azure.chain": [],
  onepassword_connect: ["token"],
  onepassword: ["token"],
  infisical: ["client_id", "client_secret"],
};

/** The settings of each kind beside its authentication, with their defaults. For forms. */
export const sourceFields: Readonly<Record<SourceKind, Readonly<Record<string, string>>>> = {
  vault: {
    address: "",
    namespace: "",
    auth_mount: "",
    role: "",
    kv_mount: "secret",
    kv_version: "2",
  },
  aws: { region: "", endpoint: "" },
  google: { project: "", location: "" },
  azure: { vault: "", cloud: "public", tenant: "", client_id: "" },
  onepassword_connect: { address: "" },
  onepassword: {},
  infisical: { address: "https://app.infisical.com", project: "", environment: "" },
};
