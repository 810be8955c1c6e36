import { z } from "zod";

/** The logo that is shown beside a name. */
export const logoSchema = z.string().nullable().meta({
  description:
    "Name of the brand's logo, such as `github`, as the package simple-icons has it; null if the hub has none.",
});
