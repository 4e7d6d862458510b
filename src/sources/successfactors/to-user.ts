import { statusField } from '../../source-kit/employment-status.ts';
import { userStatus } from './employment-status.ts';
import { listAt, tidy, valueAt } from './odata.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Fields requested of the entity User. */
export const userFields = [
  'userId',
  'username',
  'firstName',
  'lastName',
  'defaultFullName',
  'email',
  'status',
  'title',
  'department',
  'division',
  'location',
  'hireDate',
] as const;

/** Fields of the record that the status is derived from. */
export const userStatusInputs = ['status', 'hireDate'];

/** Builds a record from one User entity, for companies without Employee Central. `today` is a plain date. */
export function toUser(entity: Fields, today: string): Fields {
  const user = tidy(entity);
  const fields: Record<string, unknown> = {};
  for (const name of userFields) {
    const value = valueAt(user, name);
    if (value !== undefined) fields[name] = value;
  }
  const managers = listAt(user, 'manager');
  if (managers !== undefined) {
    const id = valueAt(managers[0], 'userId') ?? null;
    fields.managerId = id === 'NO_MANAGER' ? null : id;
  }
  fields[statusField] = userStatus(fields.status, fields.hireDate, today);
  return fields;
}
