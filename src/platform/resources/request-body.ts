import { refuseToSend } from '../errors.ts';
import { type OperationId, operationOf } from '../table/operations.ts';

/**
 * Checks a request body against the operation's schema, and returns what that keeps of it. Throws `PLATFORM_REFUSED`
 * (effect `none`), naming places, not values.
 */
export function checkedBody<T>(id: OperationId, body: T): T {
  const operation = operationOf(id);
  const parsed = operation.request?.safeParse(body);
  if (parsed === undefined) throw new RangeError(`${id} takes no body`);
  if (parsed.success) return parsed.data as T;
  const places = parsed.error.issues.slice(0, 5).map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
  throw refuseToSend(operation, `the body does not match the contract (${places.join('; ')}).`);
}
