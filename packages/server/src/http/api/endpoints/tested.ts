import { z } from "zod";

/** What a run that was asked for over the API came to. */
export const testedSchema = z.object({
  result: z.unknown().meta({ description: "The operation's own result, sealed." }),
  run_id: z.uuid().meta({ description: "Where it is on record." }),
});
