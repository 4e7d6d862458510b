import type { FindingCode } from '../core/finding.ts';
import { type AlertProblem, successOutcomes } from '../ports/alerts.ts';
import type { Run, Store } from '../ports/store.ts';
import { amount, firstOf } from './words.ts';

/** Findings that explain a failure. */
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
 * Returns what an ended run shows about its sync: a problem, or `well`. Undefined when it shows nothing: the operator
 * cancelled it, this version does not know its outcome, or it succeeded for named users only.
 */
export async function judgeRun(run: Run, store: Store): Promise<AlertProblem | 'well' | undefined> {
  if (run.outcome === 'failed') return failedRun(run, store);
  if (run.outcome === 'partial') return partialRun(run, store);
  return run.scope.kind === 'all' && successOutcomes.some((outcome) => outcome === run.outcome) ? 'well' : undefined;
}

async function failedRun(run: Run, store: Store): Promise<AlertProblem> {
  const { applied, unresolved } = run.counts;
  const unknown = `${amount(unresolved, 'change')} unresolved: later runs check first whether it was applied`;
  const parts = [
    applied === 0 ? 'no change is known to be applied' : `${amount(applied, 'change')} had been applied by then`,
    ...(unresolved > 0 ? [unknown] : []),
  ];
  return {
    topic: 'run',
    severity: 'critical',
    key: `failed ${withoutNumbers(run.reason ?? '')}`,
    summary: `The run ${run.id} failed: ${run.reason ?? 'the reason is not known'}`,
    details: await causesOf(run, store),
    unaffected: `${sentence(parts.join('; '))} The next run plans the unsent changes again.`,
    action: `rollcall show ${run.id}`,
  };
}

async function partialRun(run: Run, store: Store): Promise<AlertProblem> {
  const { applied, failed, unresolved } = run.counts;
  const bad = await store.plans.page(run.id, { limit: shownRows, states: ['failed', 'unresolved'] });
  const rows = bad.map(
    ({ identification, stateReason }) => `${identification}: ${stateReason ?? 'the reason is not known'}`,
  );
  const details = rows.length > 0 ? firstOf(rows, failed + unresolved) : await causesOf(run, store);
  return {
    topic: 'run',
    severity: 'warning',
    key: `partial ${withoutNumbers(run.reason ?? '')}`,
    summary: `The run ${run.id} was partial: ${run.reason ?? 'the reason is not known'}`,
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

/** Returns the reason without numbers, and words with numbers (ids, identifications), which differ from run to run. */
function withoutNumbers(reason: string): string {
  return reason.replace(/[^\s,;:()"']*\d[^\s,;:()"']*/g, '#').slice(0, 300);
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
