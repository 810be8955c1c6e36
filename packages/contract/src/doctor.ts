import { z } from "zod";
import { timeSchema } from "./time.ts";

/** `fail`: the hub does not work; `warn`: it works, but an admin should check; `unknown`: it was not seen to work. */
export const checkStatusSchema = z.enum(["ok", "warn", "fail", "unknown"]);
export type CheckStatus = z.infer<typeof checkStatusSchema>;

export const doctorCheckSchema = z
  .object({
    name: z.string(),
    status: checkStatusSchema.meta({
      description:
        "`ok`: it was seen to work. `warn`: the hub works, but an admin should check. `fail`: the hub does not work. `unknown`: it was not checked.",
    }),
    message: z.string().meta({ description: "The result and, if there is a problem, what to do." }),
    checked_at: timeSchema.nullable().meta({
      description: "When it was seen. Null if it was not checked.",
    }),
  })
  .meta({ id: "Check" });
export type DoctorCheck = z.infer<typeof doctorCheckSchema>;

/** A setting with its effective value and its origin. The value of a secret is `"[secret]"`. */
export const settingSchema = z
  .object({
    name: z.string().meta({ description: "The variable, such as `HUB_AUDIT_RETENTION_DAYS`." }),
    description: z.string(),
    value: z.string().nullable(),
    origin: z
      .enum(["default", "environment", "flag", "stored"])
      .meta({ description: "`stored` is a value that an admin set at run time." }),
    changeable: z.boolean().meta({
      description: "Whether it can be changed at run time. False if a flag or a variable sets it.",
    }),
  })
  .meta({ id: "Setting" });
export type Setting = z.infer<typeof settingSchema>;

export const doctorReportSchema = z.object({
  /** True if no check failed. There may be warnings. */
  ok: z.boolean(),
  checks: z.array(doctorCheckSchema),
  settings: z.array(settingSchema),
});
export type DoctorReport = z.infer<typeof doctorReportSchema>;
