import type { User } from '../person/user.ts';
import { shapeOf } from './drift.ts';
import type { Proposal } from './proposal.ts';
import type { ProposedStatus } from './propose-lifecycle.ts';
import { type Answers, type Choice, chooseKey, joinSample, leftOut, type ProposedField } from './propose-mapping.ts';
import { ruleYaml } from './readings.ts';
import type { SampleRow, Survey } from './survey.ts';

/** One question of a set-up: what a field or a status is, what speaks for it, and what each answer means for people. */
export interface Card {
  /** What an answer names: a field, `status`, `status VALUE` or `leaveDate`. */
  readonly about: string;
  /** The key of the choice that is in the configuration. */
  readonly chosen: string;
  /** `open`: not proven, and nobody has said it. */
  readonly state: 'proven' | 'said' | 'open';
  readonly evidence: string;
  readonly choices: readonly Choice[];
  /** Values of the source, and of the platform for the same people. */
  readonly samples: readonly { readonly ours: string; readonly theirs: string }[];
}

export interface SetUp {
  readonly survey: Survey;
  readonly answers: Answers;
  /** Shows values as they are. Otherwise only what they look like. */
  readonly isRevealed: boolean;
}

interface Shown extends SetUp {
  readonly users: ReadonlyMap<SampleRow, User>;
}

/** Returns a card for each field and each status, the open ones first. */
export function cardsOf({ identification, fields, lifecycle }: Proposal, setUp: SetUp): readonly Card[] {
  const { survey, answers } = setUp;
  const joined = joinSample(survey, chooseKey(survey, answers));
  const options: Shown = { ...setUp, users: new Map(joined.map(({ row, user }) => [row, user])) };
  const { status, statuses = [], leaveDate } = lifecycle ?? {};
  const cards = [
    ...(identification === undefined ? [] : [identification]),
    ...fields,
    ...(status === undefined ? [] : [{ ...status, field: 'status' as const, columns: [status.path] }]),
    ...(leaveDate === undefined ? [] : [{ ...leaveDate, field: 'leaveDate' as const, columns: [leaveDate.path] }]),
  ].map(({ field, certainty, evidence, effect, choices, columns, ...found }): Card => {
    const key = field === 'identification' || !('rule' in found) || field === 'leaveDate' ? columns[0] : undefined;
    const chosen = certainty === 'off' ? leftOut : (key ?? ('rule' in found ? ruleYaml(found.rule) : leftOut));
    return {
      ...{ about: field, chosen, evidence, choices },
      samples: samplesOf(columns, field === 'status' || field === 'leaveDate' ? 'access' : field, options),
      state: stateOf(field, effect, options.answers),
    };
  });
  const column = status?.certainty === 'off' ? undefined : status?.path;
  const meanings = column === undefined ? [] : statuses.map((one) => statusCard(one, column, options));
  return [...cards, ...meanings].toSorted((a, b) => Number(b.state === 'open') - Number(a.state === 'open'));
}

function statusCard(
  { value, meaning, evidence, effect, choices }: ProposedStatus,
  column: string,
  { survey, ...options }: Shown,
): Card {
  const about = `status ${value}`;
  const own = { ...survey, sample: survey.sample.filter((row) => row[column] === value) };
  // Others of the same status are told apart by their last days and names.
  const beside = survey.columns.filter(({ dates, path }) => dates !== undefined && path !== column).slice(0, 2);
  const columns = [column, ...beside.map(({ path }) => path)];
  return {
    ...{ about, chosen: meaning === 'unknown' ? leftOut : meaning, evidence, choices },
    state: stateOf(about, effect, options.answers),
    samples: samplesOf(columns, 'access', { survey: own, ...options }),
  };
}

function stateOf(about: string, effect: string | undefined, answers: Answers): Card['state'] {
  return answers[about] !== undefined ? 'said' : effect === undefined ? 'proven' : 'open';
}

const shownSamples = 5;

/** Returns the first different values. */
function samplesOf(
  columns: readonly string[],
  field: ProposedField['field'] | 'access',
  { survey: { sample }, users, isRevealed }: Shown,
): Card['samples'] {
  const show = (text: string): string => (isRevealed || text === '' ? text : shapeOf(text).slice(1, -1));
  const found = new Map<string, Card['samples'][number]>();
  for (const row of sample) {
    const ours = columns.flatMap((path) => row[path] ?? []).join(' · ');
    if (ours === '' || found.has(ours)) continue;
    found.set(ours, { ours: show(ours), theirs: theirsOf(users.get(row), field, show) });
    if (found.size === shownSamples) break;
  }
  return [...found.values()];
}

function theirsOf(
  user: User | undefined,
  field: ProposedField['field'] | 'access',
  show: (text: string) => string,
): string {
  if (user === undefined) return '';
  if (field === 'access') return user.enabled ? 'enabled' : 'disabled';
  return show(field === 'identification' ? user.identification : (user.fields[field] ?? ''));
}
