/** A small document of OpenAPI 3.0, as an API might publish it. */
export const petStore = {
  openapi: "3.0.3",
  info: { title: "Pets", version: "1" },
  servers: [{ url: "https://pets.example.com/v1" }],
  components: {
    securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Pet-Key" } },
    schemas: {
      Pet: {
        type: "object",
        required: ["id", "name"],
        properties: {
          id: { type: "integer", readOnly: true },
          name: { type: "string", minLength: 1, example: "Rex" },
          tag: { type: "string", nullable: true, description: "What kind of pet it is." },
          parent: { $ref: "#/components/schemas/Pet" },
          age: { type: "number", minimum: 0, exclusiveMinimum: true },
        },
      },
    },
  },
  security: [{ key: [] }],
  paths: {
    "/pets": {
      get: {
        operationId: "listPets",
        summary: "List pets",
        description: "Newest first.",
        tags: ["pets"],
        parameters: [
          { name: "limit", in: "query", schema: { type: "integer", maximum: 100 } },
          { name: "tags", in: "query", schema: { type: "array", items: { type: "string" } } },
        ],
        responses: {
          200: {
            description: "A page",
            content: {
              "application/json": {
                schema: { type: "array", items: { $ref: "#/components/schemas/Pet" } },
              },
            },
          },
        },
      },
      post: {
        operationId: "createPet",
        tags: ["pets", "write"],
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } },
        },
        responses: { 201: { description: "Created" } },
      },
    },
    "/pets/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      get: { responses: { 200: { description: "One" } } },
      delete: {
        operationId: "deletePet",
        deprecated: true,
        responses: { 204: { description: "Gone" } },
      },
    },
  },
};
