import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { examples } from '../../../src/platform/table/examples.ts';
import { operations, renderOpenApi } from '../../../src/platform/table/index.ts';
import { components } from '../../../src/platform/table/open-api.ts';
import { sandboxes } from '../../sandbox/open-sandbox.ts';
import { strictDifferences } from '../contract-suite/checks.ts';

const open = sandboxes();
const document = renderOpenApi();

describe('the OpenAPI document', () => {
  it('keeps the rules of OpenAPI 3.1', async () => {
    const verdict = await new Validator().validate(JSON.parse(JSON.stringify(document)));

    expect(verdict.errors).toBeUndefined();
    expect(verdict.valid).toBe(true);
    expect(document.openapi).toBe('3.1.1');
  });

  it.each(operations)('has $id as the table has it', (operation) => {
    const described = document.paths[operation.path]?.[operation.method.toLowerCase()];

    expect(described).toMatchObject({ 'x-operation': operation.id, tags: [operation.part] });
    expect(described?.operationId).toMatch(/^[a-z][A-Za-z]+$/);
    expect(Object.keys(described?.responses ?? {}).map(Number)).toEqual(
      [operation.successStatus, ...operation.errorStatuses].toSorted((a, b) => a - b),
    );
    expect(described?.requestBody !== undefined).toBe(operation.request !== undefined);
    const parameters = described?.parameters as readonly { name: string; in: string }[];
    expect(parameters.filter(({ in: place }) => place === 'path').map(({ name }) => `{${name}}`)).toEqual(
      operation.path.match(/\{[^}]+\}/g) ?? [],
    );
    expect(parameters.some(({ name }) => name === 'Accept-Language')).toBe(operation.needsLanguage);
  });

  it('has ids that are unique, also without case, and no word of a programming language', () => {
    const ids = operations.map(({ path, method }) => String(document.paths[path]?.[method.toLowerCase()]?.operationId));

    expect(new Set(ids.map((id) => id.toLowerCase())).size).toBe(operations.length);
    expect(ids).toEqual(expect.arrayContaining(['usersSearch', 'usersDelete', 'provisioningStartImport']));
  });

  it.each(Object.entries(examples))(
    'has an example of %s that fits its schema and leaves nothing out',
    (name, example) => {
      const schema = components[name];
      if (schema === undefined) throw new RangeError(name);

      // A request may omit what is optional.
      const isOptional = (difference: string): boolean => name.endsWith('Payload') && difference.endsWith(': missing');
      expect(strictDifferences(schema, example).filter((one) => !isOptional(one))).toEqual([]);
      expect(schema.safeParse(example).error).toBeUndefined();
    },
  );

  it('shows an example of every request and of every answer that the contract shows', () => {
    for (const { path, method, request, response } of operations) {
      const operation = document.paths[path]?.[method.toLowerCase()] as unknown as {
        requestBody?: { content: Record<string, { example?: unknown }> };
        responses: Record<string, { content?: Record<string, { schema: { $ref: string }; example?: unknown }> }>;
      };
      if (request !== undefined) expect(operation.requestBody?.content['application/json']?.example).toBeDefined();
      for (const answer of Object.values(operation.responses)) {
        const content = answer.content?.['application/json'];
        if (content !== undefined && !content.schema.$ref.endsWith('/Unshown'))
          expect(content.example, path).toBeDefined();
      }
      expect(response === undefined || operation.responses !== undefined).toBe(true);
    }
  });

  it('describes the file of an upload as bytes in a form, and as text in JSON', () => {
    const upload = document.paths['/os-api/public-api/v1/admin/userFiles/']?.post as unknown as {
      requestBody: { content: Record<string, { schema: unknown }> };
    };

    expect(upload.requestBody.content['multipart/form-data']?.schema).toMatchObject({
      properties: { file: { type: 'string', format: 'binary' } },
      required: ['file', 'fileName'],
    });
    expect(upload.requestBody.content['application/json']?.schema).toEqual({
      $ref: '#/components/schemas/UserFileUpload',
    });
  });

  it('refers only to schemas that it has, and to each of them', () => {
    const text = JSON.stringify(document);
    const named = new Set([...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name));

    expect([...named].toSorted()).toEqual(Object.keys(document.components.schemas).toSorted());
  });

  it('says what the contract says of defaults and limits', () => {
    const query = (path: string) =>
      Object.fromEntries(
        ((document.paths[path]?.get?.parameters ?? []) as { name: string; schema: object }[]).map(
          ({ name, schema }) => [name, schema],
        ),
      );

    expect(query('/os-api/public-api/v1/users')).toMatchObject({
      enabled: { type: 'boolean', default: true },
      size: { type: 'integer', default: 10, minimum: 1 },
      orderBy: { enum: ['firstName', 'lastname', 'id', 'email'], default: 'firstName' },
    });
    expect(query('/growth/public-api/v1/users/{identification}/leaders')).toMatchObject({ pageNumber: { default: 1 } });
    expect(query('/growth/public-api/v1/goals')).toMatchObject({ orderBy: { default: 'creationDate' } });
    expect(document.components.schemas.Feedback).toMatchObject({
      properties: {
        id: { type: 'integer', format: 'int64' },
        creationTime: { anyOf: [{ type: 'integer', format: 'int64' }, { type: 'null' }], description: 'epoch ms' },
      },
    });
  });

  it('is served by the sandbox with its own address, and as a page, without a token and whatever the faults', async () => {
    const sandbox = await open({ users: 1 });
    sandbox.fault('*:status=500');
    const served = await sandbox.call('GET', '/openapi.json', { token: null });
    const page = await sandbox.call('GET', '/docs', { token: null });

    expect(served.body).toEqual({
      ...JSON.parse(JSON.stringify(document)),
      servers: [{ url: sandbox.url }],
    });
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    for (const { id, path } of operations) {
      expect(page.text).toContain(`<article id="${id}">`);
      expect(page.text).toContain(path);
    }
    expect(page.text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    expect(Object.values(sandbox.state.requests).every((count) => count === 0)).toBe(true);
  });
});
