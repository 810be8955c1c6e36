import { HubError, toInvalidParams } from "../../../errors.ts";

/** Refuses a param, like the check of its type. */
export function refuseParam(path: string, message: string): never {
  throw toInvalidParams([{ path, message }]);
}

/** Refuses an invalid setting of the row, with which no call is possible. */
export function refuseSetting(field: string, message: string): never {
  throw new HubError(
    "needs_setup",
    `This row's configuration is invalid: ${field} ${message}. An admin can correct it in the settings of the row.`,
  );
}
