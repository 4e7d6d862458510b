import { z } from 'zod';
import { type FieldName, findField } from '../../core/person/fields.ts';
import type { LimitedClass } from '../../core/plan/change.ts';
import { must } from '../../core/run/problem-words.ts';
import { type BlockedThreshold, defaultGuards, type Threshold } from '../../core/run/settings.ts';
import { documented, uniqueList, wholeNumber } from './values.ts';

const percentError = must('must be a percentage from 0 to 100');
const percentage = z.number({ error: percentError }).min(0, { error: percentError }).max(100, { error: percentError });

const most = 1_000_000;
const amount = wholeNumber(0, most);
const noneOrAmount = z.union([z.literal('none'), amount], {
  error: must(`must be none or a whole number from 0 to ${most}`),
});

/** The keys of each limit, with what is documented of the first two. */
function limitShape({ absolute, percent, cap }: Threshold, ofAbsolute: string, ofPercent: string) {
  return {
    absolute: documented(amount.default(absolute), ofAbsolute),
    percent: documented(percentage.default(percent), ofPercent),
    cap: documented(
      noneOrAmount.prefault(cap ?? 'none').transform((value) => (value === 'none' ? undefined : value)),
      'Maximum limit.',
      cap ?? 'none',
    ),
  };
}

const lineOf = ({ absolute, percent, cap }: Threshold): string => `${absolute} / ${percent} % / ${cap ?? 'none'}`;

function threshold(name: LimitedClass, what: string) {
  const limit = defaultGuards[name];
  const shape = limitShape(
    limit,
    'Changes allowed in 24 hours, regardless of the number of users.',
    'Share of the enabled managed users that may change, if this is more than `absolute`.',
  );
  const { absolute, percent } = limit;
  return documented(z.strictObject(shape).prefault({}), `${what} (absolute / percent / cap: ${lineOf(limit)})`, {
    absolute,
    percent,
  });
}

function blockedThreshold(limit: BlockedThreshold) {
  const { absolute, percent, oneInRows } = limit;
  const shape = {
    ...limitShape(
      limit,
      'Allowed increase since the last accepted read.',
      'Allowed increase as a share of the enabled managed users, if this is more than `absolute`.',
    ),
    oneInRows: documented(
      wholeNumber(1, most).default(oneInRows),
      'Maximum share of the source rows: one in this number.',
    ),
  };
  return documented(
    z.strictObject(shape).prefault({}),
    `Blocked people, for whom a run cannot decide. Above the limit, the run is held (${lineOf(limit)}, 1 in ${oneInRows} rows)`,
    { absolute, percent },
  );
}

/** `syncs.<name>.guards`: core/settings `GuardSettings`. */
export const guards = z.strictObject({
  disables: threshold('disables', 'Accounts to disable.'),
  enables: threshold('enables', 'Accounts to enable.'),
  removes: threshold('removes', 'Accounts to delete.'),
  creates: threshold('creates', 'Accounts to create.'),
  emailChanges: threshold('emailChanges', 'E-mail addresses to change.'),
  updates: threshold('updates', 'Updates of any field.'),
  firstSight: threshold('firstSight', 'First writes of fields that the platform does not return.'),
  handOvers: threshold('handOvers', 'Accounts that stay enabled because another sync is expected to take them over.'),
  configuration: threshold('configuration', 'People who change only because the configuration was edited.'),
  leads: threshold('leads', 'People who get another leader.'),
  unleads: threshold('unleads', 'People who lose a leader and get no other one.'),
  blocked: blockedThreshold(defaultGuards.blocked),
  segments: documented(
    uniqueList(
      z
        .string()
        .refine((name) => findField(name)?.isReadable === true, {
          error: must('must be a field that the platform shows, such as area or office'),
        })
        .transform((name) => name as FieldName),
    ).optional(),
    'Fields that divide users into groups, such as area. In a group of 5 or more managed users, disables above 3 and above 30 % in 24 hours are held.',
    ['area', 'office'],
  ),
  rowsDownPercent: documented(
    percentage.default(defaultGuards.rowsDownPercent),
    'If source rows drop by more than this percentage against the last complete read, disables, removes and misses are held.',
    10,
  ),
  fillRateDownPoints: documented(
    percentage.default(defaultGuards.fillRateDownPoints),
    "If a mapped field's share of filled values drops by more than these points, its updates are held. For the dates of lifecycle and the columns of scope, creates and enables are held.",
    20,
  ),
});
