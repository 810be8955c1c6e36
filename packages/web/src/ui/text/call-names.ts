/** What the hub itself asks of a row, recorded among its calls. */
const ofHub: ReadonlyMap<string, string> = new Map([
  ["hub.health", "Health check"],
  ["hub.discover", "Discovery"],
  ["hub.lookup", "Look-up of values"],
  ["hub.servers", "Reading of servers"],
]);

type Called = { operation_key: string };

/** What people read for the operation of a call: its key, or in words what the hub asked of the row. */
export function toCallName({ operation_key: key }: Called): string {
  return ofHub.get(key) ?? key;
}

/** Who made a call. What the hub asks by its timer has no user. */
export function toCaller(call: Called & { user: string | null }): string {
  return call.user ?? (ofHub.has(call.operation_key) ? "The hub" : "Deleted user");
}

/** The argument that tells a call from others; those of the hub's own questions say nothing. */
export function toCallArgument(call: Called & { argument: string | null }): string | null {
  return ofHub.has(call.operation_key) ? null : call.argument;
}
