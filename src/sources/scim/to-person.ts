import { statusField } from '../../core/person/lifecycle.ts';
import { compileVisibility } from '../../core/person/source-path.ts';
import { isRecord } from '../../drivers/http/json-text.ts';
import type { Fields } from '../kit/pages.ts';
import type { EmploymentStatus } from '../kit/status.ts';
import type { ScimConfig } from './config.ts';

/** Builds records of SCIM resources, page by page, during one read. */
export interface UserReader {
  page(resources: readonly unknown[]): readonly unknown[];
}

const texts = ['id', 'externalId', 'userName'];

/**
 * A record is the resource itself, with extensions under their short names, ids as text, `workEmail` and the derived
 * status. SCIM omits empty attributes (RFC 7643, 2.5). A requested attribute that is absent becomes null once a user
 * up to this page has shown it. Before that, and without `attributes`, it stays absent: not visible.
 */
export function openUserReader({ attributes = [], extensions }: ScimConfig): UserReader {
  const aliases = Object.entries(extensions);
  const requested = attributes.map((path) => ({ path, steps: path.split('.'), isIn: compileVisibility(path) }));
  const shown = new Set<string>();
  return {
    page(resources) {
      const people = resources.map((resource) => (isRecord(resource) ? rename(resource, aliases) : resource));
      const records = people.filter(isRecord);
      for (const { path, isIn } of requested) if (!shown.has(path) && records.some(isIn)) shown.add(path);
      const empties = requested.filter(({ path }) => shown.has(path));
      return people.map((person) => {
        if (!isRecord(person)) return person;
        let whole = person;
        for (const { steps, isIn } of empties) if (!isIn(whole)) whole = withEmpty(whole, steps);
        return derive(whole);
      });
    },
  };
}

/** Omits keys by copying, because V8 reads an object slowly after a key was deleted from it. */
function rename(resource: Fields, aliases: readonly (readonly [string, string])[]): Fields {
  let renamed = resource;
  for (const [alias, urn] of aliases) {
    if (!Object.hasOwn(renamed, urn)) continue;
    const { [urn]: extension, ...others } = renamed;
    renamed = { ...others, [alias]: extension };
  }
  return renamed;
}

function withEmpty(fields: Fields, [step = '', ...deeper]: readonly string[]): Fields {
  if (deeper.length === 0) return { ...fields, [step]: null };
  const below = fields[step];
  if (below !== undefined && !isRecord(below)) return fields;
  return { ...fields, [step]: withEmpty(below ?? {}, deeper) };
}

function derive(person: Fields): Fields {
  const record: Record<string, unknown> = { ...person };
  for (const name of texts) if (typeof record[name] === 'number') record[name] = String(record[name]);
  const { enterprise, emails, active } = person;
  if (isRecord(enterprise) && typeof enterprise.employeeNumber === 'number') {
    record.enterprise = { ...enterprise, employeeNumber: String(enterprise.employeeNumber) };
  }
  const email = workEmail(emails);
  if (email !== undefined) record.workEmail = email;
  if (active !== undefined) record[statusField] = statusOf(active);
  return record;
}

/**
 * Returns the primary address, else the first for work, else the first without a type. Undefined when none is shown.
 */
function workEmail(emails: unknown): unknown {
  if (emails === undefined || emails === null) return emails;
  // Some servers return a single address without a list.
  const all = (Array.isArray(emails) ? emails : [emails]).map((one): Fields => (isRecord(one) ? one : { value: one }));
  const found =
    all.find(({ primary }) => isTrue(primary)) ??
    all.find(({ type }) => String(type).toLowerCase() === 'work') ??
    all.find(({ type }) => type === undefined || type === null);
  const address = found?.value;
  return typeof address === 'string' && address.trim() !== '' ? address : null;
}

/** `active` is SCIM's only status (RFC 7643, 4.1.1). Some servers write it as text. */
function statusOf(active: unknown): EmploymentStatus {
  if (isTrue(active)) return 'active';
  return active === false || String(active).toLowerCase() === 'false' ? 'terminated' : 'unknown';
}

function isTrue(value: unknown): boolean {
  return value === true || (typeof value === 'string' && value.toLowerCase() === 'true');
}
