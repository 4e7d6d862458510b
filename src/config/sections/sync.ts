import { createTask, validateDetailed } from 'node-cron';
import { z } from 'zod';
import { parkingAddress, parkingPlace } from '../../core/person/cell.ts';
import { must } from '../../core/run/problem-words.ts';
import { guards } from './guards.ts';
import { lifecycle, mapping, prefer } from './mapping.ts';
import { documented, duration, identification, text, timeZone, uniqueList, wholeNumber } from './values.ts';

const policySentence =
  'sync (create, update, enable, disable and remove), upsert-only (create, update and enable; never disables a user) or create-only (create only)';

const dayMs = 86_400_000;

/** `schedule`: a cron pattern and its time zone. */
export const schedule = z.strictObject({
  cron: documented(
    cronPattern(),
    'Minute, hour, day of month, month, day of week. If day of month and day of week are both set, either one matches.',
    '*/15 * * * *',
  ),
  timezone: documented(timeZone().default('UTC'), 'The IANA time zone of the cron pattern.', 'America/Montevideo'),
});

function cronPattern() {
  return text().superRefine((pattern, ctx) => {
    const why = cronFault(pattern);
    if (why !== undefined) ctx.addIssue({ code: 'custom', message: why });
  });
}

/** Returns why the pattern is invalid, or undefined. Slots are minutes, so a pattern has five fields. */
function cronFault(pattern: string): string | undefined {
  const fields = pattern.trim().split(/\s+/);
  const isNamed = fields.length === 1 && pattern.startsWith('@');
  if (fields.length !== 5 && !isNamed) {
    return `must have five fields (minute hour day month weekday), such as "*/15 * * * *"; it has ${fields.length}`;
  }
  const { valid, errors } = validateDetailed(pattern);
  if (valid) return undefined;
  const field = cronFields[errors[0]?.field ?? ''];
  return field === undefined
    ? 'is not a cron pattern; write minute hour day month weekday, such as "*/15 * * * *"'
    : `has an invalid ${field}; write minute hour day month weekday, such as "*/15 * * * *"`;
}

const cronFields: Readonly<Record<string, string>> = {
  minute: 'minute (0 to 59)',
  hour: 'hour (0 to 23)',
  dayOfMonth: 'day of month (1 to 31, and it must exist in the month)',
  month: 'month (1 to 12, or jan to dec)',
  dayOfWeek: 'day of week (0 to 7, or sun to sat)',
};

/** Longest time without the end of a freeze, after which its windows count as endless (ms). */
const longestFreezeMs = 62 * dayMs;

const freeze = z
  .strictObject({
    cron: documented(cronPattern(), 'When a window begins, in the time zone of `schedule`.', '0 18 * * 5'),
    for: documented(duration('1m', '31d'), 'How long a window lasts, by the wall clock.', '60h'),
    timezone: documented(
      timeZone().optional(),
      'The IANA time zone of the windows. Absent: that of `schedule`, or UTC.',
      'America/Montevideo',
    ),
  })
  .superRefine(({ cron, for: lastsMs }, ctx) => {
    if (cronFault(cron) !== undefined || hasGap(cron, lastsMs)) return;
    const message =
      'never ends: the next window begins before this one is over. Make it shorter, or begin it less often';
    ctx.addIssue({ code: 'custom', path: ['for'], message });
  });

/** Returns whether some minute is in no window of the pattern. */
export function hasGap(cron: string, lastsMs: number): boolean {
  const starts = createTask(cron, () => {}, { timezone: 'UTC', suppressMissedWarning: true });
  const from = Date.UTC(2026, 0, 1);
  let endsAt = from + lastsMs;
  for (let at = from; at < from + longestFreezeMs; at += 60_000) {
    if (starts.match(new Date(at))) endsAt = at + lastsMs;
    else if (at >= endsAt) return true;
  }
  return false;
}

const missing = z.union(
  [
    z.literal('never'),
    z
      .strictObject({
        afterReads: documented(wholeNumber(1, 1000).default(2), 'Complete reads in a row without the employee.'),
        minAge: documented(duration('0s', '365d').prefault('24h'), 'Minimum time since the first of these reads.'),
      })
      .transform(({ afterReads, minAge }) => ({ afterReads, minAgeMs: minAge })),
  ],
  { error: must('must be never or a mapping with afterReads and minAge') },
);

const remove = z.union(
  [
    z.literal('never'),
    z
      .strictObject({
        afterDays: documented(wholeNumber(1, 3650), 'Days between the disable and the deletion.', 30),
        blacklist: documented(
          z.boolean().default(false),
          'Blacklists the user on the platform, so that it is not created again.',
        ),
      })
      .transform(({ afterDays, blacklist }) => ({ afterMs: afterDays * dayMs, blacklist })),
  ],
  { error: must('must be never or a mapping with afterDays') },
);

const deltas = z.union(
  [
    z.literal('never'),
    z
      .strictObject({
        fullEvery: documented(
          duration('1m', '31d').prefault('24h'),
          'Maximum time between full reads. After it, or when a read left work undone, the next run reads all employees. Missing employees, future dates and edits on the platform are noticed only by a full read.',
        ),
        overlap: documented(
          duration('0s', '7d').prefault('10m'),
          'How far a delta reaches back before the start of the last read. It covers a slow clock of the HR system and changes that appear late.',
        ),
      })
      .refine(({ fullEvery, overlap }) => !(overlap >= fullEvery), {
        error: 'must be shorter than fullEvery; otherwise a delta reads as much as a full read',
        path: ['overlap'],
      })
      .transform(({ fullEvery, overlap }) => ({ fullEveryMs: fullEvery, overlapMs: overlap })),
  ],
  { error: must('must be never or a mapping with fullEvery and overlap') },
);

const handOver = z
  .strictObject({
    maxAge: documented(
      duration('1m', '31d').prefault('24h'),
      'Maximum age of the complete reads by which users move between syncs. Set it longer than the time between two full runs.',
      '48h',
    ),
  })
  .transform(({ maxAge }) => ({ maxAgeMs: maxAge }));

const leavers = z
  .strictObject({
    within: documented(
      duration('1m', '31d').prefault('24h'),
      'Target from the start of the clock until the platform shows the account disabled. At least the interval of `schedule`.',
    ),
    warn: documented(
      duration('0s', '15d').prefault('2h'),
      'How long before the end of the target a notice is sent. At most half of `within`.',
    ),
  })
  .refine(({ within, warn }) => !(warn > within / 2), {
    error: 'must be at most half of within. Absent, it is 2h. Write a shorter warn, or a longer within',
    path: ['warn'],
  })
  .transform(({ within, warn }) => ({ withinMs: within, warnMs: warn }));

const settle = z
  .strictObject({
    every: documented(duration('50ms', '1h').prefault('5s'), "Polling interval of a file's status."),
    deadline: documented(
      duration('1s', '7d').prefault('30m'),
      'Time after which a file without a final status is unresolved.',
    ),
    visibleWithin: documented(
      duration('0s', '1d').prefault('2m'),
      'Time that the platform may need until it shows an accepted change.',
    ),
    unknownAfter: documented(
      duration('0s', '7d').prefault('30m'),
      'Time after which an unresolved batch is planned again; changes that are still needed are sent again.',
    ),
    maxSplits: documented(wholeNumber(0, 100).default(12), 'How often a run splits a failed file to find the bad row.'),
    proofWithin: documented(
      duration('0s', '7d').prefault('10m'),
      'Time after which a run with unsent changes reads back the sent ones. One scan covers all files since the last one; 0s reads each file back before the next is sent.',
    ),
    lookWithin: documented(
      duration('0s', '7d').prefault('15m'),
      'Maximum age of the lookup of a user before a change is sent. Users with an older one are looked up again, by scan or one by one; 0s looks up before each file.',
    ),
  })
  .refine(({ every, deadline }) => every <= deadline, {
    error: 'is longer than deadline; the status would never be polled',
    path: ['every'],
  })
  .transform(({ every, deadline, visibleWithin, unknownAfter, maxSplits, proofWithin, lookWithin }) => ({
    everyMs: every,
    deadlineMs: deadline,
    visibleWithinMs: visibleWithin,
    unknownAfterMs: unknownAfter,
    maxSplits,
    proofWithinMs: proofWithin,
    lookWithinMs: lookWithin,
  }));

const sourceKind = documented(text(), 'The kind of source; the other keys are its own.', 'csv');

const expressions = z
  .strictObject({
    perRow: documented(
      duration('50ms', '5m').prefault('1s'),
      'Time limit of one expression on one record. After it, the field counts as not visible, and a person whose `scope` took too long is blocked.',
    ),
    perRun: documented(
      duration('1s', '24h').prefault('5m'),
      'Time limit of all expressions of one read together. After it, expressions fail for the remaining records.',
    ),
  })
  .transform(({ perRow, perRun }) => ({ perRowMs: perRow, perRunMs: perRun }));

/** `syncs.<name>`: one source written to one connection. */
export const syncShape = {
  connection: documented(text(), 'The connection to write to.', 'acme'),
  schedule: documented(schedule.optional(), 'When the sync runs. Absent: only on request.', { cron: '*/15 * * * *' }),
  freeze: documented(
    freeze.optional(),
    'Windows without disables and removes, such as weekends. They follow in the first run after a window. Absences are counted as usual. Absent: none.',
    { cron: '0 18 * * 5', for: '60h' },
  ),
  freshness: documented(
    duration('1m', '365d').optional(),
    'Age of the last success that triggers an alert. Absent: three slots of the schedule without a success; without a schedule, never.',
    '26h',
  ),
  source: documented(
    z.looseObject({ kind: sourceKind }),
    'Where employees come from: `kind` and the keys of that kind. See [source keys](sources/keys.md).',
    { kind: 'csv', path: './employees.csv' },
  ),
  deltas: documented(
    deltas.prefault('never'),
    'Whether runs between full reads read only changed employees, where the source supports it: see [Deltas](operations.md#deltas).',
    { fullEvery: '24h' },
  ),
  formerly: documented(
    text().optional(),
    'The former name of this sync. All stored data of that name moves to this sync once, with the next command that can write. `plan`, `why` and `check` only read it. Without it, users of a renamed sync belong to no sync.',
    'employees',
  ),
  policy: documented(
    z.enum(['sync', 'upsert-only', 'create-only'], {
      error: (issue) =>
        issue.input === undefined
          ? `is required and has no default; choose ${policySentence}`
          : `must be ${policySentence}`,
    }),
    `The allowed changes: ${policySentence}.`,
    'upsert-only',
  ),
  delivery: documented(
    z.enum(['auto', 'csv', 'direct', 'outbox']).default('auto'),
    'How changes are delivered. `auto`: provisioning files, except removals and plans of up to 20 creates and updates that need no file. `csv`: files; removals by direct call. `direct`: direct calls only. `outbox`: files in a folder, for another system to deliver.',
    'csv',
  ),
  outbox: documented(
    z
      .strictObject({
        folder: documented(
          text().default('./outbox'),
          "Folder for the files, relative to the configuration's folder.",
          './outbox',
        ),
      })
      .optional(),
    'Only with `delivery: outbox`.',
    { folder: './outbox' },
  ),
  batchRows: documented(wholeNumber(1, 100_000).default(1000), 'Maximum number of rows in one file.'),
  mapping: documented(mapping, 'The value of each field of the platform. Unmapped fields are not changed.', {
    identification: 'employee_id',
    firstName: 'first_name',
    lastName: 'last_name',
  }),
  scope: documented(
    text().optional(),
    'A JSONata condition over the source record that selects employees. Absent: all employees.',
    "country = 'UY' and type != 'contractor'",
  ),
  prefer,
  match: documented(
    uniqueList(z.enum(['identification', 'email']))
      .refine((keys) => keys.includes('identification'), {
        error: 'must include identification, which is always compared',
      })
      .optional(),
    'How an employee is matched with a user. A match under another identification is a conflict, never a new account. Absent: identification, and email if it is mapped.',
    ['identification', 'email'],
  ),
  lifecycle: documented(
    lifecycle.optional(),
    'Which employees are active and which left. Absent: every employee in the source is active.',
    { status: 'status', active: ['active'], leaver: ['terminated'] },
  ),
  missing: documented(
    missing.prefault({ afterReads: 2, minAge: '24h' }),
    'When an employee who is missing from the source is disabled.',
    'never',
  ),
  leavers: documented(
    leavers.prefault({}),
    'The target time to disable the account of a leaver. The clock starts when a read first shows the leaver, but not before the last day of work ends for the person. See [No leaver late](how-to/no-leaver-late.md).',
    { within: '24h', warn: '2h' },
  ),
  outOfScope: documented(
    z.enum(['ignore', 'disable']).default('ignore'),
    'What happens to managed users who leave `scope`.',
    'disable',
  ),
  firstSight: documented(
    z.enum(['write', 'assume']).default('write'),
    'The first write of fields that the platform does not return: write them once for each user, or assume that they are equal.',
    'assume',
  ),
  foreignDisable: documented(
    z.enum(['report', 'enable']).default('report'),
    'What happens to an active employee whose user was disabled on the platform by others.',
    'enable',
  ),
  handOver: documented(handOver.prefault({}), 'How users move between syncs of one connection.', { maxAge: '48h' }),
  protected: documented(
    uniqueList(identification()).prefault([]),
    'Identifications that are never disabled or removed.',
    ['admin@acme'],
  ),
  remove: documented(remove.prefault('never'), 'When a disabled account is deleted.', { afterDays: 30 }),
  nulls: documented(
    z.array(text()).optional(),
    'Texts of the source that mean no value, in every cell that is read. Words of programs for a missing value (NULL, None, NaN) need no entry in dates, e-mails and phone numbers. In other cells they are reported. Expressions see the text as it is.',
    ['NULL', 'N/A'],
  ),
  hrOwner: documented(
    text().optional(),
    'The column that names who in HR corrects the record. `rollcall report data-quality` groups by it. See [how-to/a-list-for-hr.md](how-to/a-list-for-hr.md).',
    'hr_partner',
  ),
  parkEmail: documented(
    z
      .string()
      .refine((text) => text.includes(parkingPlace) && parkingAddress(text, 'E1') !== undefined, {
        error: `must contain ${parkingPlace} and make an e-mail address, such as "${parkingPlace}@parked.example"`,
      })
      .optional(),
    'The address that the account of a leaver gets when another employee needs its e-mail. Only a disabled account that this sync manages gets it. Absent: the employee waits for an operator.',
    '{identification}@parked.example',
  ),
  expressions: documented(
    expressions.prefault({}),
    'Limits of the expressions in `mapping` and `scope`. Simple expressions take far less.',
    { perRow: '500ms' },
  ),
  settle: documented(settle.prefault({}), 'Timeouts and intervals for the platform.', { deadline: '1h' }),
  guards: documented(
    guards.prefault({}),
    'Limits for changes without approval, per class, counted over this plan and the last 24 hours. Approved changes do not count. The limit is min(max(absolute, percent of enabled managed users), cap). A class above its limit is held.',
    { absolute: 10 },
  ),
};

/** A sync as read, without its name. */
export type SyncInput = z.output<z.ZodObject<typeof syncShape, z.core.$strict>>;
