import { z } from "zod";
import { isSecureAddress, type Settings } from "./setting.ts";

/** The endpoint outside that makes vectors of texts. */
export const embeddingsSettings = {
  embeddingsUrl: {
    schema: z.string().refine(isSecureAddress).nullable().default(null),
    description: "OpenAI-compatible endpoint for embeddings, with which searches compare meanings",
    expects:
      "an https address, or an http address of this machine, without a query or a user name, such as http://127.0.0.1:11434/v1",
    fallback: "none",
  },
  embeddingsModel: {
    schema: z.string().max(200).nullable().default(null),
    description: "name of the embeddings model at the endpoint",
    expects: "at most 200 characters",
    fallback: "none",
  },
  embeddingsKey: {
    // Only these characters can be sent in a header.
    schema: z
      .string()
      .regex(/^[\x21-\x7e]+$/)
      .nullable()
      .default(null),
    description: "key for the embeddings endpoint",
    expects: "printable ASCII characters without spaces",
    fallback: "none",
    secret: true,
  },
} as const satisfies Settings;
