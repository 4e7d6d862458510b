import type { FieldName, FieldValues, User } from '../../core/person/fields.ts';
import { TextHash } from '../../core/person/text.ts';
import { given } from '../../core/run/given.ts';
import type { DirectoryRow } from '../../ports/reads.ts';
import type { Spool } from '../../ports/runtime.ts';

/** Accounts beyond this number are left out. */
const mostOthers = 250_000;

/** Accounts that the platform shows and no record of the source names. */
export interface OtherAccounts {
  add(user: User): void;
  /** Four numbers of each: key (high, low), hash of the content, and the position for `row`. */
  entries(): Int32Array<ArrayBuffer>;
  row(position: number): DirectoryRow;
}

type Cells = [
  identification: string,
  name: string,
  email: string,
  enabled: string,
  lastUpdate: string,
  birthDate: string,
];

/**
 * Opens a list whose people are in the spool. `salt`: that of the roster, so that equal people have equal hashes. `mapped`: a
 * birth date is kept only if it is among them.
 */
export function openOtherAccounts(spool: Spool, salt: string, mapped: readonly FieldName[]): OtherAccounts {
  const hasBirthDate = mapped.includes('birthDate');
  const hash = new TextHash(salt);
  const numbers: number[] = [];
  const places: number[] = [];
  return {
    add({ identification, fields, enabled, lastUpdate = '' }) {
      if (places.length >= mostOthers) return;
      const { name, email, birthDate = '' } = shownAs(hasBirthDate ? fields : { ...fields, birthDate: '' });
      const { hi, lo } = hash.of(identification.toLowerCase());
      const cells: Cells = [identification, name, email, enabled ? 'enabled' : '', lastUpdate, birthDate];
      const content = hash.begin();
      for (const cell of cells) content.add(cell);
      numbers.push(hi, lo, content.end().hi, places.length);
      places.push(spool.append(JSON.stringify(cells)));
    },
    entries: () => Int32Array.from(numbers),
    row(position) {
      const cells = JSON.parse(spool.read(places[position] as number)) as Cells;
      const [identification, name, email, enabled, lastUpdate, birthDate] = cells;
      const more = given({ lastUpdate: lastUpdate || undefined, birthDate: birthDate || undefined });
      const account = { isOnPlatform: true, isEnabled: enabled !== '', ...more };
      return { identification, name, email, side: 'platform', standing: '', ...account };
    },
  };
}

/** Returns a list that keeps no account, for plans that store no directory. */
export function noOtherAccounts(): OtherAccounts {
  return {
    add() {},
    entries: () => new Int32Array(),
    row(position) {
      throw new RangeError(`no account was kept at ${position}`);
    },
  };
}

/** Returns the name and e-mail for display, and the birth date if there is one. */
export function shownAs({ firstName = '', lastName = '', email = '', birthDate = '' }: FieldValues) {
  return { name: `${firstName} ${lastName}`.trim(), email, ...given({ birthDate: birthDate || undefined }) };
}
