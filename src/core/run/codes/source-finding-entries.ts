import type { FindingCode } from '../finding.ts';
import type { CodeEntry } from './code-entry.ts';

const mapping = 'configuration.md#the-mapping';
const source = 'operations.md#the-source';
const blocked = 'operations.md#too-many-people-are-blocked';

/** Findings about records of the HR system. */
export const sourceFindingEntries = {
  'row-rejected': {
    meaning: 'A record was refused. The user is not changed, and the person counts as blocked.',
    cause: 'A required field is blank or cannot be used, or `scope` cannot be evaluated for the record.',
    cure: [
      'Run `rollcall show RUN --findings`: each line names the row, the column and the reason.',
      'Correct the cell in the HR system, or the mapping.',
    ],
    page: blocked,
  },
  'row-unreadable': {
    meaning: 'A record has no readable identification, so it cannot protect its person by name.',
    cause: 'The row has the wrong number of columns, a parse error, or a blank key.',
    cure: [
      'Correct the row that the message names.',
      'Until then no person counts as missing, because the read is incomplete.',
    ],
    page: source,
  },
  'cell-unreadable': {
    meaning: 'A cell cannot be used. The field keeps its value on the platform; the rest of the record is used.',
    cause: 'A date has another format, an e-mail is not one address, or an expression failed.',
    cure: ['Correct the cells that the message names, or the `format` or expression of the field.'],
    page: mapping,
  },
  'cell-suspect': {
    meaning: 'The values of a column look as if an export changed them, for example by dropping leading zeros.',
    cause: 'A spreadsheet or an export treated text as numbers: most values have more digits than these.',
    cure: [
      'Export the column as text, and compare the rows that the message names with the HR system.',
      'If the values are right, no action is required.',
    ],
    page: source,
  },
  'cell-collapsed': {
    meaning: 'Line breaks or tabs inside a text were replaced by spaces.',
    cause: 'The HR system exports them. The platform cannot store them in these fields.',
    cure: ['No action is required. To remove the finding, correct the texts in the HR system.'],
    page: mapping,
  },
  'create-refused': {
    meaning: 'An active employee has no account, and the record does not allow creating one.',
    cause: 'A required field (first name, last name or e-mail) or the hire date is blank or cannot be used.',
    cure: ['Correct the field that the message names. The next run creates the account.'],
    page: blocked,
  },
  'enable-refused': {
    meaning: 'An active employee has a disabled account, and the record does not allow enabling it.',
    cause: 'The hire or leave date cannot be read.',
    cure: ['Correct the date that the message names. The next run enables the account.'],
    page: 'configuration.md#the-lifecycle',
  },
  'source-incomplete': {
    meaning: 'The source was not read completely. No person counts as missing in this run.',
    cause: 'A file was cut off or is still being written, rows cannot be read, or pages shifted during the read.',
    cure: [
      'Read the message, which says what is missing.',
      'Run `rollcall source try SYNC` to read the source again. After a complete read, no further action is required.',
    ],
    page: source,
  },
  'person-unknown': {
    meaning: 'A run about named people was to sync a person of whom the source returned no record.',
    cause: 'The identification has a typing error, or the HR system no longer has the person.',
    cure: [
      'Check the identification, with its upper and lower case and its zeros, and request the run again.',
      'For a person whom the HR system no longer has, run `rollcall resync SYNC --full`.',
    ],
    page: source,
  },
  'source-note': {
    meaning: 'The source or the mapping has a property that an operator may want to know.',
    cause: 'The message describes the property. The run continued.',
    cure: ['Read the message, and correct the source or the configuration where it says so.'],
    page: 'sources/README.md',
  },
  'duplicate-key': {
    meaning: 'Two records, or two accounts, have the same identification. The user is not changed.',
    cause: 'The export lists a person twice, and no `prefer` rule decides which record counts.',
    cure: ['Remove the second record in the HR system, or set `prefer` for the sync.'],
    page: 'configuration.md#a-sync',
  },
  'case-conflict': {
    meaning: 'Two identifications differ only by case or by characters that look alike. Neither user is changed.',
    cause: 'A key was typed differently in the HR system and on the platform.',
    cure: ['Give both people clearly different identifications, or correct the one with the typing error.'],
    page: blocked,
  },
  'email-conflict': {
    meaning: 'Two people claim one e-mail address. The later change waits.',
    cause: 'Two active records have the same e-mail, or an account of another person still uses it.',
    cure: [
      'Run `rollcall show RUN --findings`: the message names both people.',
      'Correct the e-mail of one of them in the HR system.',
    ],
    page: blocked,
  },
  'email-cycle': {
    meaning: 'Several people exchange their e-mail addresses in a circle. None of them is changed.',
    cause: 'Each person needs an address that another one still has, so no change can go first.',
    cure: ['Set `parkEmail` for the sync, or give one of them another e-mail by hand.'],
    page: 'decisions/008-email-chains.md',
  },
  'rename-conflict': {
    meaning: 'An employee has the e-mail of a user with another identification. Neither is changed.',
    cause: 'The identification of the person changed in the HR system, or two people share an e-mail.',
    cure: [
      'If it is the same person, run `rollcall adopt SYNC PERSON` with the new identification.',
      'If not, correct the e-mail or the identification of one of them.',
    ],
    page: 'operations.md#move-users-between-syncs',
  },
  conversion: {
    meaning: 'A leaver and an active employee look like the same person. Neither is changed.',
    cause: 'A person was hired again under a new identification, with the same e-mail and name or birth date.',
    cure: [
      'If it is the same person, run `rollcall adopt SYNC PERSON` with the new identification.',
      'If not, correct the e-mail of one of them, or disable the old account by hand.',
    ],
    page: 'operations.md#move-users-between-syncs',
  },
  'status-unknown': {
    meaning: 'The status of a person is in neither list of `lifecycle`. The user is not changed.',
    cause: 'The HR system has a new status, or the status is blank.',
    cure: [
      'Add the status to `lifecycle.active` or `lifecycle.leaver`.',
      'Run `rollcall plan SYNC` to see the effect before the next run.',
    ],
    page: 'configuration.md#the-lifecycle',
  },
  'gone-unconfirmed': {
    meaning:
      'A delta read reported a person as gone, but a second lookup did not confirm this. The user is not changed.',
    cause: 'The person has another record, or the source did not answer the lookup.',
    cure: [
      'No action is required: later runs check again.',
      'Run `rollcall why SYNC PERSON` to see what the source says.',
    ],
    page: 'operations.md#deltas',
  },
  'field-vanished': {
    meaning: 'A field that the mapping reads is no longer in the source. Updates from this field are held.',
    cause: 'A column or a permission was removed in the HR system.',
    cure: [
      'Restore the column or the permission, then run `rollcall resync SYNC`.',
      'If the field is gone for good, remove it from the mapping.',
    ],
    page: 'operations.md#what-a-guard-counts',
  },
} as const satisfies Partial<Record<FindingCode, CodeEntry>>;
