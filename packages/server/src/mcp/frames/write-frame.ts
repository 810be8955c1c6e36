import { type Json, toJsonText } from "@hub/connector";
import { errorTable, type HubError } from "../../errors.ts";
import type { IdText } from "./frame.ts";

/** JSON text of an object's members, without its braces: `"a":1,"b":2`. */
export type MembersText = string;

/** A response's frame. The result is passed as text, so that no value is serialized twice. */
export function toResultFrame(id: IdText, result: MembersText): string {
  return `{"jsonrpc":"2.0","id":${id},"result":{${result}}}`;
}

/** An error's frame. The failure's `detail` becomes its `data`. */
export function toErrorFrame(id: IdText, failure: HubError): string {
  const { rpcCode } = errorTable[failure.code];
  const data = Object.keys(failure.detail).length > 0 ? { data: failure.detail } : {};
  const error = toJsonText({ code: rpcCode, message: failure.message, ...data });
  return `{"jsonrpc":"2.0","id":${id},"error":${error}}`;
}

/** A request's frame, of the hub to a client. */
export function toRequestFrame(
  id: IdText,
  method: string,
  params: Readonly<Record<string, Json>>,
): string {
  return `{"jsonrpc":"2.0","id":${id},${toMembers({ method, params })}}`;
}

/** A notification's frame. */
export function toNotificationFrame(method: string, params: Record<string, unknown>): string {
  return toJsonText({ jsonrpc: "2.0", method, params });
}

/** A notification's frame, of params that are text already. */
export function toNotificationText(method: string, params: MembersText): string {
  return `{"jsonrpc":"2.0",${toMembers({ method })},"params":{${params}}}`;
}

/** The members of an object as text, to be joined with others. */
export function toMembers(value: Record<string, unknown>): MembersText {
  return toJsonText(value).slice(1, -1);
}
