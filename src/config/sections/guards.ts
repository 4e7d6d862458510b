import { z } from 'zod';
import { type FieldName, findField } from '../../core/person/fields.ts';
import type { ChangeClass } from '../../core/plan/change.ts';
import { must } from '../../core/run/problem-words.ts';
import { type BlockedThreshold, defaultGuards } from '../../core/run/settings.ts';
import { documented, uniqueList, wholeNumber } from './values.ts';

const percentError = must('must be a percentage from 0 to 100');
const percentage = () =>
  z.number({ error: percentError }).min(0, { error: percentError }).max(100, { error: percentError });

const most = 1_000_000;

function threshold(name: ChangeClass, what: string) {
  const { absolute, percent, cap } = defaultGuards[name];
  const line = `${absolute} / ${percent} % / ${cap ?? 'none'}`;
  return documented(
    z
      .strictObject({
        absolute: documented(
          wholeNumber(0, most).default(absolute),
          'Changes allowed in 24 hours, regardless of the number of users.',
          absolute,
        ),
        percent: documented(
          percentage().default(percent),
          'Share of the enabled managed users that may change, if this is more.',
          percent,
        ),
        cap: upTo(cap),
      })
      .prefault({}),
    `${what} (absolute / percent / cap: ${line})`,
    { absolute, percent },
  );
}

function blockedThreshold({ absolute, percent, cap, oneInRows }: BlockedThreshold) {
  const line = `${absolute} / ${percent} % / ${cap ?? 'none'}, 1 in ${oneInRows} rows`;
  return documented(
    z
      .strictObject({
        absolute: documented(
          wholeNumber(0, most).default(absolute),
          'Allowed increase since the last accepted read.',
          absolute,
        ),
        percent: documented(
          percentage().default(percent),
          'Allowed increase as a share of the enabled managed users, if this is more.',
          percent,
        ),
        cap: upTo(cap),
        oneInRows: documented(
          wholeNumber(1, most).default(oneInRows),
          'Maximum share of the source rows: one in this number.',
          oneInRows,
        ),
      })
      .prefault({}),
    `People for whom nothing could be decided: the run is held (${line})`,
    { absolute, percent },
  );
}

function upTo(cap: number | undefined) {
  return documented(
    z
      .union([z.literal('none'), wholeNumber(0, most)], {
        error: must(`must be none or a whole number from 0 to ${most}`),
      })
      .prefault(cap ?? 'none')
      .transform((value) => (value === 'none' ? undefined : value)),
    'Maximum limit.',
    cap ?? 'none',
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
  configuration: threshold('configuration', 'People whom an edit of the configuration changes, and nothing else.'),
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
    'Fields whose values limit disables too. Where 5 or more managed users share a value, more than 3 and more than 30 % of them in 24 hours are held.',
    ['area', 'office'],
  ),
  rowsDownPercent: documented(
    percentage().default(defaultGuards.rowsDownPercent),
    'If source rows drop by more than this percentage against the last complete read, disables, removes and misses are held.',
    10,
  ),
  fillRateDownPoints: documented(
    percentage().default(defaultGuards.fillRateDownPoints),
    "If a mapped field's share of filled values drops by more than these points, its updates are held. For the dates of lifecycle and the columns of scope, creates and enables are held.",
    20,
  ),
});
