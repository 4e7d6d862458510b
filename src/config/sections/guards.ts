import { z } from 'zod';
import type { ChangeClass } from '../../core/plan/change.ts';
import { type BlockedThreshold, defaultGuards } from '../../core/run/settings.ts';
import { must } from '../sentences.ts';
import { wholeNumber } from './values.ts';

const percentError = must('must be a percentage from 0 to 100');
const percentage = () =>
  z.number({ error: percentError }).min(0, { error: percentError }).max(100, { error: percentError });

const most = 1_000_000;

function threshold(name: ChangeClass, what: string) {
  const { absolute, percent, cap } = defaultGuards[name];
  const line = `${absolute} / ${percent} % / ${cap ?? 'none'}`;
  return z
    .strictObject({
      absolute: wholeNumber(0, most)
        .default(absolute)
        .meta({ description: 'Changes allowed in 24 hours, regardless of the number of users.', examples: [absolute] }),
      percent: percentage()
        .default(percent)
        .meta({
          description: 'Share of the enabled managed users that may change, if this is more.',
          examples: [percent],
        }),
      cap: upTo(cap),
    })
    .prefault({})
    .meta({ description: `${what} (absolute / percent / cap: ${line})`, examples: [{ absolute, percent }] });
}

function blockedThreshold({ absolute, percent, cap, oneInRows }: BlockedThreshold) {
  const line = `${absolute} / ${percent} % / ${cap ?? 'none'}, 1 in ${oneInRows} rows`;
  return z
    .strictObject({
      absolute: wholeNumber(0, most)
        .default(absolute)
        .meta({ description: 'Allowed increase since the last accepted read.', examples: [absolute] }),
      percent: percentage()
        .default(percent)
        .meta({
          description: 'Allowed increase as a share of the enabled managed users, if this is more.',
          examples: [percent],
        }),
      cap: upTo(cap),
      oneInRows: wholeNumber(1, most)
        .default(oneInRows)
        .meta({ description: 'Maximum share of the source rows: one in this number.', examples: [oneInRows] }),
    })
    .prefault({})
    .meta({
      description: `People for whom nothing could be decided: the run is held (${line})`,
      examples: [{ absolute, percent }],
    });
}

function upTo(cap: number | undefined) {
  return z
    .union([z.literal('none'), wholeNumber(0, most)], {
      error: must(`must be none or a whole number from 0 to ${most}`),
    })
    .prefault(cap ?? 'none')
    .transform((value) => (value === 'none' ? undefined : value))
    .meta({ description: 'Maximum limit.', examples: [cap ?? 'none'] });
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
  blocked: blockedThreshold(defaultGuards.blocked),
  rowsDownPercent: percentage()
    .default(defaultGuards.rowsDownPercent)
    .meta({
      description:
        'If source rows drop by more than this percentage against the last complete read, disables, removes and misses are held.',
      examples: [10],
    }),
  fillRateDownPoints: percentage()
    .default(defaultGuards.fillRateDownPoints)
    .meta({
      description: "If a mapped field's share of filled values drops by more than these points, its updates are held.",
      examples: [20],
    }),
});
