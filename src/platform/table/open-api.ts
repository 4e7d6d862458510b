import { z } from 'zod';
import * as administration from './administration.ts';
import { examples } from './examples.ts';
import * as growth from './growth.ts';
import { type Operation, type OperationId, operations } from './operations.ts';
import { dropSafeBounds, parameterNotes, pathParameters, queryMembers } from './parameters.ts';
import * as users from './users.ts';
import * as wire from './wire.ts';

export interface OpenApiOptions {
  /** Address of the platform. Absent: the document names no server. */
  readonly serverUrl?: string;
  readonly version?: string;
}

/** A JSON object of the document. */
export type JsonObject = { readonly [name: string]: unknown };

/** OpenAPI 3.1.1, as far as this project uses it. */
export interface OpenApiDocument extends JsonObject {
  readonly openapi: string;
  readonly info: JsonObject;
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonObject>> } & JsonObject;
}

export interface OpenApiOperation extends JsonObject {
  /** The part and the verb of the command line: `usersSearch`. */
  readonly operationId: string;
  /** The operation's name in faults, in `callOperation` and in our errors. */
  readonly 'x-operation': OperationId;
  readonly responses: Readonly<Record<string, JsonObject>>;
}

const statusNames: Readonly<Record<number, string>> = {
  200: 'Done',
  201: 'Created',
  202: 'Accepted, but perhaps not done yet',
  204: 'Deleted',
  400: 'Refused: the request is invalid',
  401: 'The token is missing, malformed, expired or revoked',
  403: 'The token lacks a permission',
  404: 'There is no such object',
  406: 'No requested media type is available',
  500: 'The platform failed',
};

/**
 * Renders the whole contract as an OpenAPI 3.1 document from the table of operations. The output is always the same.
 */
export function renderOpenApi({ serverUrl, version = '1' }: OpenApiOptions = {}): OpenApiDocument {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(components)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    target: 'draft-2020-12',
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ zodSchema, jsonSchema }) => {
      const known: unknown = zodSchema;
      if (known === wire.longId || known === wire.sentId)
        Object.assign(clear(jsonSchema), { type: 'integer', format: 'int64' });
      if (zodSchema === wire.epochTime || zodSchema === wire.epochMs) {
        delete jsonSchema.minimum;
        delete jsonSchema.maximum;
        Object.assign(jsonSchema, { type: 'integer', format: 'int64' });
      }
      // `format` describes a date.
      if (jsonSchema.format === 'date') delete jsonSchema.pattern;
      dropSafeBounds(jsonSchema);
    },
  });
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const operation of operations) {
    const methods = paths[operation.path] ?? {};
    methods[operation.method.toLowerCase()] = describeOperation(operation);
    paths[operation.path] = methods;
  }
  return {
    openapi: '3.1.1',
    info: {
      title: "The workplace platform's public API",
      version,
      description: 'Tokens, users, provisioning, roles, leaders, feedback, goals and evaluations.',
    },
    ...(serverUrl === undefined ? {} : { servers: [{ url: serverUrl }] }),
    tags: [...new Set(operations.map(({ part }) => part))].map((name) => ({ name })),
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, tidy(schema)])),
      securitySchemes: {
        accessToken: { type: 'http', scheme: 'bearer', description: 'A token of the community' },
        applicationToken: { type: 'http', scheme: 'bearer', description: 'The token of the application' },
      },
    },
  };
}

function clear(target: object): object {
  for (const key of Object.keys(target)) delete (target as Record<string, unknown>)[key];
  return target;
}

/** `$schema` and `$id` belong to whole documents, not to components. */
function tidy(schema: JsonObject): JsonObject {
  const { $schema, $id, id, ...rest } = schema;
  return rest;
}

function describeOperation(operation: Operation<OperationId>): OpenApiOperation {
  const { id, part, summary, assumed, auth, request, requestTypes = [], successStatus, response } = operation;
  const errors = operation.errorStatuses.map((status) => [
    String(status),
    describeAnswer(status, operation.errorBody === 'grant' ? 'GrantErrorBody' : 'PlatformErrorBody'),
  ]);
  return {
    operationId: operationName(operation),
    'x-operation': id,
    tags: [part],
    summary,
    ...(assumed === undefined ? {} : { description: `Assumed, because the contract does not show it: ${assumed}.` }),
    parameters: describeParameters(operation),
    ...(request === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: Object.fromEntries(requestTypes.map((type) => [type, describeContent(request, type)])),
          },
        }),
    responses: {
      [successStatus]: describeAnswer(successStatus, response === undefined ? undefined : nameOf(response)),
      ...Object.fromEntries(errors),
    },
    security: [auth === 'application-token' ? { applicationToken: [] } : { accessToken: [] }],
  };
}

function describeAnswer(status: number, schema: string | undefined): JsonObject {
  const description = statusNames[status] ?? `Status ${status}`;
  if (schema === undefined) return { description };
  return { description, content: { 'application/json': withExample(schema) } };
}

function withExample(schema: string): JsonObject {
  const example = examples[schema];
  return {
    schema: { $ref: `#/components/schemas/${schema}` },
    ...(example === undefined ? {} : { example }),
  };
}

/** In a form, a file is bytes; as JSON it is text. */
function describeContent(request: z.ZodType, type: string): JsonObject {
  const name = nameOf(request);
  if (type !== 'multipart/form-data' || !(request instanceof z.ZodObject)) return withExample(name);
  const properties = Object.keys(request.shape).map((member) => [
    member,
    member === 'file' ? { type: 'string', format: 'binary', contentMediaType: 'text/csv' } : { type: 'string' },
  ]);
  const schema = { type: 'object', properties: Object.fromEntries(properties), required: Object.keys(request.shape) };
  return { schema, encoding: { file: { contentType: 'text/csv' } } };
}

/** Returns a name that is unique and an identifier in every language: `provisioningStartImport`. */
function operationName({ part, verb }: Pick<Operation, 'part' | 'verb'>): string {
  return part + verb.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function describeParameters(operation: Operation<OperationId>): JsonObject[] {
  const inPath = pathParameters(operation).map((name) => ({
    name,
    in: 'path',
    required: true,
    description: parameterNotes[name] ?? name,
    schema: { type: 'string', minLength: 1 },
  }));
  const inQuery = queryMembers(operation).map(({ name, schema, description }) => ({
    name,
    in: 'query',
    required: false,
    ...(description === undefined ? {} : { description }),
    schema,
  }));
  const language = {
    name: 'Accept-Language',
    in: 'header',
    required: true,
    description: 'Language of the answer; when it is invalid, that of the user, the community or the resource',
    schema: { type: 'string', default: 'en' },
  };
  return [...inPath, ...inQuery, ...(operation.needsLanguage ? [language] : [])];
}

export function nameOf(schema: z.ZodType): string {
  const name = Object.entries(components).find(([, entry]) => entry === schema)?.[0];
  if (name === undefined) throw new RangeError('a schema of the table of operations is not among the components');
  return name;
}

/** The exported schemas of requests, answers and their parts. Each has its own name in the document. */
export const components: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  [wire, administration, users, growth].flatMap((schemas) =>
    Object.entries(schemas).filter(
      (entry): entry is [string, z.ZodType] =>
        entry[1] instanceof z.ZodType && /^[A-Z]/.test(entry[0]) && !entry[0].endsWith('Query'),
    ),
  ),
);
