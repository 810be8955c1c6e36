import type { Db } from "../database.ts";
import { connectionKey } from "../kysely.ts";

/**
 * The same database, but `follow` runs between a read and the return of its result. The read's
 * connection is free meanwhile.
 */
export function followReads(db: Db, follow: () => Promise<void>): Db {
  const connection = db[connectionKey];
  return { [connectionKey]: { ...connection, kysely: wrap(connection.kysely, follow) } };
}

/** Wraps each builder that a builder returns. */
function wrap<Builder extends object>(builder: Builder, follow: () => Promise<void>): Builder {
  return new Proxy(builder, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        const result: unknown = member.apply(target, args);
        if (result instanceof Promise) return result.finally(follow);
        return typeof result === "object" && result !== null ? wrap(result, follow) : result;
      };
    },
  });
}
