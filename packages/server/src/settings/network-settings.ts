import { z } from "zod";
import { findProxyFault } from "../lib/network/trusted-proxies.ts";
import { readList, type Settings, wholeNumber, yesOrNo } from "./setting.ts";

/** Where the hub listens, and how it is reached. */
export const networkSettings = {
  host: {
    schema: z
      .string()
      .regex(/^[\w.:%-]+$/)
      .default("127.0.0.1"),
    description: "address to listen on",
    expects: "an IP address or a host name",
    fallback: "127.0.0.1",
  },
  port: {
    schema: wholeNumber(0, 65_535).default(7420),
    description: "port to listen on; 0 selects a free port",
    expects: "a whole number from 0 to 65535",
    fallback: "7420",
  },
  baseUrl: {
    schema: z.string().transform(readBaseUrl).nullable().default(null),
    description: "address under which clients reach the hub",
    expects: "an http or https address without a path, such as https://hub.example.com",
    fallback: "http://localhost and the port",
  },
  trustedProxies: {
    schema: z
      .string()
      .transform(readList)
      .refine((entries) => findProxyFault(entries) === null)
      .default([]),
    description: "reverse proxies whose X-Forwarded headers are used, comma-separated",
    expects: "a comma-separated list of addresses (10.0.0.7) and networks (10.0.0.0/8)",
    fallback: "none",
  },
  healthChecks: {
    schema: yesOrNo().default(true),
    description: "rows that were called in the last day are checked from time to time",
    expects: "1 or 0",
    fallback: "1",
  },
  drainSeconds: {
    schema: wholeNumber(0, 300).default(0),
    description: "seconds from the signal to stop until the server stops listening",
    expects: "a whole number from 0 to 300",
    fallback: "0",
  },
} as const satisfies Settings;

function readBaseUrl(text: string, ctx: z.RefinementCtx): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.pathname === "/" &&
    `${url.search}${url.hash}${url.username}${url.password}` === "";
  if (!isPlain) {
    ctx.addIssue({ code: "custom", message: "not a base address" });
    return z.NEVER;
  }
  return url.origin;
}
