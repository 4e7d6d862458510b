import type { FieldValues } from '../../core/person/fields.ts';
import type { CompiledMapping, MappingTrace } from '../../core/person/mapping.ts';
import type { Person, SourceRecord } from '../../core/person/person.ts';
import { compileSourcePath } from '../../core/person/source-path.ts';
import type { ChangeKind } from '../../core/plan/change.ts';
import { waitWords } from '../../core/plan/ledger-steps.ts';
import type { Lookup } from '../../ports/platform.ts';
import type { PersonStep, PersonTrace, PersonValue } from '../../views/people.ts';
import { preventsAccount, type StepsInput, wordsOf } from './steps.ts';

export const done: Readonly<Record<ChangeKind, string>> = {
  create: 'created',
  update: 'updated',
  enable: 'enabled',
  disable: 'disabled',
  remove: 'removed',
  lead: 'given a leader',
  unlead: 'released from a leader',
};

/** Returns the answer to "why" in one sentence without its full stop: what happens to the account, and the reason. */
export function answerOf(input: StepsInput, steps: readonly PersonStep[]): string {
  const { change, decision, failure, records, isExpected, last, subject } = input;
  if (failure !== undefined) return `Not decided: ${failure}`;
  if (decision?.rule === 'missing-unmanaged' && subject?.user === undefined) {
    return 'Not found: neither HR nor the platform has this identification';
  }
  const stopped = steps.find(({ state }) => state === 'stopped');
  const next = change ?? input.leaders;
  if (decision?.rule === 'create-refused' || decision?.rule === 'enable-refused') {
    const causes = records.flatMap(({ trace: { mapped } }) => (mapped.kind === 'person' ? causesOf(mapped) : []));
    const why = causes.length > 0 ? causes.join('; ') : (decision.finding?.message ?? wordsOf(decision));
    return `Not ${decision.rule === 'create-refused' ? 'created' : 'enabled'}: ${why}`;
  }
  if (stopped !== undefined) {
    const sent = stopped.run === undefined || next !== undefined ? next?.kind : last?.kind;
    const kind = decision?.forbidden ?? sent;
    const isSkipped = input.decided?.state === 'rejected' && stopped.step === 'guard';
    return `Not ${kind === undefined ? 'changed' : done[kind]}${isSkipped ? ',' : ':'} ${stopped.summary}`;
  }
  if (next !== undefined) return `To be ${done[next.kind]}: ${next.reason}`;
  if (decision?.wait !== undefined) return `Missing from HR: ${waitWords(decision.wait)}`;
  if (decision === undefined || isExpected) return 'Not changed: nothing was decided about the person';
  const kept = Object.keys(decision.kept ?? {});
  const also = kept.length === 0 ? '' : `; kept as the platform has it: ${kept.join(', ')}`;
  const led = input.findings.filter(({ code }) => code.startsWith('leader')).map(({ message }) => `; ${message}`);
  return `Nothing to change: ${wordsOf(decision)}${also}${led.join('')}`;
}

/** `work_email in HR, line 42, is not an address`, for each cell that keeps the person from an account. */
function causesOf({ at, troubles, refusesEnable }: Person): readonly string[] {
  const causes = troubles.filter((one) => preventsAccount(one, refusesEnable));
  return causes.map(({ column, reason }) => `${column} in HR, ${at}, ${reason}`);
}

interface ValuesInput {
  readonly records: readonly { readonly record: SourceRecord; readonly trace: MappingTrace }[];
  readonly mapping: CompiledMapping;
  readonly lookup: Lookup;
  readonly hidden: FieldValues;
  /** The leaders that the platform shows, as far as they are known. */
  readonly leaders: FieldValues;
}

/** Returns each mapped field of the first usable record: what HR says, what is sent, and what the platform has. */
export function valuesOf({ records, mapping, lookup, hidden, leaders }: ValuesInput): readonly PersonValue[] {
  const used = records.find(({ trace }) => trace.mapped.kind === 'person') ?? records[0];
  if (used === undefined) return [];
  const shown: FieldValues = lookup.found === true ? { ...lookup.user.fields, ...leaders } : {};
  return used.trace.steps.flatMap(({ target, effect, detail, origin }) => {
    if (target === 'status' || target === 'scope') return [];
    const columns = [...mapping.readers].filter(([, keys]) => keys.includes(target)).map(([column]) => column);
    const isKey = target === 'identification';
    const platform = !isKey ? shown[target] : lookup.found === true ? lookup.user.identification : undefined;
    return {
      field: target,
      columns,
      origin,
      source: columns.length === 0 ? undefined : columns.map((column) => textOf(used.record, column)).join(' · '),
      sent: effect === 'set' ? detail : effect === 'cleared' ? '' : undefined,
      note: effect === 'set' ? undefined : detail,
      platform,
      written: isKey || platform !== undefined ? undefined : hidden[target],
    };
  });
}

function textOf({ fields }: SourceRecord, column: string): string {
  const value = compileSourcePath(column)(fields);
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Returns the records with the columns alone that the configuration reads. */
export function onlyRead(trace: PersonTrace): PersonTrace {
  const names = new Set(trace.reads.flatMap((read) => [read, read.split('.', 1)[0]]));
  const records = trace.records.map(({ record: { at, fields }, ...one }) => {
    const read = Object.fromEntries(Object.entries(fields).filter(([name]) => names.has(name)));
    return { ...one, record: { at, fields: read } };
  });
  return { ...trace, records };
}
