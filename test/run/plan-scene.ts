import type { User } from '../../src/core/person/fields.ts';
import type { SourceRecord } from '../../src/core/person/person.ts';
import { changeClasses } from '../../src/core/plan/change.ts';
import type { ReadEnd } from '../../src/core/plan/snapshot.ts';
import type { GuardSettings, SyncSettings } from '../../src/core/run/settings.ts';
import type { BrokenRecord, ReadRequest, Source } from '../../src/ports/source.ts';
import type { PlannedChange, Run, RunScope } from '../../src/ports/store.ts';
import { advanceRun } from '../../src/run/advance-run.ts';
import type { RunContext, Sync } from '../../src/run/engine-io.ts';
import { finishRun } from '../../src/run/finish-run.ts';
import { makePlan } from '../../src/run/make-plan.ts';
import type { Plan } from '../../src/run/plan-job.ts';
import { recordRun, showPlan } from '../../src/run/recorder.ts';
import { openRun } from '../contracts/store-samples.ts';
import { plainSettings } from './plain-settings.ts';
import { type EngineScene, openEngineScene } from './run-in-store.ts';

/** What the HR system answers; a test changes it as it goes. */
export interface Employees {
  records: readonly SourceRecord[];
  /** What a delta shows; all records when absent. */
  changed: readonly SourceRecord[] | undefined;
  broken: readonly BrokenRecord[];
  /** How the read ends; with a proof of completeness when absent. */
  end: ReadEnd | undefined;
  fields: readonly string[] | undefined;
  /** Ends a full read after its first page. */
  fails: Error | undefined;
  /** What the source was asked for, oldest first. */
  readonly requests: ReadRequest[];
  /** How many reads were ended before their end. */
  stopped: number;
}

export interface PlanSceneOptions {
  readonly records: readonly SourceRecord[];
  readonly users?: readonly User[];
  readonly settings?: Partial<SyncSettings>;
  readonly capabilities?: Partial<Source['capabilities']>;
  /** Names of other configured syncs of the connection. */
  readonly otherSyncs?: readonly string[];
  /** Another sync with the same store, clock and platform. Both know each other. */
  readonly beside?: PlanScene;
}

export interface Planned {
  readonly plan: Plan;
  /** The run as it was when the plan was stored. */
  readonly run: Run;
  readonly changes: readonly PlannedChange[];
  /** The kind of each change, by identification; with its state where that is not `planned`. */
  readonly kinds: Readonly<Record<string, string>>;
  /** `code identification` of each finding. */
  readonly findings: readonly string[];
}

export interface PlanScene extends EngineScene {
  readonly source: Employees;
  /** Makes the plan of a new run, and ends the run without sending anything. */
  plan(scope?: RunScope): Promise<Planned>;
  /** Makes a plan that is only shown. */
  show(scope?: RunScope): Promise<Planned>;
  /** Takes a new run from its plan to its end. */
  run(scope?: RunScope): Promise<Planned>;
  message(planned: Planned, code: string): string | undefined;
}

export const unlimited = { absolute: 1_000_000, percent: 100, cap: undefined };

/** Guards that hold nothing, except what is given. */
export function guards(over: Partial<GuardSettings>): Pick<SyncSettings, 'guards'> {
  const open = Object.fromEntries(changeClasses.map((name) => [name, unlimited])) as unknown as GuardSettings;
  const rest = { blocked: { ...unlimited, oneInRows: 0 }, rowsDownPercent: 100, fillRateDownPoints: 100 };
  return { guards: { ...open, ...rest, ...over } };
}
export const all: RunScope = { kind: 'all' };
export const only = (...identifications: string[]): RunScope => ({ kind: 'users', identifications });

/** An active employee's row. */
export function row(id: string, over: Readonly<Record<string, unknown>> = {}, at = `line of ${id}`): SourceRecord {
  const fields = { id, first: 'Ana', last: 'Li', status: 'active', hired: '2020-01-01', type: 'staff', email: '' };
  return { at, fields: { leaves: '', area: 'Sales', born: '', job: '', seniority: '', ...fields, ...over } };
}

/** The account as the row of the same name wants it. */
export function account(identification: string, over: Partial<User> = {}): User {
  return {
    id: `9${identification}`,
    identification,
    enabled: true,
    unreadable: [],
    ...over,
    fields: { firstName: 'Ana', lastName: 'Li', area: 'Sales', ...over.fields },
  };
}

/** A source, a platform and a store of a sync, of which each run makes a plan. Guards hold nothing, unless asked to. */
export async function openPlanScene(options: PlanSceneOptions): Promise<PlanScene> {
  const { beside } = options;
  const settings: SyncSettings = { ...plainSettings, firstSight: 'assume', ...guards({}), ...options.settings };
  const users = beside?.users ?? new Map<string, User>();
  // A second user of the same identification is shown by scans alone.
  for (const user of options.users ?? []) {
    const { id, identification } = user;
    users.set(users.has(identification) ? `${identification} ${id}` : identification, user);
  }
  const source: Employees = {
    records: options.records,
    changed: undefined,
    broken: [],
    end: undefined,
    fields: undefined,
    fails: undefined,
    requests: [],
    stopped: 0,
  };
  const scene = await openEngineScene({
    settings,
    source: sourceOf(source, options.capabilities),
    users,
    ...(beside === undefined ? {} : { beside }),
  });
  const { store, clock, io, sync, stopping } = scene;
  const syncs = io.syncs as Map<string, Sync>;
  for (const name of options.otherSyncs ?? []) syncs.set(name, { ...sync, settings: { ...settings, name } });
  let runs = 0;
  const idOf = (number: number): string => `run_${beside === undefined ? '' : `${settings.name}_`}${number}`;
  const open = async (scope: RunScope): Promise<RunContext> => {
    const { name, connection } = sync.settings;
    const owned = await openRun(store, { id: idOf(++runs), sync: name, connection, now: clock.now(), scope });
    return { owned, sync, signal: stopping.signal, stopping: stopping.signal };
  };
  const told = async (plan: Plan, id: string): Promise<Planned> => {
    const changes = await store.plans.page(id, { limit: 10_000 });
    const kinds = changes.map(({ identification, kind, state }) => [
      identification,
      state === 'planned' ? kind : `${kind} ${state}`,
    ]);
    const run = (await store.runs.get(id)) as Run;
    const findings = plan.findings.map(({ code, identification }) =>
      identification === undefined ? code : `${code} ${identification}`,
    );
    return { plan, run, changes, kinds: Object.fromEntries(kinds), findings: findings.toSorted() };
  };
  return {
    ...scene,
    source,
    async plan(scope = all) {
      const context = await open(scope);
      const { id } = context.owned.run;
      const job = { sync, scope, signal: context.signal };
      const plan = await makePlan(job, recordRun(context, io), io).catch(async (error) => {
        await finishRun(context, io, String(error));
        throw error;
      });
      await store.runs.update(context.owned, { read: plan.read, plan: plan.facts });
      const planned = await told(plan, id);
      await store.runs.addFindings(context.owned, plan.findings);
      await finishRun(context, io, plan.failure);
      return planned;
    },
    async show(scope = all) {
      const id = `shown_${++runs}`;
      const plan = await makePlan({ sync, scope, signal: stopping.signal }, showPlan(id, sync, io), io);
      return told(plan, id);
    },
    async run(scope = all) {
      const context = await open(scope);
      const { id } = context.owned.run;
      for (let steps = 0; steps < 200; steps++) {
        const now = (await store.runs.get(id)) as Run;
        const outcome = await advanceRun({ ...context, owned: { ...context.owned, run: now } }, io);
        if (outcome.kind === 'again') clock.jumpTo(clock.now() + outcome.afterMs);
        if (outcome.kind !== 'done') continue;
        const run = (await store.runs.get(id)) as Run;
        const findings = await store.runs.findings(id);
        const plan = { id, digest: run.digest ?? '', findings, read: run.read, facts: run.plan } as Plan;
        return told(plan, id);
      }
      throw new Error('the run does not end');
    },
    message: ({ plan }, code) => plan.findings.find((finding) => finding.code === code)?.message,
  };
}

function sourceOf(employees: Employees, capabilities: Partial<Source['capabilities']> = {}): Source {
  return {
    kind: 'memory',
    capabilities: { delta: true, point: true, terminated: 'unknown', future: 'unknown', ...capabilities },
    async *read(request) {
      employees.requests.push(request);
      const records = recordsFor(request, employees);
      let isOver = false;
      try {
        for (let from = 0; from < records.length; from += 3) {
          yield { records: records.slice(from, from + 3), broken: [] };
          if (employees.fails !== undefined && request.kind === 'full') throw employees.fails;
        }
        if (employees.broken.length > 0) yield { records: [], broken: employees.broken };
        isOver = true;
        return employees.end ?? { complete: true, rows: records.length, evidence: 'all of it', stamp: 's1' };
      } finally {
        if (!isOver) employees.stopped += 1;
      }
    },
    fields: async () => employees.fields,
  };
}

function recordsFor(request: ReadRequest, { records, changed }: Employees): readonly SourceRecord[] {
  if (request.kind === 'delta') return changed ?? records;
  if (request.kind === 'full') return records;
  const wanted = new Set(request.identifications.map((name) => name.toLowerCase()));
  return records.filter(({ fields }) => wanted.has(String(fields[request.field]).toLowerCase()));
}

/** How many people the planner decided about. */
export const decided = ({ events }: PlanScene): number =>
  events.reduce((sum, event) => (event.step === 'planning' ? Math.max(sum, event.decided) : sum), 0);
