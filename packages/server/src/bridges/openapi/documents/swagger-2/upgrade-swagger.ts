import { isJsonObject } from "@hub/connector";
import { upgradeFromTwoToThree } from "@scalar/openapi-upgrader/2.0-to-3.0";
import { convertPaths } from "./convert-paths.ts";

type Part = Record<string, unknown>;

/**
 * A document of Swagger 2 as one of OpenAPI 3; null if it cannot be read. The library leaves out what Swagger says of
 * parameters that are lists, are shared, or belong to a form, so requests are converted before. It changes what it is
 * given.
 */
export function upgradeSwagger(document: Part): Part | null {
  const { parameters: _shared, ...others } = document;
  try {
    const paths = convertPaths(document);
    const upgraded: unknown = upgradeFromTwoToThree({ ...others, paths, swagger: "2.0" });
    return isJsonObject(upgraded) ? upgraded : null;
  } catch (thrown) {
    // The library's own failure at parts of a wrong kind.
    if (thrown instanceof TypeError) return null;
    throw thrown;
  }
}
