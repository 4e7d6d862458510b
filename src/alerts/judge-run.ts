import type { FindingCode } from '../core/finding.ts';
import { type AlertProblem, successOutcomes } from '../ports/alerts.ts';
import type { Run, Store } from '../ports/store.ts';
import { amount, firstOf } from './words.ts';

/** Findings that say why a run failed, and not what it noticed on its way. */
const causes: readonly FindingCode[] = [
  'source-incomplete',
  'row-unreadable',
  'platform-ill',
  'batch-failed',
  'unresolved',
  'not-deliverable',
  'directory-note',
];
const searchedFindings = 200;

/**
 * What an ended run says about its sync: a problem, or that it is well. Undefined when it says nothing: a person
 * cancelled it, this version does not know its outcome, or it succeeded for named users only.
 */
export async function judgeRun(run: Run, store: Store): Promise<AlertProblem | 'well' | undefined> {
  if (run.outcome === 'failed') return failedRun(run, store);
  if (run.outcome === 'partial') return partialRun(run, store);
  return run.scope.kind === 'all' && successOutcomes.some((outcome) => outcome === run.outcome) ? 'well' : undefined;
}

async function failedRun(run: Run, store: Store): Promise<AlertProblem> {
  const { applied, unresolved } = run.counts;
  const unknown = `${amount(unresolved, 'change')} with an unknown fate: later runs look for the effect first`;
  const parts = [
    applied === 0 ? 'no change is known to be applied' : `${amount(applied, 'change')} had been applied by then`,
    ...(unresolved > 0 ? [unknown] : []),
  ];
  return {
    topic: 'run',
    severity: 'critical',
    key: `failed ${withoutNumbers(run.reason ?? '')}`,
    summary: `The run ${run.id} failed: ${run.reason ?? 'for no known reason'}`,
    details: await causesOf(run, store),
    unaffected: `${sentence(parts.join('; '))} What was not sent is planned anew by the next run.`,
    action: `rollcall show ${run.id}`,
  };
}

async function partialRun(run: Run, store: Store): Promise<AlertProblem> {
  const { applied, failed, unresolved } = run.counts;
  const bad = await store.plans.page(run.id, { limit: shownRows, states: ['failed', 'unresolved'] });
  const rows = bad.map(
    ({ identification, stateReason }) => `${identification}: ${stateReason ?? 'no reason is known'}`,
  );
  const details = rows.length > 0 ? firstOf(rows, failed + unresolved) : await causesOf(run, store);
  return {
    topic: 'run',
    severity: 'warning',
    key: `partial ${withoutNumbers(run.reason ?? '')}`,
    summary: `The run ${run.id} did a part of its work: ${run.reason ?? 'for no known reason'}`,
    details,
    unaffected: `${amount(applied, 'change')} of this run ${applied === 1 ? 'was' : 'were'} applied.`,
    action: `rollcall show ${run.id} --failed`,
  };
}

const shownRows = 5;

async function causesOf(run: Run, store: Store): Promise<readonly string[]> {
  const findings = (await store.runs.findings(run.id, searchedFindings)).filter(({ code }) => causes.includes(code));
  const lines = findings.map(({ identification, at, message }) => {
    const where = [identification, at].filter((part) => part !== undefined).join(', ');
    return where === '' ? message : `${where}: ${message}`;
  });
  return firstOf(lines.slice(0, shownRows), lines.length);
}

/** The reason without what differs from run to run: numbers, and words with numbers in them (ids, identifications). */
function withoutNumbers(reason: string): string {
  return reason.replace(/[^\s,;:()"']*\d[^\s,;:()"']*/g, '#').slice(0, 300);
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
