type Named = { account_id: string; account_name: string | null };

/** The name on the platform, or the id of a person without one. */
export function toAccountName({ account_id: id, account_name: name }: Named): string {
  return name ?? id;
}

/** "slack" → "Slack". */
export function toPlatformName(kind: string): string {
  return `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}`;
}
