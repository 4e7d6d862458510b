import { countOf } from '../run/formats.ts';
import { type ProposedLifecycle, proposeLifecycle } from './propose-lifecycle.ts';
import {
  type Answers,
  chooseKey,
  joinSample,
  type ProposedField,
  proposeFields,
  required,
  type UnfilledField,
} from './propose-mapping.ts';
import type { Survey } from './survey.ts';

/** A configuration of one sync, proposed from what both sides show. The same survey gives the same proposal. */
export interface Proposal {
  readonly rows: number;
  /** Number of users of the platform; undefined where it was not read. */
  readonly users: number | undefined;
  readonly identification: ProposedField | undefined;
  readonly fields: readonly ProposedField[];
  readonly unfilled: readonly UnfilledField[];
  readonly lifecycle: ProposedLifecycle | undefined;
  /** Undefined without a platform, or where too few people are on both sides. */
  readonly people: ProposedPeople | undefined;
  /** What is not proven, with its effect on people. */
  readonly open: readonly { readonly about: string; readonly effect: string }[];
  /** What is strange, in sentences. */
  readonly remarks: readonly string[];
}

/** Who is on which side. Names hold identifications of the first ones. */
export interface ProposedPeople {
  readonly by: 'identification' | 'e-mail';
  readonly both: number;
  readonly sourceOnly: number;
  readonly platformOnly: number;
  readonly platformOnlyNames: readonly string[];
}

const shownNames = 5;

/**
 * `answers`: what the operator said instead. `isStrict`: what is open stays out until it is answered, but for what every
 * person needs.
 */
export function propose(survey: Survey, answers: Answers = {}, isStrict = false): Proposal {
  const key = chooseKey(survey, answers);
  const joined = joinSample(survey, key);
  const { unfilled, bare, ...mapped } = proposeFields(survey, key, joined, answers);
  const fields = mapped.fields.map((field) => (isStrict ? proven(field) : field));
  const found = proposeLifecycle(survey, fields, joined, answers);
  const lifecycle = found === undefined || !isStrict ? found : { ...found, ...provenDates(found) };
  const people = peopleOf(survey, key.join);
  const { users = [], isCut = false } = survey.platform ?? {};
  const disabled = joined.filter(({ user }) => !user.enabled).length;
  const damaged = survey.columns.filter((column) => column.damaged > 0);
  const remarks = [
    !fields.some(({ field, certainty }) => field === 'email' && certainty !== 'off') &&
      'No column holds e-mail addresses, so people are matched only by identification.',
    key.join?.by === 'e-mail' &&
      key.field !== undefined &&
      'Most people are found by their e-mail, under other identifications. To make them the same: rollcall adopt.',
    key.join === undefined &&
      users.length > 0 &&
      'Almost no one from the source was found on the platform, so no values could be compared.',
    bare.length > 0 && `The platform has values that no column fills: ${bare.join(', ')}.`,
    ...damaged.map(
      (one) => `${one.path} has ${countOf(one.damaged, 'cell')} that a program damaged: rollcall source try shows why.`,
    ),
    survey.isCut && 'The source has more columns than were looked at.',
    isCut && `Only the first ${users.length} users of the platform were compared.`,
  ].filter((text) => text !== false);
  return {
    rows: survey.rows,
    users: survey.platform?.users.length,
    identification: key.field,
    fields,
    unfilled,
    lifecycle,
    people,
    open: openIn([...(key.field === undefined ? [] : [key.field]), ...fields], lifecycle, disabled),
    remarks,
  };
}

/** Leaves out what is not proven. */
function proven<T extends Pick<ProposedField, 'certainty' | 'effect'>>(one: T & { readonly field?: string }): T {
  const isOut = one.certainty === 'unsure' && one.effect !== undefined && !required.includes(one.field ?? '');
  return isOut ? { ...one, certainty: 'off' } : one;
}

function provenDates({ status, leaveDate }: ProposedLifecycle): Pick<ProposedLifecycle, 'status' | 'leaveDate'> {
  return { status: status && proven(status), leaveDate: leaveDate && proven(leaveDate) };
}

function openIn(fields: readonly ProposedField[], lifecycle: Proposal['lifecycle'], disabled: number) {
  const { status, statuses = [], leaveDate } = lifecycle ?? {};
  const isBlind = [status, leaveDate].every((column) => column === undefined || column.certainty === 'off');
  const gains = disabled === 0 ? '' : `; ${countOf(disabled, 'disabled account gets', 'disabled accounts get')} access`;
  const blind = `as written: no person counts as a leaver${gains}`;
  const found = fields.filter(({ certainty }) => certainty !== 'off').map(({ field }) => field as string);
  const missing = required.filter((name) => !found.includes(name));
  const all = [
    ...missing.map((about) => ({ about, effect: 'as written: no new person gets an account' })),
    ...fields.map(({ field, effect }) => ({ about: field, effect })),
    { about: 'status', effect: status?.effect ?? (isBlind ? blind : undefined) },
    ...statuses.map(({ value, effect }) => ({ about: `status ${value}`, effect })),
    { about: 'leaveDate', effect: leaveDate?.effect },
  ];
  return all.flatMap(({ about, effect }) => (effect === undefined ? [] : [{ about, effect }]));
}

function peopleOf(
  { platform, columns }: Survey,
  join: ReturnType<typeof chooseKey>['join'],
): ProposedPeople | undefined {
  const column = columns.find(({ path }) => path === join?.path);
  if (platform === undefined || join === undefined || column === undefined) return undefined;
  const found = (join.by === 'e-mail' ? platform.mailed : platform.named).get(join.path) ?? new Set<number>();
  const others = platform.users.filter((_, place) => !found.has(place));
  return {
    by: join.by,
    both: found.size,
    sourceOnly: Math.max(0, column.filled - (column.repeated ?? 0) - found.size),
    platformOnly: others.length,
    platformOnlyNames: others.slice(0, shownNames).map(({ identification }) => identification),
  };
}
