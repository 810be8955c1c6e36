import { z } from "zod";

/** Where and how a parameter is sent. Only what differs from the defaults of its place is stored. */
const parameterSchema = z.object({
  /** Its name in the params of a call. */
  input: z.string(),
  name: z.string(),
  in: z.enum(["path", "query", "header", "cookie"]),
  style: z.string().optional(),
  explode: z.boolean().optional(),
  allowReserved: z.boolean().optional(),
  /** The value is sent as JSON text. */
  json: z.boolean().optional(),
});

const encodingSchema = z.object({
  contentType: z.string().optional(),
  style: z.string().optional(),
  explode: z.boolean().optional(),
  /** The value is a file, or several, as base64. */
  file: z.boolean().optional(),
});

const bodySchema = z.object({
  contentType: z.string(),
  kind: z.enum(["json", "form", "multipart", "text", "binary"]),
  /** The members of the body that are params of the call. Without them the body is one param. */
  fields: z.array(z.string()).optional(),
  /** The body is sent even if the call has none of its members. */
  sentEmpty: z.boolean().optional(),
  /** The name of that param. */
  input: z.string().optional(),
  /** How single members are sent, by name. */
  encoding: z.record(z.string(), encodingSchema).optional(),
});

const serverSchema = z.object({
  url: z.string(),
  /** The default value of each variable in the URL. */
  variables: z.record(z.string(), z.string()).optional(),
});

/** All that a call of an operation needs, so that it never needs the document. */
export const bindingSchema = z.object({
  method: z.string(),
  path: z.string(),
  /** The names and values that every call has in its query. */
  query: z.string().optional(),
  parameters: z.array(parameterSchema),
  body: bodySchema.optional(),
  /** The servers of an operation that the document does not have on its own servers. */
  servers: z.array(serverSchema).optional(),
  /** Where the document wants the API key. */
  apiKey: z.object({ in: z.enum(["header", "query", "cookie"]), name: z.string() }).optional(),
  accept: z.string().optional(),
});

export type Binding = z.infer<typeof bindingSchema>;
export type ParameterBinding = z.infer<typeof parameterSchema>;
export type BodyBinding = z.infer<typeof bodySchema>;
export type EncodingBinding = z.infer<typeof encodingSchema>;
export type ServerBinding = z.infer<typeof serverSchema>;

/** Reads a binding as it was stored. */
export function readBinding(stored: unknown): Binding {
  return bindingSchema.parse(stored);
}
