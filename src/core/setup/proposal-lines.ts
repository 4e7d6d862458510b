import { fieldTraits } from '../person/fields.ts';
import { countOf } from '../run/formats.ts';
import type { Proposal } from './proposal.ts';
import type { ProposedColumn, ProposedDate, ProposedLifecycle, ProposedStatus } from './propose-lifecycle.ts';
import { asYouSaid, type ProposedField } from './propose-mapping.ts';
import { ruleYaml, scalar } from './readings.ts';

/** A line of YAML with the reason for it, which becomes a comment behind or above it. */
interface Line {
  readonly text: string;
  readonly reason: string;
}

/** Where the comments begin, as far as the lines are short enough. */
const commentColumn = 44;

/**
 * Returns the sections `mapping`, `lifecycle` and `firstSight` of a proposal as YAML in column 0. Each line has its
 * evidence as a comment. Comments hold numbers and column names, never values of people.
 */
export function proposalYaml({ identification, fields, unfilled, lifecycle, people, remarks }: Proposal): string {
  const custom = fields.filter(({ field }) => field.startsWith('customField'));
  const plain = fields.filter((one) => !custom.includes(one));
  const isMapped = (name: string): boolean =>
    plain.some(({ field, certainty }) => field === name && certainty !== 'off');
  const mapping = [
    // Without it there is no plan, so the check says what to change.
    identification === undefined
      ? { text: 'identification: CHANGE_ME', reason: 'UNSURE: no column was found for it' }
      : lineOf(identification),
    ...plain.map(lineOf),
    ...['firstName', 'lastName'].filter((name) => !isMapped(name)).map((name) => blank(name, [...fields, ...unfilled])),
    ...(custom.length === 0 ? [] : [{ text: 'customFields:', reason: '' }]),
    ...custom.map((one) => ({ ...lineOf(one), text: `  ${lineOf(one).text}` })),
  ];
  const hidden = plain
    .filter(({ field }) => field !== 'identification' && !fieldTraits(field).isReadable)
    .map(({ field }) => field);
  const isUsed = (column: ProposedColumn | undefined) => column !== undefined && column.certainty !== 'off';
  const { status, hireDate, leaveDate } = lifecycle ?? {};
  const isBlind = !isUsed(status) && !isUsed(leaveDate);
  const both = people === undefined ? [] : [peopleSentence(people)];
  return [
    ...[...both, ...remarks].map((text) => `# ${text}`),
    'mapping:',
    ...mapping.map((line) => render(line, '  ')),
    ...(hidden.length === 0 ? [] : ['', ...firstSight(hidden)]),
    '',
    ...(isBlind ? ['# UNSURE: no column says who left, so each person of the source counts as active.'] : []),
    ...(lifecycle === undefined ? [] : [isBlind && !isUsed(hireDate) ? '# lifecycle:' : 'lifecycle:']),
    ...(lifecycle === undefined ? [] : lifecycleLines(lifecycle)).map((line) => render(line, '  ')),
  ].join('\n');
}

/** A name that is read from nowhere changes none, so that the first plan needs no edit. */
function blank(name: string, fields: Proposal['unfilled']): Line {
  const mark = fields.some(({ field, effect }) => field === name && effect !== undefined) ? 'UNSURE: ' : '';
  return {
    text: `${name}: { value: "" }`,
    reason: `${mark}the platform keeps its own; no new person gets an account`,
  };
}

export function peopleSentence({ by, both, sourceOnly, platformOnly }: NonNullable<Proposal['people']>): string {
  return `By ${by}: ${countOf(both, 'person', 'people')} on both sides, ${sourceOnly} in the source only, ${platformOnly} on the platform only.`;
}

function firstSight(hidden: readonly string[]): readonly string[] {
  return [
    `# The platform never shows ${hidden.join(', ')}. assume: a value is sent when it changes in the source.`,
    '# write: it is also sent once for each person, after an approval.',
    'firstSight: assume',
  ];
}

function lineOf({ field, rule, ...found }: ProposedField): Line {
  const key = field.startsWith('customField') ? field.slice('customField'.length) : field;
  return weighed(`${key}: ${ruleYaml(rule)}`, found, 'from' in rule ? `${field}=${rule.from}` : undefined);
}

/** Writes a line that the evidence is against as a comment. */
function weighed(
  text: string,
  { certainty, evidence, effect }: Pick<ProposedColumn, 'certainty' | 'evidence' | 'effect'>,
  answer: string | undefined,
): Line {
  const isOpen = effect !== undefined || !evidence.endsWith(asYouSaid);
  // No shell takes an expression as it is.
  const flag = answer === undefined ? '--page' : `--answer ${JSON.stringify(answer)}`;
  const how = effect === undefined ? '' : `; to use it: ${flag}`;
  if (certainty === 'off')
    return { text: `# ${text}`, reason: `${isOpen ? 'UNSURE, so it is left out' : 'left out'}: ${evidence}${how}` };
  return { text, reason: certainty === 'unsure' ? `UNSURE: ${evidence}` : evidence };
}

function lifecycleLines({ status, statuses, hireDate, leaveDate }: ProposedLifecycle): readonly Line[] {
  // The lists of a status that is left out are those that it would have.
  const mark = status?.certainty === 'off' ? '# ' : '';
  const list = (key: string, meaning: ProposedStatus['meaning']): readonly Line[] => {
    const some = statuses.filter((one) => one.meaning === meaning);
    if (some.length === 0) return [];
    return [
      { text: `${mark}${key}:`, reason: '' },
      ...some.map(({ value, evidence }) => ({ text: `${mark}  - ${scalar(value)}`, reason: evidence })),
    ];
  };
  const unlisted = statuses.filter(({ meaning }) => meaning === 'unknown');
  const [hired, left] = [hireDate, leaveDate].map((date) =>
    date === undefined || date.certainty === 'off' ? undefined : (date.rule.format ?? 'yyyy-MM-dd'),
  );
  const formats = [
    ...(hired === undefined || hired === 'yyyy-MM-dd' ? [] : [`dateFormat: ${scalar(hired)}`]),
    ...(left === undefined || left === (hired ?? 'yyyy-MM-dd')
      ? []
      : [`${hired === undefined ? 'dateFormat' : 'leaveDateFormat'}: ${scalar(left)}`]),
  ];
  return [
    ...(status === undefined ? [] : [weighed(`status: ${scalar(status.path)}`, status, `status=${status.path}`)]),
    ...list('active', 'active'),
    ...list('leaver', 'leaver'),
    ...unlisted.map(({ value, evidence }) => ({ text: `#   - ${scalar(value)}`, reason: evidence })),
    ...dated('hireDate', hireDate),
    ...dated('leaveDate', leaveDate),
    ...formats.map((text) => ({ text, reason: '' })),
  ];
}

function dated(key: string, date: ProposedDate | undefined): readonly Line[] {
  if (date === undefined) return [];
  const { format: _, ...rule } = date.rule;
  return [weighed(`${key}: ${ruleYaml(rule)}`, date, `${key}=${date.path}`)];
}

function render({ text, reason }: Line, indent: string): string {
  return (
    `${indent}${text}`.padEnd(reason === '' ? 0 : commentColumn) +
    (reason === '' ? '' : ` # ${reason.replace(/\s+/g, ' ')}`)
  );
}
