import type { CodeEntry } from './code-entry.ts';

const moves = 'operations.md#move-users-between-syncs';
const pairs = 'operations.md#one-person-under-two-identifications';
const identities = 'operations.md#an-identification-that-comes-with-another-person';
const strange = 'operations.md#find-the-cause-of-a-message';
const files = 'platform-assumptions.md#following-a-file';
const writing = 'platform-assumptions.md#writing-users-directly';
const mapping = 'configuration.md#the-mapping';
const source = 'operations.md#the-source';
const undoing = 'how-to/undo-a-run.md';
const blocked = 'operations.md#too-many-people-are-blocked';
const shown = 'Run `rollcall show RUN --findings`: each line names the person and the reason.';

/** Findings: about leaders and records of the HR system, then about users of the platform, deliveries and the run. */
export const findingEntries = {
  'leader-self': {
    meaning: 'The source names a person as their own leader. That leader is not set.',
    cause: 'The column of the manager holds the identification of the person.',
    cure: [shown, 'Correct the manager in the HR system.'],
    page: mapping,
  },
  'leader-cycle': {
    meaning: 'People lead each other in a circle. The main leaders of these people are not changed.',
    cause: 'The source names a person as the leader of one of their own leaders.',
    cure: [shown, 'Correct one of the managers in the HR system.'],
    page: mapping,
  },
  'leader-conflict': {
    meaning: 'The leader that the source names may be two people. No leader is set.',
    cause: 'Two active people have the e-mail of the manager, or the record of the manager is in a conflict.',
    cure: [shown, 'Correct the e-mail of one of them in the HR system, or resolve the conflict of the manager.'],
    page: mapping,
  },
  'leader-by-hand': {
    meaning: 'The main leader was set by hand, so Rollcall does not replace it. It is reported once.',
    cause: 'The platform shows another main leader than the source, and Rollcall did not set it.',
    cure: ['To replace leaders that were set by hand, set `takeOver: true` in `mapping.manager`.'],
    page: mapping,
  },
  'leaders-unclear': {
    meaning: 'The list of leaders of a person cannot be read completely. The leaders are not changed.',
    cause: 'The platform refused the list, or returned a part of it.',
    cure: [shown, 'Check that the token may read leaders. The next run tries again.'],
    page: mapping,
  },
  'leader-waits': {
    meaning: 'A leader that the source names cannot be set for more than 7 days.',
    cause: 'The manager is not in the source, is out of scope, or has no account.',
    cure: [shown, 'Correct the manager in the HR system, or create the account of the manager.'],
    page: mapping,
  },
  'leader-left': {
    meaning: 'A leader left, and the source still names this leader for some people. The relation stays.',
    cause: 'The HR system has no next manager for these people yet.',
    cure: ['Name the next manager of these people in the HR system.'],
    page: mapping,
  },
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
    meaning:
      'The values of a column look as if an export changed them. Zeros are missing, or a word stands for no value.',
    cause: 'A spreadsheet treated text as numbers, or a program wrote `NULL` or `None` for a blank.',
    cure: [
      'Export the column as text, and compare the rows that the message names with the HR system.',
      'List words that mean no value in `nulls`. If the values are right, no action is required.',
    ],
    page: source,
  },
  'cell-collapsed': {
    meaning:
      'Line breaks or tabs inside a text became spaces, or invisible characters or the mark of an exporter were removed.',
    cause: 'The HR system exports them, or an exporter writes an apostrophe or `="…"` for spreadsheets.',
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
    cure: ['Give one of them another e-mail on the platform by hand. The next run does the rest.'],
    page: 'decisions/008-email-chains.md',
  },
  'rename-conflict': {
    meaning:
      'An employee seems to be a user with another identification: by e-mail, number, or name and dates. Neither is changed.',
    cause: 'The identification of the person changed in the HR system, or two people share an e-mail.',
    cure: [
      'If it is the same person, run `rollcall adopt SYNC PERSON` with the new identification.',
      'If the platform cannot change an identification, use `adopt` with `--replace` or `--leave`.',
      'If they are two people, use `adopt` with `--apart`, or correct the e-mail of one of them.',
    ],
    page: pairs,
  },
  conversion: {
    meaning: 'A leaver and an active employee look like the same person. Neither is changed.',
    cause: 'A person was hired again under a new identification, with the same e-mail and name or birth date.',
    cure: [
      'If it is the same person, run `rollcall adopt SYNC PERSON` with the new identification.',
      'If the platform cannot change an identification, use `adopt` with `--replace` or `--leave`.',
      'If they are two people, use `adopt` with `--apart`, or correct the e-mail of one of them.',
    ],
    page: pairs,
  },
  'left-as-decided': {
    meaning: 'An employee is left out, and the account of the same person is kept, until an instant.',
    cause: 'A person decided this with `rollcall adopt SYNC PERSON --leave`.',
    cure: [
      'No action is required until then.',
      'To decide otherwise, run `rollcall adopt SYNC PERSON`, which shows the other ways.',
    ],
    page: pairs,
  },
  'decision-without-effect': {
    meaning: 'A person decided to disable an account that no sync owns, and the account stays enabled.',
    cause: 'HR has the person by now, another sync has the person as active, or the account was made again.',
    cure: [
      'To withdraw the decision, run `rollcall adopt SYNC ID --leave --reason TEXT`.',
      'If the account was made again, decide about it again with `--disable`.',
    ],
    page: 'how-to/whose-accounts.md',
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
  'missing-found': {
    meaning:
      'A full read lacks a person whom the source knows by id. The user is not changed, and the count of absences starts again.',
    cause: 'The full read leaves the person out: by a filter, a permission, or a page that moved during the read.',
    cure: [
      'Check which people the full read returns in the HR system: the filter, the report, and the permissions.',
      'If the person left, correct the status in the HR system.',
    ],
    page: 'operations.md#missing-people',
  },
  'missing-unconfirmed': {
    meaning:
      'People who are missing from a full read were not counted as missing, because no lookup by id confirmed it.',
    cause: 'The source did not answer the lookup clearly, or more people are missing than a run looks up.',
    cure: [
      'No action is required: later runs look the people up again.',
      'If the finding repeats, correct what its message names: the record, the permission or the address.',
    ],
    page: 'operations.md#missing-people',
  },
  'lookup-refused': {
    meaning: 'The source refuses every lookup by id, so absences are counted by full reads alone.',
    cause: 'The credentials may read all people, but not a single one.',
    cure: ['Grant the permission that the page of the source names, or accept that full reads alone decide.'],
    page: 'operations.md#missing-people',
  },
  frozen: {
    meaning: 'Disables and removes wait for the end of a freeze. The first run after it makes them.',
    cause: 'The run took place in a window of `freeze`.',
    cure: ['No action is required. To end a freeze early, change `freeze` in the configuration.'],
    page: 'operations.md#pause-and-freeze',
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
  'owned-by-other-sync': {
    meaning: 'The user belongs to another sync, so this sync does not change the user.',
    cause: 'Two syncs of one connection have the person in their sources.',
    cure: ['To move the user, run `rollcall adopt SYNC PERSON` with the sync that becomes the owner.'],
    page: moves,
  },
  'handed-over': {
    meaning: 'A user moved from one sync to another.',
    cause:
      'The person is no longer in the source of the former sync but in the source of this one. Or the former sync is no longer configured.',
    cure: ['No action is required. `rollcall why SYNC PERSON` shows the owner.'],
    page: moves,
  },
  'orphaned-users': {
    meaning: 'Enabled users belong to a sync that is not configured, and no source of the run names them.',
    cause: 'The sync was renamed without `formerly`, or it was removed from the configuration.',
    cure: [
      'If the sync was renamed, set `formerly` in the sync with the new name.',
      'Otherwise move them with `rollcall adopt SYNC --from OTHER`, or leave them with `--leave --reason TEXT` added.',
    ],
    page: moves,
  },
  'hand-over-expected': {
    meaning: 'The person is gone here but active in another sync, so nothing is done until that sync takes over.',
    cause: 'The person moved to a department or country of another sync.',
    cure: [
      'No action is required. The state ends automatically after two full runs of the other sync that decide about the person.',
      'If the other sync cannot decide about the person, resolve what its last run reports about them.',
      'To move the user now, run `rollcall adopt SYNC PERSON` with the other sync.',
    ],
    page: moves,
  },
  'removed-with-blacklist': {
    meaning: 'An active employee has no account, because Rollcall removed it with blacklist.',
    cause: '`remove.blacklist` is set, and the person was hired again. The platform refuses the identification.',
    cure: ['Ask an administrator of the platform to take the identification off the blacklist.'],
    page: 'configuration.md#a-sync',
  },
  'another-person': {
    meaning: "HR's record of an identification is about another person than the account, as an operator decided.",
    cause: 'The HR system gave the identification of a former employee to another person.',
    cure: [
      'Give that person an identification of their own in the HR system: the next run creates an account.',
      'If it is the same person after all, run `rollcall adopt SYNC PERSON --same`.',
    ],
    page: identities,
  },
  'identity-unchecked': {
    meaning: 'Names are in one script in the source and in another on the platform, so they were not compared.',
    cause: 'Neither an e-mail nor a birth date nor an entry date is known on both sides.',
    cure: [
      'Look at some of these people in the plan, and see whether they are the people of the accounts.',
      'To have them compared, map `email`, `birthDate` or `orgEntryDate`.',
    ],
    page: identities,
  },
  'foreign-disable': {
    meaning: 'An active employee has an account that another person or system disabled. It stays disabled.',
    cause: 'An administrator disabled it on the platform after our last write, or after a run saw it enabled.',
    cure: [
      'Ask the administrator. To enable it, enable the account on the platform.',
      'To let Rollcall always enable such accounts, set `foreignDisable: enable`.',
    ],
    page: 'configuration.md#a-sync',
  },
  unresolved: {
    meaning:
      'The outcome of the sent changes is unknown. Nothing more is sent for these users until the outcome is known.',
    cause: 'An answer was lost, the process died, or the platform did not finish a file before the deadline.',
    cure: [
      'No action is required: later runs first check whether the changes were applied.',
      'If the state persists, ask the operators of the platform about the file that `rollcall show RUN` names. Do not send the file by hand.',
    ],
    page: files,
  },
  'not-undone': {
    meaning: 'An undo leaves the user, or some of the fields, as they are. The message says why.',
    cause:
      'The value changed since or was never known, the account belongs to another sync, or HR shows the person as active.',
    cure: [
      'Read the message. For an account that should not exist, correct `scope` or the HR system first, and undo the run again.',
      'Change what is left by hand on the platform, or in the HR system.',
    ],
    page: undoing,
  },
  'already-undone': {
    meaning: 'There is nothing to undo for this user: the platform shows what it showed before the change.',
    cause: 'The run was undone before, or another change put the values back.',
    cure: ['No action is required.'],
    page: undoing,
  },
  'account-unreadable': {
    meaning:
      'The platform shows an account without a readable identification, id or enabled flag. Only this account, and a person whom it names, is left as it is.',
    cause: 'The account was made in another way than the API, or the platform answered with a damaged record.',
    cure: ['Correct the account on the platform. `rollcall api users read --identification PERSON` shows its record.'],
    page: 'platform-assumptions.md#reading-users',
  },
  'lookup-disagrees': {
    meaning: 'The platform contradicts itself, or its users changed after the plan was made. The user is not changed.',
    cause: 'A read and a search gave different answers, or another system created, enabled or removed the user.',
    cure: [
      'No action is required: the next run plans again.',
      'If this happens again, run `rollcall learn CONNECTION`.',
    ],
    page: 'platform-assumptions.md#reading-users',
  },
  'create-waits': {
    meaning: 'The platform refused to create a user before. The create waits for its next try.',
    cause:
      'A deleted account still holds the identification or the e-mail, or an account that the platform hides has it. Rollcall tries at the next run, then after a day, three days and each week.',
    cure: [
      'Ask the platform which account holds the identification or the e-mail, and restore or rename that account.',
      'Run `rollcall resync SYNC --user ID` or `rollcall retry RUN` to try at once. A changed row is tried at once too.',
    ],
    page: 'operations.md#runbook',
  },
  'identification-rewritten': {
    meaning: 'The platform keeps the identification of a new user in another form, such as lower case.',
    cause: 'The platform rewrites identifications, so users do not appear under the identification that was sent.',
    cure: [
      'Map the identification in the form that the platform keeps, for example with `transform: [lowercase]`.',
      'Users that were created under the other form then match, and become managed by the next run.',
    ],
    page: mapping,
  },
  'not-deliverable': {
    meaning: 'The configured delivery cannot carry a change, so the change was not made.',
    cause:
      '`delivery: direct` cannot enable or disable accounts, nor write fields that only a file can write. With `dialect.put: replaces` or a full header, a write would clear a value that neither the platform nor the ledger shows.',
    cure: [
      'Set `delivery: csv` or `delivery: auto` for the sync.',
      'Give the employee a value, set `whenEmpty: clear`, or list the field in `dialect.mayClear`.',
    ],
    page: 'configuration.md#a-sync',
  },
  'protected-user': {
    meaning: 'A disable or remove was left out, because the user is protected.',
    cause: 'The list `protected` of the sync names the identification.',
    cure: ['If the user must be disabled, remove the identification from `protected`.'],
    page: 'configuration.md#a-sync',
  },
  'kept-differently': {
    meaning: 'The platform stores a value differently from what was sent. It is not sent again.',
    cause: 'The platform cuts, trims or reformats the value.',
    cure: ['No action is required. To remove the difference, shorten or reformat the value in the mapping.'],
    page: writing,
  },
  'ignored-field': {
    meaning: 'The platform accepted a change but ignored a field. The change counts as failed.',
    cause: 'The field is not writable for this connection, or does not exist in this community.',
    cure: ['Make the field writable on the platform, or remove it from the mapping.'],
    page: writing,
  },
  'changed-elsewhere': {
    meaning: 'Another person or system changed the user between our write and our read.',
    cause: 'An administrator or another integration writes the same field.',
    cure: [
      'No action is required: the next run plans the difference again.',
      'If this happens again, decide which system writes the field, and remove the field from the other system.',
    ],
    page: strange,
  },
  unverified: {
    meaning:
      'A change of fields that the platform does not show could not be confirmed. It is sent at most twice more.',
    cause: 'The platform did not change `lastUpdate` of the user after the write.',
    cure: ['Check the user on the platform. If the value is there, no action is required.'],
    page: writing,
  },
  repeated: {
    meaning: 'A change is sent again, because the outcome of an earlier one stayed unknown.',
    cause: '`settle.unknownAfter` passed, and the platform does not show the change.',
    cure: ['No action is required.'],
    page: files,
  },
  held: {
    meaning: 'A guard held changes. They are delivered only after an approval.',
    cause:
      'There are more changes of one kind than 24 hours allow, an edit of the configuration changes many people, or the source looks wrong.',
    cure: [
      'Run `rollcall holds` to see the people.',
      'If an edit of the configuration was wrong, take it back: the next run ends the hold.',
      'Run `rollcall approve RUN` to deliver the changes, or `rollcall reject RUN` to drop them.',
    ],
    page: 'operations.md#approve-held-changes',
  },
  'platform-ill': {
    meaning: 'The run stopped, because file after file failed and nothing was applied.',
    cause: 'The platform does not process provisioning files at the moment.',
    cure: [
      'Ask the operators of the platform about the files that `rollcall show RUN` names.',
      'Then run `rollcall resync SYNC`.',
    ],
    page: files,
  },
  'file-too-large': {
    meaning:
      'The platform refuses a file as too large (413). It went in parts, and later files are cut to the size that it accepts.',
    cause: 'The platform or a gateway before it limits the size of an upload.',
    cure: ['Set `batchRows` of the sync to the number that the message names.'],
    page: files,
  },
  'file-status': {
    meaning: 'The platform returned no status for a file, or one that `dialect.status` does not name.',
    cause: 'The platform uses other words, or has no status endpoint at `dialect.status.path`.',
    cure: [
      'Add the word that the message names to `dialect.status.done`, `failed` or `pending` of the connection.',
      'If the message names none, add `--raw` to `rollcall show RUN` to see it.',
    ],
    page: files,
  },
  'batch-failed': {
    meaning: 'A file or call failed. The run reads its rows back, and sends the missing ones again in smaller files.',
    cause: 'The platform ended the file as failed, or rejected the upload.',
    cure: [
      'While the run continues, no action is required.',
      'Afterwards run `rollcall show RUN --failed` to see the people who were not changed, and why.',
    ],
    page: files,
  },
  'plan-outdated': {
    meaning: 'Enables, disables and removes were left out, because the plan became too old.',
    cause: 'The run was interrupted for a long time.',
    cure: ['No action is required: the next run plans them again. To start that run now, run `rollcall resync SYNC`.'],
    page: 'operations.md#kill-restart-two-at-once',
  },
  'clock-jumped': {
    meaning: 'The clock of the store jumped. Decisions that depend on an age ignore the jump.',
    cause: 'The time service corrected the clock, or the machine was suspended.',
    cure: ['Check the time service on the machine of the store.'],
    page: 'operations.md#clocks',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;
