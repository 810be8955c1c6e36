import { HubError, toInvalidParams } from "../../../errors.ts";

/** Refuses a param, as the check of its type would have. */
export function refuseParam(path: string, message: string): never {
  throw toInvalidParams([{ path, message }]);
}

/** Refuses a value of the row that no call can be made with. */
export function refuseSetting(field: string, message: string): never {
  throw new HubError(
    "needs_setup",
    `This row's configuration is invalid: ${field} ${message}. Ask an admin to correct it.`,
  );
}
