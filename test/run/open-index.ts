import { tmpdir } from 'node:os';
import { onTestFinished } from 'vitest';
import { withEarlier } from '../../src/core/person/earlier.ts';
import type { FieldName, User } from '../../src/core/person/fields.ts';
import type { Person, RejectedPerson } from '../../src/core/person/person.ts';
import type { LedgerEntry } from '../../src/core/plan/ledger.ts';
import type { Spool } from '../../src/ports/runtime.ts';
import type { KeptUser } from '../../src/run/compare/kept-users.ts';
import type { Sync } from '../../src/run/engine-io.ts';
import { openRecordFiling } from '../../src/run/read/file-records.ts';
import { mark } from '../../src/run/read/marks.ts';
import { PeopleIndex } from '../../src/run/read/people-index.ts';
import { openFileSpool } from '../../src/store/db/file-spool.ts';

/** Opens an index whose spool is closed when the test ends. */
export function openIndex(fields: readonly FieldName[] = ['firstName', 'lastName', 'email'], salt = ''): PeopleIndex {
  const spool = openFileSpool(tmpdir());
  onTestFinished(() => spool.close());
  return new PeopleIndex(spool, fields, salt);
}

/** The people of a plan, as the steps before `decide` know them. */
export interface KnownPeople {
  readonly records?: readonly (Person | RejectedPerson)[];
  readonly users?: readonly User[];
  readonly ledger?: readonly LedgerEntry[];
  /** By the name of a claimant: who has the e-mail. */
  readonly claims?: Readonly<Record<string, string>>;
  readonly bystanders?: readonly string[];
  /** Users of whom the spool keeps only what the person does not tell, because they are equal. */
  readonly equal?: readonly string[];
}

/** Files the records in the index and marks everybody as the comparison does. Returns what the comparison hands on. */
export function fillIndex(
  index: PeopleIndex,
  spool: Spool,
  { sync, earlier, ...people }: KnownPeople & { readonly sync: Sync; readonly earlier?: readonly Person[] },
) {
  const filing = openRecordFiling({ index, sync, find: () => {}, blocked: undefined });
  const before = [...(earlier ?? [])];
  for (const record of people.records ?? []) {
    const at = before.findIndex(({ identification }) => identification === record.identification);
    const [same] = at === -1 ? [] : before.splice(at, 1);
    const other = same ?? ({ kind: 'unreadable', at: record.at, reason: 'is blank' } as const);
    const { mapped } = earlier === undefined ? { mapped: record } : withEarlier(record, other);
    if (mapped.kind !== 'unreadable') filing.file(mapped);
  }
  for (const record of before) filing.fileEarlier(record);
  filing.settle();
  const slotOf = (name: string): number => {
    const { slot } = index.find(name);
    if (slot !== -1) return slot;
    const added = index.add(name);
    index.name(added, name);
    return added;
  };
  for (const { identification, owner } of people.ledger ?? []) {
    // The ledger is not recalled for bystanders.
    if (people.bystanders?.includes(identification) === true) continue;
    index.set(slotOf(identification), mark.inLedger | (owner === 'people' ? mark.ours : 0));
  }
  const candidates = { slots: [] as number[], places: [] as number[] };
  const keep = (name: string, kept: KeptUser): void => {
    index.set(slotOf(name), mark.seen);
    candidates.slots.push(slotOf(name));
    candidates.places.push(spool.append(JSON.stringify(kept)));
  };
  for (const user of people.users ?? []) keep(user.identification, user);
  for (const name of people.equal ?? []) keep(name, [`9${name}`, { fields: {} }]);
  const links = Object.entries(people.claims ?? {}).map(([from, to]) => [slotOf(from), slotOf(to)] as const);
  for (const name of people.bystanders ?? []) index.set(slotOf(name), mark.bystander);
  const placeOf = (slot: number): number => candidates.places[candidates.slots.indexOf(slot)] ?? -1;
  return {
    candidates,
    claims: new Map(links.map(([claimant, holder]) => [claimant, { holder, place: placeOf(holder) }])),
    holders: new Map(links.map(([claimant, holder]) => [holder, claimant])),
  };
}
