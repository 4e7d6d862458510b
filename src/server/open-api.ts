import { z } from 'zod';
import { given } from '../core/run/given.ts';
import { count } from '../views/wire.ts';
import type { Endpoint } from './endpoint.ts';
import { endpoints } from './endpoints/index.ts';
import type { JsonObject, OpenApiDocument, OpenApiOperation } from './server-parts.ts';

const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: count,
    code: z.string().describe('Stable. Programs must use this code, not the texts'),
    detail: z.string(),
    requestId: z.string(),
  })
  .meta({ id: 'Problem' });

const place = '#/components/schemas/';

const refusalWords: Readonly<Record<number, string>> = {
  400: 'The request is invalid',
  401: 'The session has ended, the token is missing or unknown, or the signature is wrong or too old',
  403: 'The role or the scope of the caller does not allow this',
  404: 'There is no such sync or run',
  409: 'The current state does not allow this',
  422: 'The Idempotency-Key was used for a different request',
  429: 'Too many requests: wait for the time in Retry-After',
  500: 'Unexpected error; the log has details under the requestId',
  502: 'The source or the platform did not answer correctly',
};

/** Returns the server's API as an OpenAPI document, from the table of endpoints. The output is deterministic. */
export function describeApi(version: string): OpenApiDocument {
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const endpoint of endpoints) {
    const methods = paths[endpoint.path] ?? {};
    methods[endpoint.method.toLowerCase()] = describe(endpoint);
    paths[endpoint.path] = methods;
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Rollcall',
      version,
      description: 'Syncs, runs, changes, approvals and people of one deployment.',
    },
    tags: [...new Set(endpoints.map(({ part }) => part))].map((name) => ({ name })),
    paths,
    components: {
      schemas: componentsOf(endpoints),
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'One of server.tokens' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'rollcall',
          description: 'A browser that is signed in. Every POST also needs the header X-CSRF-Token of GET /api/session',
        },
      },
    },
  };
}

/**
 * Returns the schemas that have an id in `meta`, by that id. Bodies are described as a client sends them: what has a
 * default is optional there.
 */
function componentsOf(all: readonly Endpoint[]): Readonly<Record<string, JsonObject>> {
  const bodies = all.flatMap(({ body }) => body ?? []);
  const answers = [problem, ...all.flatMap(({ answer }) => answer ?? [])];
  const found = { ...namedIn(answers, 'output'), ...namedIn(bodies, 'input') };
  return Object.fromEntries(Object.entries(found).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function namedIn(schemas: readonly z.ZodType[], io: 'input' | 'output'): Readonly<Record<string, JsonObject>> {
  const { $defs = {} } = z.toJSONSchema(z.union(schemas), {
    io,
    override: ({ jsonSchema }) => {
      delete jsonSchema.id;
      // The range of safe integers is not a rule of the API.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    },
  });
  return JSON.parse(JSON.stringify($defs).replaceAll('#/$defs/', place));
}

function describe(endpoint: Endpoint): OpenApiOperation {
  const { body, needs, status, answer, isEventStream = false, otherTypes = [] } = endpoint;
  const usual = needs === 'none' ? [] : needs === 'signature' ? [401] : [401, 403];
  const all = [...new Set([...endpoint.refusals, ...usual, 429, 500])].sort((a, b) => a - b);
  const need = typeof needs === 'string' ? undefined : needs;
  const shown = { needed: ' and people to be seen', hidden: '; without people, their data are left out', none: '' };
  const needed = need && `Requires the role ${need.role}${shown[need.people]}.`;
  const text = [endpoint.description, needed].filter((one) => one !== undefined).join(' ');
  const content = {
    ...(answer && { [isEventStream ? 'text/event-stream' : 'application/json']: { schema: reference(answer) } }),
    ...Object.fromEntries(otherTypes.map((type) => [type, { schema: { type: 'string' } }])),
  };
  const requestBody = body && {
    required: !body.safeParse({}).success,
    content: { 'application/json': { schema: reference(body) } },
  };
  const refusal = (code: number) => ({
    description: refusalWords[code] ?? `Status ${code}`,
    content: { 'application/problem+json': { schema: reference(problem) } },
  });
  return {
    operationId: endpoint.id,
    tags: [endpoint.part],
    summary: endpoint.summary,
    ...(text === '' ? {} : { description: text }),
    parameters: [
      ...parametersOf('path', endpoint.params),
      ...parametersOf('query', endpoint.query),
      // OpenAPI does not describe Accept as a parameter.
      ...parametersOf('header', endpoint.headers).filter(({ name }) => name !== 'accept'),
    ],
    ...given({ requestBody }),
    responses: {
      [String(status)]: {
        description: status === 202 ? 'Accepted; the work is done later' : 'Done',
        ...(Object.keys(content).length === 0 ? {} : { content }),
      },
      ...Object.fromEntries(all.map((code) => [String(code), refusal(code)])),
    },
    security: need === undefined ? [] : [{ token: [] }, { session: [] }],
    'x-rollcall-needs': needs,
  };
}

function parametersOf(place: 'path' | 'query' | 'header', shape: z.ZodObject): JsonObject[] {
  const { properties = {} } = z.toJSONSchema(shape, { io: 'input' }) as { properties?: Record<string, JsonObject> };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: place === 'path',
    ...(place === 'path' ? { example: examples[name] ?? '' } : {}),
    description: typeof description === 'string' ? description : (parameterWords[name] ?? name),
    schema: typeof schema.default === 'number' ? { type: 'integer', ...schema } : schema,
  }));
}

const examples: Readonly<Record<string, string>> = { sync: 'people', id: 'run_', identification: 'E1' };

const parameterWords: Readonly<Record<string, string>> = {
  format: 'Overrides the Accept header',
  state: 'Only changes in this state',
  class: 'Only changes of this class',
};

function reference(schema: z.ZodType): JsonObject {
  const id = schema.meta()?.id;
  if (id === undefined) throw new RangeError('a schema of the table of endpoints has no id');
  return { $ref: `${place}${id}` };
}
