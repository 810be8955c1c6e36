import { splitText } from "@hub/connector";
import { HubError } from "../../errors.ts";

/**
 * The failure without what a program of the row wrote last. Users other than admins do not get it: it can have paths and
 * other things that are not for them.
 */
export function withoutOutput({ code, message, detail, cause, localMessage }: HubError): HubError {
  const { program_output: _, ...others } = detail;
  return new HubError(code, message, {
    detail: others,
    cause,
    ...(localMessage !== null && { localMessage }),
  });
}

/** The message of a failure with the last lines of the program, as one line for a record. */
export function toRecordedMessage({ message, detail }: HubError): string {
  const { program_output: output } = detail;
  if (typeof output !== "string") return message;
  return `${message} Its last lines: ${splitText(output, "\n").join(" / ")}`;
}
