import { describeIssues, HubError } from "../../../errors.ts";

/** Refuses a param, as the check of its type would have. */
export function refuseParam(path: string, message: string): never {
  const issues = [{ path, message }];
  const sentence = `Check the params and call again: ${describeIssues(issues)}`;
  throw new HubError("invalid_params", sentence, { detail: { issues } });
}

/** Refuses a value of the row that no call can be made with. */
export function refuseSetting(field: string, message: string): never {
  throw new HubError(
    "needs_setup",
    `This row cannot be used as it is set up: ${field} ${message}. Ask an admin to correct it.`,
  );
}
