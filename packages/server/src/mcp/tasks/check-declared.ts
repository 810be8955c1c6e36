import { HubError } from "../../errors.ts";
import type { CallContext, ClientTold } from "../../operations/operations.ts";
import { tasksExtension } from "../modes/protocol-versions.ts";

/** A request whose client does not declare tasks has none. Nothing is remembered of its other requests. */
export function checkDeclared({ client }: CallContext): ClientTold {
  if (client?.tasks) return client;
  throw new HubError("capability_missing", `This method needs the extension ${tasksExtension}.`, {
    detail: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
  });
}
