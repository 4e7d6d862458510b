import { partWords } from '../../core/guard/approvals.ts';
import { fieldNames } from '../../core/person/fields.ts';
import { isForCreate, type MappingTrace } from '../../core/person/mapping.ts';
import type { RejectedPerson, SourceRecord, UnreadableRecord } from '../../core/person/person.ts';
import { comingDay, countingRecord } from '../../core/person/prefer.ts';
import { type Change, differencesOf } from '../../core/plan/change.ts';
import { skippedBy } from '../../core/plan/decision.ts';
import { keptDetails } from '../../core/plan/diff.ts';
import { waitWords } from '../../core/plan/ledger-steps.ts';
import type { Decision, Rule } from '../../core/plan/plan.ts';
import { ruleWords } from '../../core/run/codes/code-list.ts';
import { tellsConflict } from '../../core/run/finding.ts';
import { countOf } from '../../core/run/formats.ts';
import type { CellTrouble, CellUse } from '../../core/run/refusal.ts';
import type { Batch, DecisionRecord, PlannedChange } from '../../ports/store.ts';
import type { Explained } from '../../run/why.ts';
import { type PersonStep, personStepNames, type StepDetail } from '../../views/people.ts';

/** The way of one person, in order. */
const judges = {
  source: sourceStep,
  mapping: mappingStep,
  scope: scopeStep,
  conflicts: conflictsStep,
  difference: differenceStep,
  guard: guardStep,
  batch: batchStep,
  platform: platformStep,
  'read-back': readBackStep,
} as const satisfies Readonly<Record<PersonStep['step'], (input: StepsInput) => Step>>;

/** A change of the person in a run. */
type RunChange = PlannedChange & { readonly run: string };

export interface StepsInput
  extends Pick<Explained, 'snapshot' | 'subject' | 'decision' | 'change' | 'leaders' | 'findings' | 'failure'> {
  readonly records: readonly { readonly record: SourceRecord; readonly trace: MappingTrace }[];
  /** Whether another sync is expected to take the user over. */
  readonly isExpected: boolean;
  /** The valid decision about the change. */
  readonly decided: DecisionRecord | undefined;
  /** The last change of the person in a run, and its batch. */
  readonly last: RunChange | undefined;
  readonly batch: Batch | undefined;
}

type Step = Omit<PersonStep, 'step' | 'run' | 'details'> & Partial<Pick<PersonStep, 'details' | 'run'>>;

/** Returns every step. After one that stops, the others are not reached. */
export function personSteps(input: StepsInput): readonly PersonStep[] {
  // Where only the leaders change, the steps are about that change.
  const due = { ...input, change: input.change ?? input.leaders };
  let isStopped = false;
  return personStepNames.map((step) => {
    const { details = [], run, ...result } = isStopped ? notReached : judges[step](due);
    isStopped ||= result.state === 'stopped';
    return { step, ...result, details, run };
  });
}

const notReached: Step = { state: 'not-reached', summary: 'an earlier step stopped' };

function sourceStep({ records, snapshot, subject, failure }: StepsInput): Step {
  const read = [`${countOf(snapshot.rows, 'row')} read`, ...comingChanges(records)].join('; ');
  const details = [
    ...records.map(({ record }) => ({ name: 'record', value: record.at })),
    ...snapshot.gaps.map((gap) => ({ name: 'not proven', value: gap })),
  ];
  if (failure !== undefined) return { state: 'stopped', summary: failure, details };
  if (records.length > 0) return { state: 'ok', summary: `the source has the person; ${read}`, details };
  const says = subject?.source;
  if (says?.says === 'missing') {
    return { state: 'ok', summary: `missing: a complete read has no record of the person; ${read}`, details };
  }
  const why = says !== undefined && 'reason' in says ? says.reason : 'no record has this identification';
  return { state: 'stopped', summary: `${why}; ${read}`, details };
}

/** Says what the records change that take effect after today. */
function comingChanges(records: Records): readonly string[] {
  const people = records.flatMap(({ trace: { mapped } }) => (mapped.kind === 'person' ? [mapped] : []));
  const now = people.length > 1 ? countingRecord(people) : undefined;
  return people.flatMap((person) => {
    const day = comingDay(person);
    if (day === undefined || now === undefined || person === now) return [];
    const fields = fieldNames(person.fields).filter((name) => person.fields[name] !== now.fields[name]);
    const becomes = fields.map((name) => `${name} becomes ${JSON.stringify(person.fields[name])}`);
    const said = [...(person.standing === 'leaver' ? ['the person leaves'] : []), ...becomes].join(', ');
    return said === '' ? [] : [`from ${day} on (${person.at}) ${said}`];
  });
}

function mappingStep({ records, decision }: StepsInput): Step {
  if (records.length === 0) return { state: 'not-reached', summary: 'there is no record to map' };
  const details = records.flatMap(({ trace }) =>
    trace.steps
      .filter(({ target }) => target !== 'status' && target !== 'scope')
      .map(({ target, effect, detail, origin }) => ({
        name: target,
        value: effect === 'set' ? detail : `${effect}: ${detail}`,
        origin,
      })),
  );
  const refused = refusedRecord(records);
  if (refused !== undefined && refused.column !== 'scope') {
    return { state: 'stopped', summary: `${refused.column ?? 'the row'} ${refused.reason}`, details };
  }
  const { summary, isPrevented } = troublesOf(records, decision, (field) => !isLifecycle(field));
  if (summary === '') return { state: 'ok', summary: 'every mapped field can be read', details };
  if (isPrevented) return { state: 'stopped', summary: `no account is created: ${summary}`, details };
  return { state: 'partly', summary: `the value on the platform is kept: ${summary}`, details };
}

type Records = StepsInput['records'];

/** Returns the record, if it is the only one of the person and cannot be used. */
function refusedRecord(records: Records): RejectedPerson | UnreadableRecord | undefined {
  const [first, second] = records.map(({ trace }) => trace.mapped);
  return second !== undefined || first?.kind === 'person' ? undefined : first;
}

const isLifecycle = (field: CellUse): boolean => ['hireDate', 'leaveDate', 'timezone'].includes(field);

/** Returns what cannot be read in these cells, and whether it keeps the person from an account. */
function troublesOf(
  records: Records,
  decision: Decision | undefined,
  isMeant: (field: CellUse) => boolean,
): { readonly summary: string; readonly isPrevented: boolean } {
  const people = records.flatMap(({ trace: { mapped } }) => (mapped.kind === 'person' ? mapped : []));
  const found = people.flatMap((person) => {
    const meant = person.troubles.filter(({ field }) => isMeant(field));
    return meant.map((trouble) => ({ trouble, isCause: preventsAccount(trouble, person.refusesEnable) }));
  });
  const isRefused = decision?.rule === 'create-refused' || decision?.rule === 'enable-refused';
  return {
    summary: found.map(({ trouble: { column, reason } }) => `${column} ${reason}`).join('; '),
    isPrevented: isRefused && found.some(({ isCause }) => isCause),
  };
}

/** Returns whether the cell is why an account is not created or enabled. `refusesEnable`: see `Person`. */
export function preventsAccount({ field }: CellTrouble, refusesEnable: string | undefined): boolean {
  return refusesEnable === undefined ? isForCreate(field) : field === 'hireDate' || field === 'leaveDate';
}

function scopeStep({ records, subject, change, decision }: StepsInput): Step {
  if (records.length === 0) return { state: 'not-reached', summary: 'there is no record to evaluate' };
  const details = records.flatMap(({ trace }) =>
    trace.steps
      .filter(({ target }) => target === 'status' || target === 'scope')
      .map(({ target, detail }) => ({ name: target, value: detail })),
  );
  const says = subject?.source;
  if (says?.says === 'out-of-scope') {
    const isActed = change !== undefined || decision?.forbidden !== undefined;
    const summary = isActed ? 'out of scope: the account will be disabled' : 'out of scope: no change is made';
    return { state: isActed ? 'ok' : 'stopped', summary, details };
  }
  if (says?.says === 'nothing') return { state: 'stopped', summary: says.reason, details };
  const refused = refusedRecord(records);
  if (refused !== undefined) return { state: 'stopped', summary: `the scope ${refused.reason}`, details };
  if (says?.says === 'unusable' && says.code === 'status-unknown') {
    return { state: 'stopped', summary: says.reason, details };
  }
  const { summary, isPrevented } = troublesOf(records, decision, isLifecycle);
  if (isPrevented) return { state: 'stopped', summary: `no account is created or enabled: ${summary}`, details };
  if (summary !== '') return { state: 'partly', summary, details };
  if (says?.says === 'leaver') return { state: 'ok', summary: 'in scope, and the person left', details };
  return { state: 'ok', summary: 'in scope', details };
}

/** Rules by which something other than the person's own data stops a change. */
const stoppingRules: ReadonlySet<Rule> = new Set<Rule>([
  'owned-by-other',
  'hand-over-expected',
  'unusable',
  'nothing',
  'active-blacklisted',
  'create-refused',
  'enable-refused',
  'active-foreign-disable',
  'missing-unmanaged',
]);

function conflictsStep({ subject, decision, change, findings, isExpected }: StepsInput): Step {
  const details = findings.map(({ code, message }) => ({ name: code, value: message }));
  const says = subject?.source;
  if (says?.says === 'unusable') {
    // The reason of a conflict between people is in its finding, which names the other person.
    const told = findings.find((finding) => finding.code === says.code || tellsConflict(finding));
    return { state: 'stopped', summary: told?.message ?? says.reason, details };
  }
  if (decision === undefined) return { state: 'stopped', summary: 'nothing was decided about the person', details };
  const waits = change === undefined ? findings.find(({ code }) => code === 'create-waits') : undefined;
  if (waits !== undefined) return { state: 'stopped', summary: waits.message, details };
  const isStopped = change === undefined && (isExpected || stoppingRules.has(decision.rule));
  if (isStopped) return { state: 'stopped', summary: decision.finding?.message ?? wordsOf(decision), details };
  return { state: 'ok', summary: 'no conflict with another person, sync or account', details };
}

function differenceStep({ change, leaders, decision }: StepsInput): Step {
  const kept = keptDetails(decision?.kept);
  const all = [...new Set([change, leaders])].filter((one) => one !== undefined);
  if (all.length > 0) {
    const summary = all.map(({ kind, reason }) => `${kind}: ${reason}`).join('; ');
    return { state: 'ok', summary, details: [...all.flatMap(detailsOf), ...kept] };
  }
  if (decision?.forbidden !== undefined) {
    return { state: 'stopped', summary: forbiddenWords(decision) };
  }
  const why = decision === undefined ? '' : `: ${wordsOf(decision)}`;
  return { state: 'ok', summary: `no change is due${why}`, details: kept };
}

function detailsOf(change: Change): StepDetail[] {
  return differencesOf(change).map(({ field, before, after }) => ({
    name: field,
    value: after,
    ...(before === undefined ? {} : { before }),
  }));
}

function guardStep({ change, decided, last }: StepsInput): Step {
  if (change === undefined) return { state: 'not-reached', summary: 'there is nothing to send' };
  const by = decided?.by === undefined ? '' : ` by ${decided.by}`;
  const details = decided?.why === undefined ? [] : [{ name: 'reason', value: decided.why }];
  switch (decided?.state) {
    case 'rejected':
      return { state: 'stopped', summary: skippedBy(decided), details };
    case 'approved':
      return { state: 'ok', summary: `the ${change.kind} was approved${by}`, details };
    case 'open': {
      const held = last?.hash === change.hash ? last : undefined;
      const why = held?.stateReason === undefined ? '' : `: ${held.stateReason}`;
      const part = decided.given === undefined ? '' : `; ${partWords(decided.given)}`;
      return { state: 'stopped', summary: `needs approval${why}${part}`, details, run: held?.run };
    }
    default:
      return {
        state: 'not-reached',
        summary: 'no guard has stopped this change; the run counts it together with all others',
      };
  }
}

/** The change that the last three steps are about: the one that is due, if a run has it, else the last one. */
function sentChange({ change, last }: StepsInput): RunChange | undefined {
  return change === undefined || last?.hash === change.hash ? last : undefined;
}

function batchStep(input: StepsInput): Step {
  const sent = sentChange(input);
  if (sent === undefined) {
    const summary = input.change === undefined ? 'no run has changed this person' : 'the next run sends the change';
    return { state: 'not-reached', summary };
  }
  const { run, kind, state, stateReason } = sent;
  const why = stateReason === undefined ? '' : `: ${stateReason}`;
  if (input.batch === undefined) return { state: 'not-reached', summary: `the last ${kind} is ${state}${why}`, run };
  const { number, size, fileName } = input.batch;
  const batch = `batch ${number} with ${countOf(size, 'change')}`;
  const details = fileName === undefined ? [] : [{ name: 'file', value: fileName }];
  if (input.batch.state === 'planned') {
    return { state: 'not-reached', summary: `the ${kind} waits in ${batch}`, run };
  }
  return { state: 'ok', summary: `the last ${kind} went in ${batch}`, details, run };
}

function platformStep(input: StepsInput): Step {
  const sent = sentChange(input);
  const { batch } = input;
  if (sent === undefined || batch === undefined) return { state: 'not-reached', summary: 'nothing was sent' };
  const { run } = sent;
  const details = batch.status === undefined ? [] : [{ name: 'status', value: batch.status }];
  if (batch.state === 'planned') return { state: 'not-reached', summary: 'the batch waits for its turn', run };
  // A file that failed may have rows that were applied. A call is about one change.
  if (sent.state === 'failed' && batch.kind !== 'csv') {
    return { state: 'stopped', summary: sent.stateReason ?? 'the platform refused the call', details, run };
  }
  if (batch.final === 'failed' && sent.state !== 'applied') {
    return { state: 'stopped', summary: batch.reason ?? 'the platform refused the file', details, run };
  }
  const isOpen = batch.state === 'sending' || (batch.state === 'sent' && batch.final === undefined);
  if (isOpen) return { state: 'not-reached', summary: 'the platform has not finished', details, run };
  if (batch.state === 'unresolved') return { state: 'stopped', summary: 'the outcome is not known', details, run };
  return { state: 'ok', summary: 'the platform accepted it', details, run };
}

function readBackStep(input: StepsInput): Step {
  const sent = sentChange(input);
  if (sent === undefined || input.batch === undefined) {
    return { state: 'not-reached', summary: 'there is nothing to read back' };
  }
  const { run, state, stateReason } = sent;
  const why = stateReason === undefined ? '' : `: ${stateReason}`;
  switch (state) {
    case 'applied':
      return { state: 'ok', summary: 'the platform shows it', run };
    case 'exported':
      return { state: 'ok', summary: 'written to a file that another system delivers', run };
    case 'unverified':
      return { state: 'partly', summary: 'sent; the platform returns none of these fields, so nothing shows it', run };
    case 'failed':
      return { state: 'stopped', summary: `the platform does not show it${why}`, run };
    case 'unresolved':
      return { state: 'stopped', summary: `the outcome is not known${why}`, run };
    default:
      return { state: 'not-reached', summary: `the change is ${state}${why}`, run };
  }
}

/** Returns what forbids the change that would be due. */
export function forbiddenWords({ forbidden, finding }: Pick<Decision, 'forbidden' | 'finding'>): string {
  const by = finding?.code === 'protected-user' ? 'the list of protected users' : 'the policy of the sync';
  return `${by} forbids the ${forbidden}`;
}

/** Returns the row that applied in words, with what it waits for. */
export function wordsOf({ rule, wait, finding }: Pick<Decision, 'rule' | 'wait' | 'finding'>): string {
  if (finding?.code === 'unresolved') return 'a change of the user waits for its outcome, so nothing else is decided';
  return wait === undefined ? ruleWords(rule) : `${ruleWords(rule)}: ${waitWords(wait)}`;
}
