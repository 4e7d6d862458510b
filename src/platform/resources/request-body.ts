import type { ZodType } from 'zod';
import { refuseToSend } from '../errors.ts';
import { type OperationId, operationOf } from '../schema/operations.ts';

/** Checks a request body against its schema. Throws `PLATFORM_REFUSED` (effect `none`), naming places, not values. */
export function checkedBody<T>(id: OperationId, schema: ZodType<T>, body: T): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const places = parsed.error.issues.slice(0, 5).map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
  throw refuseToSend(operationOf(id), `the body does not match the contract (${places.join('; ')}).`);
}
