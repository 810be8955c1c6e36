import type { SecretLocation } from "./at-rest.ts";

/** The tokens of a row's connection are sealed for the row, and open nowhere else. */
export function toConnectionLocation(rowId: string): SecretLocation {
  return { table: "row_connections", row: rowId, field: "connection" };
}

/** A workflow's secret is sealed for the workflow and its name, and opens nowhere else. */
export function toWorkflowSecretLocation(workflowId: string, name: string): SecretLocation {
  return { table: "workflow_secrets", row: workflowId, field: name };
}

/** The credentials of a secret manager. */
export function toSourceLocation(sourceId: string): SecretLocation {
  return { table: "secret_sources", row: sourceId, field: "credentials" };
}

/** A user's account in a row is sealed for the user, the row and the account, and opens nowhere else. */
export function toAccountLocation({
  id,
  userId,
  rowId,
}: Record<"id" | "userId" | "rowId", string>): SecretLocation {
  return { table: "user_accounts", row: `${rowId}/${id}`, field: "account", userId };
}

/** The secret of a user's app for codes, which opens for this user and factor alone. */
export function toFactorLocation({ id, userId }: Record<"id" | "userId", string>): SecretLocation {
  return { table: "second_factors", row: id, field: "totp", userId };
}

/** The client that the hub registered for a row. */
export function toClientLocation(rowId: string): SecretLocation {
  return { table: "row_clients", row: rowId, field: "client" };
}

/** The refresh token of a person's session at the single sign-on provider is sealed for the person there. */
export function toProviderLocation({
  issuer,
  subject,
}: Record<"issuer" | "subject", string>): SecretLocation {
  const row = `${issuer.length}:${issuer}${subject}`;
  return { table: "provider_sessions", row, field: "refresh_token" };
}
