import { z } from "zod";

/** What the hub knows of one setting. */
export type Setting = {
  /** Parses its text. A setting that is not given has its default. */
  schema: z.ZodType;
  description: string;
  /** Completes "HUB_X must be …". */
  expects: string;
  /** The default in words. */
  fallback: string;
  /** Never shown, and without a flag: all users of the machine can list arguments. */
  secret?: true;
  /** An admin may change it while the hub runs. */
  isLive?: true;
};

export type Settings = Readonly<Record<string, Setting>>;

export function yesOrNo() {
  return z.enum(["1", "true", "0", "false"]).transform((text) => text === "1" || text === "true");
}

/** 0 is no limit. */
export function limit(min: number, max: number) {
  return wholeNumber(0, max).refine((value) => value === 0 || value >= min);
}

export function wholeNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .refine((value) => value >= min && value <= max);
}

export function readList(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
