import { z } from 'zod';
import { type Correction, correctionWords, type Language } from '../core/person/corrections.ts';
import { changeKinds } from '../core/plan/change.ts';
import { countOf } from '../core/run/formats.ts';
import type { FoundInRun } from '../ports/reports.ts';
import { change, changeView } from './changes.ts';
import { count, type Inner, instant, personal, toWire, viewOf } from './wire.ts';

export const recentChanges = z
  .object({
    changes: z.array(change.extend({ sync: z.string(), run: z.string(), at: instant, appliedAt: instant.nullable() })),
    next: z.string().nullable().describe('The cursor of the next page; null: this is the last page'),
  })
  .meta({ id: 'RecentChanges' });

export interface RecentPage {
  readonly changes: readonly FoundInRun[];
  readonly next: string | undefined;
}

export const recentChangesView = viewOf(recentChanges, ({ changes, next }: RecentPage) => ({
  changes: changes.map(({ change: one, ...facts }) => ({ ...changeView(one), ...facts, appliedAt: one.appliedAt })),
  next,
}));

export const reportKinds = ['leavers', 'joiners'] as const;
export type ReportKind = (typeof reportKinds)[number];

export const personReport = z
  .object({
    kind: z.enum(reportKinds),
    from: z.string().describe('The first day, in UTC'),
    to: z.string().describe('The last day, in UTC'),
    people: z.array(
      z.object({
        sync: z.string(),
        identification: z.string(),
        name: z.string(),
        email: z.string(),
        change: z.enum(changeKinds).describe('create, enable, disable or remove'),
        saidAt: instant.describe('When a read first showed it'),
        hireDate: z.string().nullable().describe('The value of orgEntryDate; null: not mapped, or blank'),
        leaveDate: z
          .string()
          .nullable()
          .describe('The last day of work in the last full read; null: not mapped, not given, or a joiner'),
        shownAt: instant.nullable().describe('When the platform showed it; null: not yet'),
        state: z.string().describe('applied, held, failed or another state of the newest change'),
        reason: z.string(),
        stateReason: z.string().nullable().describe('Why it is held or failed'),
        approvedBy: z.string().nullable(),
        approvedAt: instant.nullable(),
        run: z.string().describe('The run of the newest change'),
        hash: z.string().describe('The hash of the change'),
        sentAs: z.string().nullable().describe('The file with its id, or the direct call; null: not sent'),
        sentAt: instant.nullable(),
        keptBy: z.string().nullable().describe('Who rejected the change; null: no one'),
        keptWhy: z.string().nullable(),
        countedAs: z
          .string()
          .describe('leaver, joiner or returner; or why the person is none: rejected, withdrawn, held, undone, …'),
      }),
    ),
    counts: z.record(z.string(), count).describe('People by `countedAs`'),
  })
  .meta({ id: 'PersonReport' });

export type PersonReport = Inner<z.output<typeof personReport>>;

export const personReportView = toWire(personReport);

/** Says `6 leavers from 2026-11-01 to 2026-11-30`, and who is none of them: `not counted: 39 rejected`. */
export function reportHead({ kind, from, to, counts }: Pick<PersonReport, 'kind' | 'from' | 'to' | 'counts'>): string {
  const { leaver = 0, joiner = 0, returner = 0, ...others } = counts;
  const back = returner === 0 ? '' : ` and ${countOf(returner, 'person who returned', 'people who returned')}`;
  const who = kind === 'leavers' ? countOf(leaver, 'leaver') : `${countOf(joiner, 'joiner')}${back}`;
  const rest = Object.entries(others).map(([name, some]) => `${some} ${notCounted[name] ?? name}`);
  return [`${who} from ${from} to ${to}`, ...(rest.length === 0 ? [] : [`not counted: ${rest.join(', ')}`])].join('; ');
}

/** In words that differ from the names of `countedAs`. */
export const notCounted: Readonly<Record<string, string>> = {
  held: 'to approve',
  upkeep: 'for another reason',
  dropped: 'not sent',
  withdrawn: 'taken back by HR',
};

export const dataQuality = z
  .object({
    sync: z.string(),
    corrections: z.array(
      z.object({
        owner: personal(z.string().nullable()).describe('Who in HR corrects it; null: no `hrOwner`'),
        person: personal(z.string().nullable()).describe('The identification; null: the record has none'),
        place: personal(z.string()).describe('The place in the source: `line 12`'),
        column: z.string().nullable(),
        code: z.string(),
        problem: z.string(),
        effect: z.string().describe('The effect of the problem on the account'),
        remedy: z.string(),
        since: instant.describe('When a read first showed it, without interruption'),
      }),
    ),
  })
  .meta({ id: 'DataQuality' });

export interface CorrectionList {
  readonly sync: string;
  readonly language: Language;
  readonly all: readonly Correction[];
}

export const dataQualityView = viewOf(dataQuality, ({ sync, language, all }: CorrectionList) => ({
  sync,
  corrections: all.map(({ subject, field, owner, ...one }) => ({
    ...one,
    ...correctionWords(one, language),
    owner: owner || undefined,
    person: subject === one.place ? undefined : subject,
    column: field || undefined,
  })),
}));
