import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** A function that says whether values fit a schema of draft 2020-12, as another library sees it. */
export function createAjvChecker(): (schema: unknown) => (value: unknown) => boolean {
  const ajv = new Ajv2020({ strict: false, logger: false, validateSchema: false });
  addFormats(ajv);
  return (schema) => {
    const validate = ajv.compile(
      schema === true ? {} : schema === false ? { not: {} } : Object(schema),
    );
    return (value) => validate(value) === true;
  };
}
