import type { User } from '../person/fields.ts';
import { countOf } from '../run/formats.ts';
import { shapeOf } from './drift.ts';
import type { Proposal } from './proposal.ts';
import type { ProposedStatus } from './propose-lifecycle.ts';
import {
  type Answers,
  type Choice,
  chooseKey,
  joinSample,
  leftOut,
  noneFits,
  type ProposedField,
} from './propose-mapping.ts';
import { ruleYaml } from './readings.ts';
import type { SampleRow, Survey } from './survey.ts';

/** One question of a set-up: what a field or a status is, what speaks for it, and what each answer means for people. */
export interface Card {
  /** What an answer names: a field, `status`, `status VALUE` or `leaveDate`. */
  readonly about: string;
  /** The key of the choice that is in the configuration. */
  readonly chosen: string;
  /** `open`: neither proven nor answered. `unfilled`: no column fits, and none is needed. */
  readonly state: 'proven' | 'said' | 'open' | 'unfilled';
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
export function cardsOf({ identification, fields, unfilled, lifecycle }: Proposal, setUp: SetUp): readonly Card[] {
  const { survey, answers } = setUp;
  const joined = joinSample(survey, chooseKey(survey, answers));
  const options: Shown = { ...setUp, users: new Map(joined.map(({ row, user }) => [row, user])) };
  const { status, statuses = [], leaveDate } = lifecycle ?? {};
  const column = status?.certainty === 'off' ? undefined : status?.path;
  // Days tell people of one status apart.
  const beside = survey.columns.filter(({ dates, path }) => dates !== undefined && path !== column).slice(0, 2);
  const card = (about: string, chosen: string, found: Found, samples: Card['samples']): Card => {
    const state = answers[about] !== undefined ? 'said' : found.effect === undefined ? 'proven' : 'open';
    return { about, chosen, state, evidence: found.evidence, choices: found.choices, samples };
  };
  const plain = [...(identification === undefined ? [] : [identification]), ...fields].map((one) => {
    const key = one.field === 'identification' ? one.columns[0] : ruleYaml(one.rule);
    return card(one.field, chosenOf(one, key), one, samplesOf(one.columns, one.field, options));
  });
  const days = Object.entries({ status, leaveDate }).flatMap(([about, one]) =>
    one === undefined
      ? []
      : [card(about, chosenOf(one, one.key ?? one.path), one, samplesOf([one.path], 'access', options))],
  );
  const meanings = (column === undefined ? [] : statuses).map((one) => {
    const own = {
      ...options,
      survey: { ...survey, sample: survey.sample.filter((row) => row[column ?? ''] === one.value) },
    };
    const paths = [column ?? '', ...beside.map(({ path }) => path)];
    const chosen = one.meaning === 'unknown' ? leftOut : one.meaning;
    return card(`status ${one.value}`, chosen, one, samplesOf(paths, 'access', own));
  });
  const isBlind = leaveDate === undefined || leaveDate.certainty === 'off';
  const used = new Set(
    [...fields, ...(identification === undefined ? [] : [identification])].flatMap((one) => one.columns),
  );
  const few = survey.columns.filter(({ path, values = new Map() }) => values.size > 1 && !used.has(path));
  const said = {
    ...{ field: 'status' as const, evidence: noneFits, columns: few.map(({ path }) => path) },
    ...(isBlind ? { effect: 'each person counts as active' } : {}),
    choices: [
      ...few.map(({ path, values }) => ({ key: path, effect: countOf(values?.size ?? 0, 'value') })),
      { key: leftOut, effect: 'no status says who left' },
    ],
  };
  const others = [...unfilled, ...(status === undefined ? [said] : [])].map((one): Card => {
    const samples = one.columns.flatMap((path) => {
      const [first] = samplesOf([path], one.field === 'status' ? 'access' : one.field, options);
      return first === undefined ? [] : [{ ...first, ours: `${path}: ${first.ours}` }];
    });
    const made = card(one.field, leftOut, one, samples);
    return made.state === 'proven' ? { ...made, state: 'unfilled' } : made;
  });
  return [...plain, ...days, ...meanings, ...others].toSorted(
    (a, b) => Number(b.state === 'open') - Number(a.state === 'open'),
  );
}

type Found = Pick<ProposedStatus, 'evidence' | 'effect' | 'choices'>;

function chosenOf({ certainty }: Pick<ProposedField, 'certainty'>, key: string | undefined): string {
  return certainty === 'off' ? leftOut : (key ?? leftOut);
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
    const user = users.get(row);
    const access = user === undefined ? '' : user.enabled ? 'enabled' : 'disabled';
    const value =
      field === 'identification' ? user?.identification : field === 'access' ? undefined : user?.fields[field];
    found.set(ours, { ours: show(ours), theirs: field === 'access' ? access : show(value ?? '') });
    if (found.size === shownSamples) break;
  }
  return [...found.values()];
}
