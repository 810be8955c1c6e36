/** One request, the same bytes for hub and echo. */
export type HttpRequest = {
  url: string;
  headers: Record<string, string>;
  body: string;
};

/** The same request to another server. */
export function aimAt(url: string, request: HttpRequest): HttpRequest {
  return { ...request, url };
}
