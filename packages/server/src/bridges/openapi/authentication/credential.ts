/** What a request shows to authenticate itself. */
export type Credential = { in: "header" | "query" | "cookie"; name: string; value: string };
