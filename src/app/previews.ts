import { conflict, notFound } from '../core/run/errors.ts';
import { given } from '../core/run/given.ts';
import type { PlanReport, Preview, PreviewQuery, PreviewRequest } from '../ports/previews.ts';
import type { RunScope } from '../ports/store.ts';
import type { EngineIo } from '../run/engine-io.ts';
import { previewPlan, reportPlan } from '../run/make-preview.ts';
import type { PreviewState } from '../views/previews.ts';
import type { AppIo, WatchOptions } from './app-io.ts';
import { type Caller, note } from './audit.ts';
import { asStored, findSync } from './find-named.ts';
import { inFull } from './requests.ts';

/** The store keeps plans that were only shown no longer. */
const longestMs = 7 * 86_400_000;
const mostUnended = 20;

type PlanOptions = WatchOptions & { readonly scope?: RunScope };

/** A request for a plan without effect. */
export interface PreviewOrder extends Caller {
  readonly scope: RunScope;
  /** A mapping (YAML) in place of the configured one. */
  readonly mapping?: string;
}

/** Makes a plan in this process. No effect but its own rows. */
export async function planHere(app: AppIo, name: string, options: PlanOptions): Promise<PlanReport> {
  const { engine, sync } = asStored(app.engine, name);
  const { signal, progress, scope = { kind: 'all', isFull: true } } = options;
  const planId = engine.newId('plan');
  const job = { planId, sync, scope, signal };
  const report = await reportPlan(await previewPlan(job, { ...engine, progress }), job, engine.store);
  return { ...report, sync: name };
}

/** Makes a plan in this process, and stores it as a preview. */
export async function planToShare(io: AppIo, sync: string, options: PlanOptions & Caller) {
  const { engine } = io;
  const { store, clock } = engine;
  const report = await planHere(io, sync, options);
  const { scope = { kind: 'all', isFull: true }, by } = options;
  const request = newRequest(sync, { scope, by }, engine);
  await store.previews.add(request);
  const begun = await store.previews.begin(request.id, clock.now());
  await store.previews.end(request.id, begun?.attempt ?? 1, { state: 'done', at: clock.now(), report });
  await note({ action: 'preview', by, sync: request.sync, detail: request.id }, engine);
  return { preview: await requirePreview(request.id, engine), report };
}

/**
 * Stores a request for a preview. Throws `USAGE` for an unknown sync, `CONFIG_INVALID` for a mapping with problems, and
 * `CONFLICT` when too many wait.
 */
export async function orderPreview(io: AppIo, sync: string, order: PreviewOrder): Promise<PreviewState> {
  const { engine } = io;
  const known = findSync(sync, engine.syncs);
  if (order.mapping !== undefined) await known.withMapping(order.mapping);
  const waiting = await engine.store.previews.unended(engine.clock.now());
  if (waiting.length >= mostUnended) {
    const message = `${waiting.length} previews are in progress or wait: try again when one has ended`;
    throw conflict(message);
  }
  const request = newRequest(sync, { ...order, scope: inFull(order.scope) }, engine);
  await engine.store.previews.add(request);
  await note({ action: 'preview', by: order.by, sync, detail: request.id }, engine);
  return findPreview(io, request.id);
}

/** Returns a preview. Throws `NOT_FOUND` for one that expired. */
export async function findPreview(io: AppIo, id: string): Promise<PreviewState> {
  return { preview: await requirePreview(id, io.engine), isDeploymentRunning: await io.isDeployed() };
}

async function requirePreview(id: string, { store, clock }: EngineIo): Promise<Preview> {
  const preview = await store.previews.get(id);
  if (preview !== undefined && preview.expiresAt > clock.now()) return preview;
  throw notFound(`there is no preview ${id}: the id is wrong, or the preview has expired`);
}

function newRequest(sync: string, { scope, mapping, by }: PreviewOrder, io: EngineIo): PreviewRequest {
  const requestedAt = io.clock.now();
  const expiresAt = requestedAt + Math.min(longestMs, io.retention.runs);
  return { id: io.newId('preview'), sync, scope, ...given({ mapping }), by, requestedAt, expiresAt };
}

/** Lists previews that have not expired, newest first. */
export function findPreviews({ engine: { store, clock } }: AppIo, query: PreviewQuery): Promise<readonly Preview[]> {
  return store.previews.list({ now: clock.now(), ...query });
}
