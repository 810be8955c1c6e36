import { findAllowFault } from "@hub/connector";
import { z } from "zod";
import { isLoopbackHost } from "../lib/network/bind-host.ts";

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

/** A list of private hosts and networks that may be called. */
export function hostList(description: string) {
  return {
    schema: z
      .string()
      .transform(readList)
      .refine((entries) => findAllowFault(entries) === null)
      .default([]),
    description,
    expects:
      "a comma-separated list of hosts (nas.lan, nas.lan:8443), addresses and networks (10.0.0.0/8)",
    fallback: "none",
  } as const;
}

/**
 * Whether it is an https address, or an http address of this machine, without a query or a user name. Without TLS everyone on
 * the network path could read what is sent and pose as who answers.
 */
export function isSecureAddress(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || `${url.search}${url.hash}${url.username}${url.password}` !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname));
}
