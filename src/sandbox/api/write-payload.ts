import {
  type FieldName,
  type FieldValues,
  fieldTable,
  findField,
  maxDirectCustomField,
} from '../../core/person/fields.ts';
import type { UserPayload } from '../../platform/table/index.ts';
import { Refusal } from '../call.ts';

/**
 * Returns the fields of a create or update payload; null clears. With `replaces`, clears every supported field that the
 * payload omits. Throws 400 for custom fields above the limit of direct calls (contract, "Limits" 1).
 */
export function readPayloadFields(payload: UserPayload, mode: 'merges' | 'replaces'): FieldValues {
  const fields: Partial<Record<FieldName, string>> = {};
  for (const { name, isDirect } of fieldTable) {
    if (!isDirect) continue;
    const value = name.startsWith('customField') ? payload.customFields?.[name] : plainValue(payload, name);
    if (value !== undefined) fields[name] = value ?? '';
    else if (mode === 'replaces') fields[name] = '';
  }
  checkCustomFields(payload);
  return fields;
}

function plainValue(payload: UserPayload, name: FieldName): string | null | undefined {
  return (payload as Readonly<Partial<Record<FieldName, string | null>>>)[name];
}

function checkCustomFields(payload: UserPayload): void {
  const names = Object.keys(payload.customFields ?? {});
  const refused = names.filter((name) => !name.startsWith('customField') || findField(name)?.isDirect !== true);
  if (refused.length === 0) return;
  const rule = `only customField1 to customField${maxDirectCustomField} are supported here`;
  throw new Refusal(400, 'Bad Request', `customFields: ${refused.join(', ')}: ${rule}`);
}
