import { z } from "zod";

/** `fail`: the hub does not work; `warn`: it works, but an admin should check. */
export const checkStatusSchema = z.enum(["ok", "warn", "fail"]);
export type CheckStatus = z.infer<typeof checkStatusSchema>;

export const doctorCheckSchema = z.object({
  name: z.string(),
  status: checkStatusSchema,
  /** What was found and, unless all is well, what to do about it. */
  message: z.string(),
});
export type DoctorCheck = z.infer<typeof doctorCheckSchema>;

/** A setting as it is in force, and where it came from. Secrets are `"[secret]"`. */
export const settingSchema = z
  .object({
    name: z.string().meta({ description: "The variable, such as `HUB_AUDIT_RETENTION_DAYS`." }),
    description: z.string(),
    value: z.string().nullable(),
    origin: z
      .enum(["default", "environment", "flag", "stored"])
      .meta({ description: "`stored` is what an admin set at run time." }),
    changeable: z
      .boolean()
      .meta({ description: "It can be stored at run time: it is of that kind, and not given." }),
  })
  .meta({ id: "Setting" });
export type Setting = z.infer<typeof settingSchema>;

export const doctorReportSchema = z.object({
  /** Nothing failed; warnings may be there. */
  ok: z.boolean(),
  checks: z.array(doctorCheckSchema),
  settings: z.array(settingSchema),
});
export type DoctorReport = z.infer<typeof doctorReportSchema>;
