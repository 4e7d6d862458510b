import type { ApiOperation } from '../../ports/api.ts';
import { operations, pagingOf, parameterNotes, pathParameters, queryMembers } from './index.ts';

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
