import { type FieldName, fieldTable } from '../../core/person/fields.ts';
import { showDateTime, showLongDate } from '../dates.ts';
import type { SandboxQuirks } from '../quirks.ts';
import type { Account } from './account.ts';
import type { UserDirectory } from './user-directory.ts';

const customFieldNames = fieldTable.map(({ name }) => name).filter((name) => name.startsWith('customField'));

/** Returns a user as read returns it (contract, "User record"), without `job`, `phoneNumber` and `seniority`. */
export function showUser(account: Account, quirks: SandboxQuirks): Record<string, unknown> {
  const { fields } = account;
  const shows = (name: 'orgEntryDate' | 'birthDate') => fields[name] !== undefined && quirks.hideDateField !== name;
  const shown = {
    id: account.id,
    locale: quirks.monthNames,
    office: fields.office === undefined ? {} : { name: fields.office },
    firstName: fields.firstName ?? '',
    lastName: fields.lastName ?? '',
    ...present(account, ['email']),
    profileImageId: String(account.id),
    profileImageCode: `avatar-${account.id % 12}`,
    enabled: account.enabled,
    ...present(account, ['area', 'account', 'project']),
    ...(shows('birthDate') ? { birthDate: fields.birthDate } : {}),
    ...(shows('orgEntryDate') ? { orgEntryDate: showLongDate(fields.orgEntryDate ?? '', quirks.monthNames) } : {}),
    identification: account.identification,
    customFields: present(account, customFieldNames),
    externalId: account.identification,
    uid: account.uid,
    loginId: fields.email ?? account.identification,
    createdDate: showDateTime(account.createdAt),
    lastUpdate: showDateTime(account.lastUpdateAt),
  };
  return { ...shown, ...damagesOf(account.identification, quirks) };
}

function damagesOf(identification: string, { damages }: SandboxQuirks): Record<string, unknown> {
  const own = Object.entries(damages).flatMap(([place, value]) => {
    const dot = place.lastIndexOf('.');
    return place.slice(0, dot) === identification ? [[place.slice(dot + 1), value === 'null' ? null : value]] : [];
  });
  return Object.fromEntries(own);
}

/** Returns a user as search returns it: like read, with `organizationName`. */
export function showFoundUser(account: Account, quirks: SandboxQuirks): Record<string, unknown> {
  return { ...showUser(account, quirks), organizationName: 'Sandbox' };
}

/** Returns a user as in feedback and evaluations (contract, "User summary"), also after their removal. */
export function summarizeUser(identification: string, directory: UserDirectory): Record<string, unknown> {
  const account = directory.known(identification);
  if (account === undefined) return { identification };
  return {
    id: account.id,
    identification: account.identification,
    ...present(account, ['firstName', 'lastName', 'project', 'job', 'area', 'account', 'office']),
    profileImage: profileImage(account),
    enabled: account.enabled,
  };
}

export function profileImage(account: Account): Record<string, string> {
  const code = `avatar-${account.id % 12}`;
  const baseUrl = 'https://images.example.com/';
  return { code, baseUrl, suggestedUrl: `${baseUrl}${code}.png` };
}

export function present(account: Account, names: readonly FieldName[]): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const name of names) {
    const value = account.fields[name];
    if (value !== undefined) shown[name] = value;
  }
  return shown;
}
