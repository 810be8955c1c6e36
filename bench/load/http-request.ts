/** One request. Hub and echo get the same bytes. */
export type HttpRequest = {
  url: string;
  headers: Record<string, string>;
  body: string;
};

/** The same request to another server. */
export function aimAt(url: string, request: HttpRequest): HttpRequest {
  return { ...request, url };
}
