/** A JSON object of the document. */
export type JsonObject = { readonly [name: string]: unknown };

/** OpenAPI 3.1.1, as far as this project uses it. */
export interface OpenApiDocument extends JsonObject {
  readonly info: JsonObject;
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonObject>> } & JsonObject;
}

export interface OpenApiOperation extends JsonObject {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, JsonObject>>;
}
