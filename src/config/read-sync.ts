import { resolve } from 'node:path';
import type { MatchKey, SyncSettings } from '../core/run/settings.ts';
import { checkExpression, checkMapping, checkRecordValues } from './check-mapping.ts';
import { checkSync } from './check-sync.ts';
import type { SourceSettings, SyncConfig } from './config.ts';
import type { KeyPath } from './key-path.ts';
import { isMapping, readSection } from './section.ts';
import { type SyncInput, syncShape } from './sections/sync.ts';
import { choiceSentence } from './sentences.ts';
import { sourceFingerprint } from './source-fingerprint.ts';
import type { SyncDraft, SyncReading } from './sync-draft.ts';

/** Reads `syncs.<name>` and reports its problems. */
export function readSync(name: string, value: unknown, reading: SyncReading): SyncDraft {
  const { report, expressions, folder } = reading;
  const path: KeyPath = ['syncs', name];
  const found = readSection(syncShape, value, path, report);
  const written = new Set(isMapping(value) ? Object.keys(value) : []);
  const source = found.source === undefined ? undefined : readSource(found.source, [...path, 'source'], reading);
  if (source !== undefined && found.deltas !== undefined)
    checkDeltas(source, found.deltas, [...path, 'deltas'], reading);
  const outboxFolder =
    found.delivery === 'outbox'
      ? resolve(folder, found.outbox?.folder ?? syncShape.outbox.unwrap().parse({}).folder)
      : undefined;
  if (found.mapping !== undefined) checkMapping(found.mapping, [...path, 'mapping'], expressions, report);
  if (found.scope !== undefined) checkExpression(found.scope, [...path, 'scope'], expressions, report);
  const isList = isMapping(value) && Array.isArray(value.prefer);
  checkRecordValues({ ...found, preferPath: (i) => [...path, 'prefer', ...(isList ? [i] : [])] }, path, reading);
  const draft: SyncDraft = { name, path, written, found, source, outboxFolder };
  checkSync(draft, reading);
  return draft;
}

function readSource(
  config: { readonly kind: string },
  path: KeyPath,
  { sourceKinds, report }: SyncReading,
): ReadSource | undefined {
  const kind = sourceKinds.find((candidate) => candidate.kind === config.kind);
  if (kind === undefined) {
    const known = sourceKinds.map((candidate) => candidate.kind);
    report.add([...path, 'kind'], choiceSentence(config.kind, known), known);
    return undefined;
  }
  const parsed = kind.parse(config);
  if (parsed.ok) {
    const { open, capabilities = kind.capabilities } = parsed;
    const title = kind.capabilities.delta ? `${kind.kind}, as it is configured here,` : kind.kind;
    return { kind: kind.kind, fingerprint: sourceFingerprint(config), open, canDelta: capabilities.delta, title };
  }
  for (const problem of parsed.problems) report.add([...path, ...problem.path], problem.message);
  return undefined;
}

interface ReadSource extends SourceSettings {
  readonly canDelta: boolean;
  /** For messages: the kind, with a note when its configuration is the limit. */
  readonly title: string;
}

function checkDeltas(
  { canDelta, title, kind }: ReadSource,
  deltas: SyncInput['deltas'],
  path: KeyPath,
  { report }: SyncReading,
): void {
  if (deltas === 'never' || canDelta) return;
  const message = `needs a source that can report changes, and ${title} cannot (docs/sources/${kind}.md): delete this key, and every read is full`;
  report.addKey(path, message);
}

/** Returns the sync in the form that all other code uses. */
export function syncConfig(draft: SyncDraft, input: SyncInput, source: SourceSettings): SyncConfig {
  const { schedule, freshness, source: _source, outbox: _outbox, deltas, prefer, parkEmail, ...others } = input;
  const byEmail: readonly MatchKey[] = input.mapping.fields.email === undefined ? [] : ['email'];
  const settings: SyncSettings = {
    ...others,
    name: draft.name,
    scope: input.scope,
    ...(prefer === undefined ? {} : { prefer }),
    match: input.match ?? ['identification', ...byEmail],
    lifecycle: input.lifecycle,
    ...(parkEmail === undefined ? {} : { parkEmail }),
    ...(deltas === 'never' ? {} : { deltas }),
  };
  const { kind, fingerprint, open } = source;
  return {
    ...settings,
    source: { kind, fingerprint, open },
    ...(schedule === undefined ? {} : { schedule }),
    ...(freshness === undefined ? {} : { freshnessMs: freshness }),
    ...(draft.outboxFolder === undefined ? {} : { outbox: { folder: draft.outboxFolder } }),
  };
}
