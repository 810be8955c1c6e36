import type { ConnectorCall } from "../../../connectors/connector-port.ts";
import type { ElicitedAnswer } from "../../../connectors/elicited-form.ts";
import { checkForm } from "./check-form.ts";

type Asking = Pick<ConnectorCall, "elicit">;

/**
 * Asks the person of the call that a server asks about. The protocol does not say which call that is, so there must be one
 * alone. The reason if the form is not shown, or has no answer.
 */
export async function elicit(
  calls: ReadonlySet<Asking>,
  params: unknown,
): Promise<ElicitedAnswer | { refused: string }> {
  const [call, ...others] = calls;
  if (call?.elicit === undefined || others.length > 0) {
    return { refused: "The hub cannot say whose call this form is about, so it is not shown." };
  }
  const form = checkForm(params);
  if ("refused" in form) return form;
  return (await call.elicit(form)) ?? { action: "cancel" };
}
