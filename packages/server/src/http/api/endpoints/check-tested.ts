import { z } from "zod";
import type { ApiRequest } from "../endpoint.ts";

/** The result of a run that was started over the API. */
export const testedSchema = z.object({
  result: z.unknown().meta({ description: "The operation's result, sealed." }),
  run_id: z.uuid().meta({ description: "Id of the recorded call." }),
});

type Asked = Pick<ApiRequest, "caller" | "signal" | "ip" | "userAgent">;

/** The context of a call on the test path. */
export function toTestContext({ caller, signal, ip, userAgent }: Asked) {
  return { caller, signal, ip, userAgent };
}
