import { z } from "zod";

/** The result of a run that was started over the API. */
export const testedSchema = z.object({
  result: z.unknown().meta({ description: "The operation's result, sealed." }),
  run_id: z.uuid().meta({ description: "Id of the recorded run." }),
});
