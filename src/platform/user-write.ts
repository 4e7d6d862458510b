import { type FieldName, fieldTraits, type UserWrite } from '../core/person/fields.ts';
import type { Dialect } from '../core/run/settings.ts';
import type { UpdateTarget } from '../ports/platform.ts';
import { refuseToSend } from './client/errors.ts';
import { checkIdentification, operationName } from './client/operation.ts';
import { operationOf } from './table/operations.ts';

/**
 * Builds the body of create and update (contract, "User write payload"): plain fields beside `customFields`, `''`
 * unchanged. Throws `PLATFORM_REFUSED` (effect `none`) for what a direct call cannot carry: `office`, custom fields
 * beyond the dialect's direct limit, and a write without first or last name.
 */
export function userPayload(write: UserWrite, dialect: Dialect, id: 'create' | 'update'): Record<string, unknown> {
  const operation = operationOf(id);
  const payload: Record<string, unknown> = { identification: write.identification };
  const customFields: Record<string, string> = {};
  for (const [key, value] of Object.entries(write.fields)) {
    const { name } = fieldTraits(key as FieldName);
    if (value === undefined) continue;
    const number = customFieldNumber(name);
    const isCarried = number === undefined ? fieldTraits(name).isDirect : number <= dialect.customFieldLimit.direct;
    if (!isCarried)
      throw refuseToSend(operation, `${name} can be delivered by CSV file only. Use delivery csv or auto.`);
    if (number === undefined) payload[name] = value;
    else customFields[name] = value;
  }
  for (const name of ['firstName', 'lastName']) {
    if (payload[name] === undefined || payload[name] === '') {
      throw refuseToSend(
        operation,
        `the contract requires ${name} in every write. Map ${name}, or fill it in the source.`,
      );
    }
  }
  return Object.keys(customFields).length === 0 ? payload : { ...payload, customFields };
}

/**
 * Builds the body of an update. Throws `IDENTIFICATION_INVALID` for an identification that cannot be sent, and
 * `PLATFORM_REFUSED` for a write of another user than the target, and as `userPayload` does; effect `none`.
 */
export function updatePayload(target: UpdateTarget, write: UserWrite, dialect: Dialect): Record<string, unknown> {
  const operation = operationOf('update');
  checkIdentification(write.identification, operationName(operation));
  if (target.identification !== write.identification) {
    throw refuseToSend(operation, 'the user that was read is not the user to write. Read it again.');
  }
  const userId = userIdOf(target, dialect);
  const shown = { ...write, identification: target.rawIdentification ?? write.identification };
  return { userId, ...userPayload(shown, dialect, 'update') };
}

function customFieldNumber(name: FieldName): number | undefined {
  return name.startsWith('customField') ? Number(name.slice('customField'.length)) : undefined;
}

/** Returns the `userId` of an update, by `dialect.userId`. Throws rather than address another user. */
export function userIdOf(target: UpdateTarget, dialect: Dialect): string {
  if (dialect.userId === 'id') return target.id;
  if (dialect.userId === 'identification') return target.rawIdentification ?? target.identification;
  if (dialect.userId === 'uid' && target.uid !== undefined) return target.uid;
  const why =
    dialect.userId === 'uid'
      ? 'dialect.userId is `uid`, but the platform shows none for this user.'
      : 'dialect.userId is `created`, but the id that create returned is not known for this user.';
  throw refuseToSend(
    operationOf('update'),
    `${why} Set dialect.userId to \`id\` or \`identification\`, or deliver by csv.`,
  );
}
