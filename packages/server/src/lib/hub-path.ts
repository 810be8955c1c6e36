/** The member of an MCP request's `_meta` with the ids of the hubs that the call has passed, oldest first. */
export const hubPathKey = "hub/path";

/** A call that has passed more hubs is refused. */
export const hubsMax = 8;

const idForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The ids that a client has sent. What is not an id is left out: it names no hub. */
export function readHubPath(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  const ids = value.filter((id) => typeof id === "string" && idForm.test(id));
  // One more than allowed, so that the call is refused.
  return ids.slice(0, hubsMax + 1);
}
