/** The workflow and the slug of a webhook's address. */
export type WebhookAddress = {
  workflowId: string;
  /** Decoded, without a slash at its start; empty if the address ends after the id. */
  slug: string;
  /** Whether the draft runs. */
  isTest: boolean;
};

const addressForm = /^\/webhook(-test)?\/([a-z0-9][a-z0-9-]{0,63})(?:\/(.*))?$/;

/** Reads the path of a URL. Null if it is no address of a webhook. */
export function parseWebhookPath(path: string): WebhookAddress | null {
  const [found, test, workflowId = "", rest = ""] = addressForm.exec(path) ?? [];
  if (found === undefined) return null;
  const segments = rest.split("/").map(decodeSegment);
  // A decoded slash or dot segment would make two addresses of one slug.
  if (segments.some((segment) => segment === null || /[/\\\0]/.test(segment))) return null;
  return { workflowId, slug: segments.join("/"), isTest: test !== undefined };
}

function decodeSegment(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
