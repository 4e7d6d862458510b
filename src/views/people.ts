import { z } from 'zod';
import type { MappingTrace } from '../core/person/mapping.ts';
import type { SourceRecord } from '../core/person/person.ts';
import type { Change } from '../core/plan/change.ts';
import type { LedgerEntry } from '../core/plan/ledger.ts';
import type { Decision, SourceSays } from '../core/plan/plan.ts';
import type { Snapshot } from '../core/plan/snapshot.ts';
import { decisionWays } from '../core/plan/standing.ts';
import type { Finding } from '../core/run/finding.ts';
import type { Lookup } from '../ports/platform.ts';
import type { AuditEntry, PastChange } from '../ports/store.ts';
import { pastChanges, pastChangeView } from './changes.ts';
import { count, type Inner, instant, toWire, viewOf } from './wire.ts';

const foundPerson = z.object({
  sync: z.string(),
  identification: z.string(),
  name: z.string().describe('Empty: not known'),
  email: z.string(),
  side: z
    .enum(['source', 'platform', 'ledger'])
    .describe(
      '`source`: a record names the person; `platform`: only an account; `ledger`: only an entry in the ledger',
    ),
  standing: z
    .string()
    .describe(
      'What the source says: active, leaver, future, unknown, out-of-scope, unusable; empty for an account only',
    ),
  isOnPlatform: z.boolean().describe('As the last complete read of the sync saw it'),
});

export const foundPeople = z
  .object({
    people: z.array(foundPerson).describe('An equal identification first, then the others in order of name'),
    total: count,
    next: count.nullable().describe('Send it as `offset` for the next page; null: this is the last page'),
    syncs: z
      .array(z.object({ sync: z.string(), readAt: instant.nullable(), people: count }))
      .describe('What was searched; `readAt` null: no complete read yet, so no person is found by name'),
  })
  .meta({ id: 'FoundPeople' });

export type FoundPerson = Inner<z.output<typeof foundPerson>>;

/** What one search found, before its next page is known. */
export type FoundPeople = Omit<Inner<z.output<typeof foundPeople>>, 'next'>;

export const foundPeopleView = viewOf(foundPeople, (found: FoundPeople, offset: number) => {
  const end = offset + found.people.length;
  return { ...found, next: end < found.total && found.people.length > 0 ? end : null };
});

/** The way of one person through the steps of a run, in order. */
export const personStepNames = [
  'source',
  'mapping',
  'scope',
  'conflicts',
  'difference',
  'guard',
  'batch',
  'platform',
  'read-back',
] as const;

const stepDetail = z.object({
  name: z.string(),
  value: z.string(),
  before: z.string().optional().describe('The former value; absent: not known'),
  origin: z.string().optional().describe('Where the value comes from'),
});

const personStep = z.object({
  step: z.enum(personStepNames),
  state: z
    .enum(['ok', 'partly', 'stopped', 'not-reached'])
    .describe('partly: some cells cannot be used; stopped: no later step runs until the cause is removed'),
  summary: z.string().describe('A sentence without its full stop'),
  details: z.array(stepDetail),
  run: z.string().nullable().describe('The run that the step is about'),
});

/**
 * One step of the way. The steps up to `guard` are about the next full run. Those after it are about the change that
 * was last sent, while no other change is due.
 */
export type PersonStep = Inner<z.output<typeof personStep>>;
export type StepDetail = Inner<z.output<typeof stepDetail>>;

const personValue = z.object({
  field: z.string(),
  columns: z.array(z.string()).describe('Source fields of the value; empty: a fixed value'),
  origin: z.string().describe('How: `from department`, `expression …`, `a fixed value`'),
  source: z.string().nullable().describe('What the source says in them; null: nothing is read'),
  sent: z
    .string()
    .nullable()
    .describe('The value for the platform; empty: it is cleared; null: the value there is kept'),
  note: z.string().nullable().describe('Why the value is kept or cleared'),
  platform: z.string().nullable().describe('The value that the platform shows; null: none is shown'),
  written: z.string().nullable().describe('The last value written, if the platform shows none'),
});

export type PersonValue = Inner<z.output<typeof personValue>>;

const wayOfTwo = z.object({ way: z.enum(decisionWays).exclude(['disable']), effect: z.string() });

const pair = z.object({
  identification: z.string().describe('The person in the source'),
  other: z.string().describe('The account. If it equals the person, the record and the account are different people'),
  ways: z.array(wayOfTwo).describe('Other possible decisions than moving the account to the identification'),
});

export const person = z
  .looseObject({
    sync: z.string(),
    identification: z.string(),
    answer: z.string().describe('What happens to the account, and why: a sentence without its full stop'),
    values: z.array(personValue).describe('The mapped fields of the record; empty without a record'),
    next: z.string().describe('What the next full run does'),
    steps: z
      .array(personStep)
      .describe(
        'The steps of the decision in order. Steps up to `guard` show what the next full run decides; the last three steps show the change that was last sent',
      ),
    change: z
      .looseObject({ kind: z.string(), hash: z.string(), reason: z.string(), classes: z.array(z.string()) })
      .nullable()
      .describe('The change that the next full run plans; null: none'),
    leaders: z
      .looseObject({ kind: z.string(), hash: z.string(), reason: z.string(), classes: z.array(z.string()) })
      .nullable()
      .describe("The change of the person's leaders that the next full run plans; null: none"),
    decision: z.looseObject({}).optional(),
    pair: pair
      .nullable()
      .describe(
        'The person and another account seem to be the same person, or two people share an identification; null: neither',
      ),
  })
  .meta({
    id: 'Person',
    description: 'The records, the mapping step by step, the platform, the ledger and the decision',
  });

/** An account that got another identification by `adopt`, as the audit has it. */
export interface Rename extends Pick<AuditEntry, 'at' | 'by' | 'reason'> {
  readonly from: string;
  readonly to: string;
}

/** The decisions of the pipeline about one person now, and the person's earlier changes. Holds field values. */
export interface PersonTrace {
  readonly identification: string;
  readonly answer: string;
  readonly values: readonly PersonValue[];
  readonly records: readonly { readonly record: SourceRecord; readonly trace: MappingTrace }[];
  /** The fields of the source that the configuration reads. */
  readonly reads: readonly string[];
  readonly snapshot: Snapshot;
  /** Absent when no plan can be made from the read. See `failure`. */
  readonly says: SourceSays | undefined;
  readonly lookup: Lookup;
  readonly ledger: LedgerEntry | undefined;
  readonly decision: Decision | undefined;
  /** The change that the next full run plans, with its hash. */
  readonly change: Change | undefined;
  /** The change of the person's leaders that the next full run plans. */
  readonly leaders: Change | undefined;
  /** The way of the person, from the source to the read-back. */
  readonly steps: readonly PersonStep[];
  /** Findings about the person, and about the whole read. */
  readonly findings: readonly Finding[];
  /** Why a full run would plan nothing from this read. */
  readonly failure: string | undefined;
  /** What the next full run does, and what keeps it from doing it: a hold, a rejection, a pause. */
  readonly next: string;
  readonly pair: Inner<z.output<typeof pair>> | null;
  /** Renames of the account by `adopt`: those that led to this identification, and the one that ended it. */
  readonly renames: readonly Rename[];
  /** Also the changes under earlier identifications. */
  readonly history: readonly PastChange[];
}

export const personView = viewOf(person, (sync: string, trace: PersonTrace) => ({ sync, ...trace }));

const pastAnswer = z.object({
  identification: z.string(),
  answer: z.string().describe('What the run did with the account, and why: a sentence without its full stop'),
  run: z.string().nullable().describe('null: none is stored from before then'),
  at: instant.nullable().describe('When the run began'),
  outcome: z.string().nullable(),
  configuration: z.string().nullable().describe('Fingerprint of the configuration of the run'),
  change: z.string().nullable().describe('The kind of the change that the run planned; null: none'),
  rule: z.string().nullable().describe('The rule of the change'),
  hash: z.string().nullable().describe('The hash of the change'),
  code: z.string().nullable().describe('The code of the finding that left the account as it was'),
  says: z.string().nullable().describe('Status in the read: active, leaver, out-of-scope, other, undecided, absent'),
  since: instant.nullable().describe('Start of the first run with this status'),
});

export const personPast = z
  .object({
    history: pastChanges.shape.history,
    told: z
      .array(z.object({ at: instant, run: z.string().nullable(), text: z.string() }))
      .describe('The status of the person in full reads, and the findings about the person, newest first'),
    past: pastAnswer.nullable().describe('The answer of the requested run; null: none was requested'),
  })
  .meta({ id: 'PersonPast' });

/** What one run decided about a person, from stored facts alone. */
export type PastAnswer = Inner<z.output<typeof pastAnswer>>;
export type PastNote = Inner<z.output<typeof personPast>>['told'][number];

type FoundPast = Pick<PersonTrace, 'history'> & Pick<Inner<z.output<typeof personPast>>, 'told' | 'past'>;

export const personPastView = viewOf(personPast, ({ history, ...found }: FoundPast) => {
  return { ...found, history: history.map(pastChangeView) };
});

export const pastAnswerView = toWire(pastAnswer);

const adoption = z.object({
  identification: z.string(),
  kind: z
    .enum(['move', 'rename', 'decide', 'none'])
    .describe(
      '`move`: from another sync; `rename`: the account of `other` gets this identification; `decide`: the way that was chosen is stored; `none`: nothing is done',
    ),
  account: z.object({ id: z.string(), enabled: z.boolean() }).optional(),
  owner: z.string().optional().describe('The sync that owned the user before'),
  other: z.string().optional().describe('The identification that the account had before'),
  effect: z.string().describe('What changes, or why nothing does'),
  isDone: z.boolean().describe('false in a preview, and after an adoption if the platform does not show the rename'),
  ways: z
    .array(wayOfTwo)
    .optional()
    .describe('What can be decided instead. Absent: no account seems to be the same person, or to be another one'),
});

export const adoptions = z.object({ sync: z.string(), adoptions: z.array(adoption) }).meta({ id: 'Adoptions' });

/** What adopting one person does, or did. */
export type Adoption = Inner<z.output<typeof adoption>>;

export const adoptionsView = toWire(adoptions);

export const orphans = z
  .object({
    orphans: z.array(
      z.object({
        connection: z.string(),
        owner: z.string().describe('The sync that owns the users and is not configured'),
        users: z.number().int().describe('Enabled users'),
        message: z.string().describe('What to do'),
      }),
    ),
  })
  .meta({ id: 'Orphans', description: 'Users whom no sync disables, because their sync is not configured' });

export type Orphans = Inner<z.output<typeof orphans>>['orphans'][number];

export const orphansView = toWire(orphans);

export const orphansMoved = z
  .object({
    sync: z.string(),
    from: z.string(),
    users: z.number().int().describe('Users that moved, or stay as they are'),
    isDone: z.boolean(),
  })
  .meta({ id: 'OrphansMoved' });

export type OrphansMoved = Omit<Inner<z.output<typeof orphansMoved>>, 'isDone'>;

export const orphansMovedView = toWire(orphansMoved);
