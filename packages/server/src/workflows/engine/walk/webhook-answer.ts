/** The answer of a `webhook_respond` node to the request that started the run. */
export type WebhookAnswer = {
  status: number;
  headers: Record<string, string>;
  body: string;
};
