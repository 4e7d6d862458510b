import { isRecord } from '../../../drivers/http/json-text.ts';
import { plainDate } from '../../kit/dates.ts';
import { statusField } from '../../kit/employment-status.ts';
import { employmentStatus } from '../employment-status.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Builds the record of an employee: each attribute under its name, and custom ones (`dynamic_33400`) also under their
 * label, where no other attribute has that name. Departments, offices and supervisors are objects (`department.name`,
 * `supervisor.email`). Ids are text, dates plain. An attribute that the credential may not read is absent.
 */
export function toEmployee(attributes: Fields, today: string): Fields {
  const fields: Record<string, unknown> = {};
  for (const [name, cell] of Object.entries(attributes)) fields[name] = plainValue(name, cell);
  for (const [label, names] of labelsOf(attributes)) {
    const [name = ''] = names;
    if (names.length === 1 && !Object.hasOwn(fields, label)) fields[label] = fields[name];
  }
  const { status, hire_date: hired, termination_date: left } = fields;
  const employment = employmentStatus({ status, hired, left }, today);
  return employment === undefined ? fields : { ...fields, [statusField]: employment };
}

/** Returns labels of the custom attributes, with the attributes that have them. */
function labelsOf(attributes: Fields): ReadonlyMap<string, readonly string[]> {
  const labels = new Map<string, string[]>();
  for (const [name, cell] of Object.entries(attributes)) {
    if (!name.startsWith('dynamic_') || !isRecord(cell) || typeof cell.label !== 'string' || cell.label === '')
      continue;
    labels.set(cell.label, [...(labels.get(cell.label) ?? []), name]);
  }
  return labels;
}

/** `{label, value, type}` becomes its value, `{type, attributes}` its attributes; other values stay unchanged. */
function plainValue(name: string, cell: unknown): unknown {
  if (Array.isArray(cell)) return cell.map((one) => plainValue('', one));
  if (isRecord(cell)) {
    if (Object.hasOwn(cell, 'value') && Object.hasOwn(cell, 'label')) {
      return cell.type === 'date' ? plainDate(cell.value) : plainValue(name, cell.value);
    }
    const inner = isRecord(cell.attributes) ? cell.attributes : cell;
    return Object.fromEntries(Object.entries(inner).map(([key, value]) => [key, plainValue(key, value)]));
  }
  return name === 'id' && typeof cell === 'number' ? String(cell) : cell;
}
