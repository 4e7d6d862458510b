import { z } from 'zod';
import type { ApiOperation } from '../../ports/api.ts';
import { type Operation, operations } from './operations.ts';
import { epochMs } from './wire.ts';

/** Meaning of the path parameters. */
export const parameterNotes: Readonly<Record<string, string>> = {
  identification: 'identification of the user, percent-encoded',
  code: 'code of the goal, percent-encoded',
  id: 'id of the object, with all its digits',
  'feedback-request-id': 'id of the feedback request',
  customAclCode: 'code of the role',
};

export interface QueryMember {
  readonly name: string;
  readonly description: string | undefined;
  /** The default, where the contract names one. */
  readonly otherwise: unknown;
  /** JSON Schema with the default, without the description. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly kind: 'text' | 'number' | 'flag';
}

/** Returns the query parameters of an operation in the order of the contract. All are optional. */
export function queryMembers({ query }: Pick<Operation, 'query'>): readonly QueryMember[] {
  if (!(query instanceof z.ZodObject)) return [];
  return Object.entries(query.shape).map(([name, member]) => {
    const { $schema, description, ...schema } = z.toJSONSchema(member, { io: 'input' });
    dropSafeBounds(schema);
    const kind = schema.type === 'integer' || schema.type === 'number' ? 'number' : 'text';
    return {
      name,
      description,
      otherwise: schema.default,
      schema: {
        ...schema,
        ...(member instanceof z.ZodOptional && member.unwrap() === epochMs ? { format: 'int64' } : {}),
      },
      kind: schema.type === 'boolean' ? 'flag' : kind,
    };
  });
}

export interface Paging {
  /** Number of the first page: 1 for leaders, else 0. */
  readonly first: number;
  readonly pageName: string;
  readonly sizeName: string;
}

/** Names that lists of the contract have for the number of a page and its size. */
const pageNames = [
  ['page', 'size'],
  ['pageNumber', 'pageSize'],
] as const;

/** Returns how an operation counts its pages; undefined for one that is not read page by page. */
export function pagingOf(operation: Pick<Operation, 'query'>): Paging | undefined {
  const members = queryMembers(operation);
  for (const [pageName, sizeName] of pageNames) {
    const member = members.find(({ name }) => name === pageName);
    if (member !== undefined) return { first: Number(member.otherwise ?? 0), pageName, sizeName };
  }
  return undefined;
}

/** Returns the parameter names of an operation's path, in order. */
export function pathParameters({ path }: Pick<Operation, 'path'>): readonly string[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
}

/** Removes the range of a double, which zod writes and the contract does not mention. */
export function dropSafeBounds(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/**
 * The operations of the contract that a person calls by name, in the order of the table. The token calls are none of
 * them: the store keeps the pair, and `rollcall token` refreshes and revokes it.
 */
export function listApiOperations(): readonly ApiOperation[] {
  const callable = operations.filter(({ part }) => part !== 'tokens');
  return callable.map((operation) => ({
    id: operation.id,
    part: operation.part,
    verb: operation.verb,
    method: operation.method,
    path: operation.path,
    summary: operation.summary,
    isWrite: operation.method !== 'GET',
    parameters: [
      ...pathParameters(operation).map((name) => ({
        name,
        place: 'path' as const,
        // What a person types is encoded on the way.
        description: (parameterNotes[name] ?? name).replace(', percent-encoded', ''),
        otherwise: undefined,
      })),
      ...queryMembers(operation).map(({ name, description = name, otherwise }) => ({
        name,
        place: 'query' as const,
        description,
        otherwise: otherwise === undefined ? undefined : String(otherwise),
      })),
    ],
    body: operation.id === 'upload' ? 'file' : operation.request === undefined ? 'none' : 'json',
    isList: pagingOf(operation) !== undefined,
  }));
}
