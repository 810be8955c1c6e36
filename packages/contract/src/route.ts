/** A route of the management API as `api.ts` describes it: without what it does not take. */
export type RouteParts = { params?: object; query?: object; body?: unknown; answer: unknown };

/** The parameters in a path, such as `row` of `/rows/{row}`. */
type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParams<Rest>
  : never;

/** All parts of a route. The parameters of its path are texts, unless it describes them. */
export type Route<Path extends string, Parts extends RouteParts> = {
  params: Parts extends { params: infer Params } ? Params : Record<PathParams<Path>, string>;
  query: Parts extends { query: infer Query } ? Query : Record<never, never>;
  body: Parts extends { body: infer Body } ? Body : undefined;
  answer: Parts["answer"];
};
