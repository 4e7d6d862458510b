import type { CellTrouble } from '../run/refusal.ts';
import data from './corrections.json' with { type: 'json' };
import type { LeaderField } from './fields.ts';
import type { Mapped, Person } from './person.ts';

export type CorrectionCode = keyof typeof data.codes;

export const languages = ['en', 'es'] as const;
export type Language = (typeof languages)[number];

/** One thing that HR has to correct in one record. */
export interface Correction {
  readonly code: CorrectionCode;
  /** The identification, or the place of a record that has none. */
  readonly subject: string;
  /** Location in the source: `line 12`, and those of the other records of a conflict. */
  readonly place: string;
  /** The column that is wrong; empty: the code says it. */
  readonly field: string;
  /** Who in HR corrects the record, by the column `hrOwner`; empty: no column is named, or the cell is blank. */
  readonly owner: string;
  /** The person has an enabled account. */
  readonly hasAccess: boolean;
  /** Start of the first run that showed it, without interruption (epoch ms). */
  readonly since: number;
}

/** What a full read shows that HR has to correct. */
export interface CorrectionsFound {
  readonly corrections: readonly Omit<Correction, 'since'>[];
  /** Whether a person of whom nothing was found has nothing to correct: the read showed the person, or was whole. */
  readonly isOver: (subject: string) => boolean;
  /** Start of the run (epoch ms). */
  readonly at: number;
}

/** What identifies a correction from run to run: lines move. */
export function correctionKey({ code, subject, field }: Pick<Correction, 'code' | 'subject' | 'field'>): string {
  return JSON.stringify([code, subject, field]);
}

/** Returns what is wrong, what it keeps from happening and what to correct, in the words of HR. */
export function correctionWords({ code, hasAccess }: Pick<Correction, 'code' | 'hasAccess'>, language: Language) {
  const { effects, ...texts } = data.codes[code];
  const effect = effects[hasAccess ? 1 : 0] as keyof typeof data.effects;
  const [problem = '', remedy = ''] = texts[language];
  return { problem, effect: data.effects[effect][languages.indexOf(language)] ?? '', remedy };
}

type Found = Pick<Correction, 'code' | 'field'>;

/** Returns what a record of a person shows without the others. What leavers and people out of scope have changes nothing. */
export function correctionsIn(mapped: Mapped): readonly Found[] {
  if (mapped.kind === 'unreadable') return [{ code: 'row-unreadable', field: '' }];
  // A scope that cannot be evaluated has no column.
  if (mapped.kind === 'rejected') {
    return [{ code: 'row-rejected', field: mapped.column === 'scope' ? '' : mapped.column }];
  }
  if (!mapped.isInScope || mapped.standing === 'leaver') return none;
  const dates = datesOf(mapped);
  if (mapped.troubles.length === 0 && mapped.standing !== 'unknown' && dates.length === 0) return none;
  return [
    // An unreadable date leaves a readable status open too.
    ...(mapped.standing === 'unknown' && mapped.troubles.every(isOfCell)
      ? [{ code: 'status-unknown', field: '' } as const]
      : []),
    ...mapped.troubles.filter(({ kind }) => !notOfHr.includes(kind)).map(ofTrouble),
    ...dates,
  ];
}

const none: readonly never[] = [];

/** A missing permission, or an expression of the configuration. */
const notOfHr: readonly string[] = ['not-visible', 'expression-failed'] satisfies readonly CellTrouble['kind'][];

const codeOfField: { readonly [Field in CellTrouble['field']]?: CorrectionCode } = {
  hireDate: 'hire-date',
  leaveDate: 'leave-date',
  timezone: 'time-zone',
  birthDate: 'birth-date',
  firstName: 'needed-cell',
  lastName: 'needed-cell',
  email: 'needed-cell',
};

function isOfCell({ field }: CellTrouble): boolean {
  return field !== 'hireDate' && field !== 'leaveDate' && field !== 'timezone';
}

function ofTrouble({ field, kind, column }: CellTrouble): Found {
  const code = kind === 'status-and-date' ? kind : codeOfField[field];
  return { code: code ?? 'cell-unreadable', field: column };
}

/** Plain dates compare as texts. */
function datesOf({ hires, leaves = '', fields: { orgEntryDate = '', birthDate = '' } }: Person): readonly Found[] {
  const first = hires ?? orgEntryDate;
  if (first === '') return none;
  return [
    ...(leaves !== '' && leaves < first ? [{ code: 'leave-before-hire', field: '' } as const] : []),
    ...(birthDate > first ? [{ code: 'birth-after-hire', field: '' } as const] : []),
  ];
}

/** What cannot be set of the leaders that a person's record names. `why` continues "the leader". */
export interface LeaderTroubles {
  readonly trouble?: { readonly code: 'leader-self' | 'leader-conflict' };
  readonly waits: readonly { readonly of: LeaderField; readonly why: string }[];
}

/** Returns what HR has to correct about the manager of a person. */
export function managerTroubles(
  { leaders, troubles }: Person,
  { trouble, waits }: LeaderTroubles,
): readonly CorrectionCode[] {
  if (trouble !== undefined) return [trouble.code];
  const wait = waits.find(({ of, why }) => of === 'mainLeader' && why !== 'has no account yet');
  if (wait !== undefined) return [wait.why === 'left' ? 'leader-left' : 'leader-waits'];
  const isBlank = leaders?.main === undefined || leaders.main === 'none';
  return isBlank && !troubles.some(({ field }) => field === 'mainLeader') ? ['no-manager'] : [];
}
