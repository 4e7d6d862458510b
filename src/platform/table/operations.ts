import { RollcallError } from '../../core/run/errors.ts';
import type { Operation } from './operation.ts';
import { administrationOperations } from './operations-administration.ts';
import { growthOperations } from './operations-growth.ts';

const table = [...administrationOperations, ...growthOperations] as const;

/** Short names of the operations: the client, the sandbox and its faults use them. */
export type OperationId = (typeof table)[number]['id'];

/** Every operation of the contract, in its order of parts. */
export const operations: readonly Operation<OperationId>[] = table;

export const operationIds: readonly OperationId[] = table.map(({ id }) => id);

/** Returns the operation with this id. Throws `USAGE` for an unknown id. */
export function operationOf(id: OperationId): Operation<OperationId> {
  const operation = operations.find((entry) => entry.id === id);
  if (operation === undefined) {
    const message = `no operation of the contract is called ${id}. Operations: ${operationIds.join(', ')}`;
    throw new RollcallError(message, { code: 'USAGE' });
  }
  return operation;
}
