import type { FieldName } from '../../core/person/fields.ts';
import type { PlannedChange } from '../../ports/store.ts';

/** The person of a change, by the values that the change carries. */
export function personOf({ before, after }: PlannedChange): { readonly name?: string; readonly email?: string } {
  const textOf = (field: FieldName): string => after[field] || before?.fields[field] || '';
  const name = `${textOf('firstName')} ${textOf('lastName')}`.trim();
  const email = textOf('email');
  return { ...(name === '' ? {} : { name }), ...(email === '' ? {} : { email }) };
}
