import { HubError } from "../../errors.ts";
import { hubsMax } from "../../lib/hub-path.ts";
import { type Gate, pass, refuse } from "./gate.ts";

/**
 * The call has not come back to this hub over other hubs: it would go round until its time is up. The
 * path is the caller's word: one who leaves it out only loops the own call.
 */
export const hubPath: Gate = ({ hubId }, { hubs }) => {
  if (hubs === undefined) return pass;
  if (hubId !== null && hubs.includes(hubId)) {
    return refuse(
      new HubError(
        "needs_setup",
        "This call has come back to the hub that it began at: rows with the connector mcp lead in a circle. An admin of one of the hubs can change the address of such a row.",
      ),
    );
  }
  if (hubs.length <= hubsMax) return pass;
  return refuse(
    new HubError(
      "needs_setup",
      `This call has passed ${hubsMax} hubs, which is the maximum. An admin can connect the first hub to the last one.`,
    ),
  );
};
