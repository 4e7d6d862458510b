import { describe, expect, it } from 'vitest';
import { requestBudget } from '../../../src/core/run/request-budget.ts';
import type { EngineIo } from '../../../src/run/engine-io.ts';
import { type PreviewJob, previewPlan } from '../../../src/run/make-preview.ts';
import { showPlan } from '../../../src/run/recorder.ts';
import { budgetsOf, countedPlan } from '../../../src/run/seal/request-budgets.ts';
import { previewBatches } from '../../../src/run/seal/write-batches.ts';
import { account, all, guards, openPlanScene, type PlanScene, type PlanSceneOptions, row } from '../plan-scene.ts';

const none = { absolute: 0, percent: 0, cap: undefined };
const planning = { scan: 2, read: 1 };

/** A dry run whose plan takes two requests for a scan, and one for a read. */
async function openPreview(options: PlanSceneOptions): Promise<{ scene: PlanScene; job: PreviewJob; io: EngineIo }> {
  const scene = await openPlanScene(options);
  const { signal } = scene.stopping;
  const job = { planId: 'plan_1', sync: scene.sync, scope: all, signal };
  const countRequests: EngineIo['countRequests'] = async (count, work) => {
    for (const purpose of ['scan', 'read', 'scan'] as const) count(purpose);
    return work();
  };
  return { scene, job, io: { ...scene.io, countRequests } };
}

const names = (count: number) => Array.from({ length: count }, (_, i) => `p${String(i).padStart(3, '0')}`);
const records = names(60).map((name) => row(name));
const users = names(30).map((name) => account(name, { fields: { area: 'Old' } }));

/** The budget of the changes in these states, in a platform of so many users a page. */
async function expected({ scene, job, io }: Awaited<ReturnType<typeof openPreview>>, states: ('planned' | 'held')[]) {
  const { sync, planId } = job;
  const batches = (
    await Promise.all(states.map((state) => previewBatches({ planId, states: [state], sync }, io)))
  ).flat();
  const directory = { users: scene.users.size, pageSize: 500 };
  return requestBudget({ planning, batches, directory, settle: sync.settings.settle, limits: sync.limits });
}

it('the requests that make a plan are counted by purpose', async () => {
  const { job, io } = await openPreview({ records: [row('a1')] });
  const { plan, planning: counted } = await countedPlan(job, showPlan('plan_1', job.sync, io), io);
  expect([plan.id, counted]).toEqual(['plan_1', planning]);
});

describe('a plan that is only shown', () => {
  it('has the budget of its run, and no other where nothing is held', async () => {
    const preview = await openPreview({ records, users });
    const { facts } = await previewPlan(preview.job, preview.io);
    expect(facts.budget).toEqual(await expected(preview, ['planned']));
    expect(facts.budget).toMatchObject({ files: 2, purposes: { scan: 2, upload: 2 } });
    expect(facts).not.toHaveProperty('budgetWithHeld');
    expect(facts).toMatchObject({ platformUsers: 30, sourceRows: 60, pageSize: 500 });
  });

  it('has a second budget with what is held', async () => {
    const preview = await openPreview({ records, users, settings: guards({ creates: none }) });
    const { facts } = await previewPlan(preview.job, preview.io);
    expect(facts.budget).toEqual(await expected(preview, ['planned']));
    expect(facts.budgetWithHeld).toEqual(await expected(preview, ['planned', 'held']));
    expect([facts.budget?.files, facts.budgetWithHeld?.files]).toEqual([1, 2]);
  });

  it('has none where no plan can be made from the source', async () => {
    const preview = await openPreview({ records: [], users });
    const plan = await previewPlan(preview.job, preview.io);
    expect(plan.failure).toMatch(/^the source returned no employees/);
    expect(plan.facts).not.toHaveProperty('budget');
  });
});

describe('the budget of a run', () => {
  it.each([
    { name: 'by scans where the plan scanned all users', facts: { platformUsers: 5000, pageSize: 100 } },
    { name: 'without the number of users', facts: { pageSize: 100 } },
    { name: 'one by one where the plan made no scan', facts: { platformUsers: 5000 } },
  ])('counts lookups $name', async ({ facts }) => {
    const preview = await openPreview({ records, users });
    const { plan } = await countedPlan(preview.job, showPlan('plan_1', preview.job.sync, preview.io), preview.io);
    const { sync } = preview.job;
    const loads = await previewBatches({ planId: 'plan_1', states: ['planned'], sync }, preview.io);
    const { platformUsers = 0, pageSize } = facts;
    const directory = pageSize === undefined ? undefined : { users: platformUsers, pageSize };
    const { settings, limits } = sync;
    const budgets = await budgetsOf({ plan: { ...plan, facts }, planning, sync, loads }, preview.io);
    expect(budgets).toEqual({
      budget: requestBudget({ planning, batches: loads, directory, settle: settings.settle, limits }),
    });
  });
});
