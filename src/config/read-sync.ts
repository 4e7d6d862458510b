import { resolve } from 'node:path';
import { clearingWrites } from '../core/run/batch.ts';
import { given, isMapping } from '../core/run/given.ts';
import { choiceSentence } from '../core/run/problem-words.ts';
import type { Dialect, MatchKey, SyncSettings } from '../core/run/settings.ts';
import {
  checkCustomFields,
  checkExpression,
  checkExpressionsIn,
  checkMapping,
  csvOnlyFields,
  fieldPath,
  leaderRules,
  mappedRules,
  type SyncDraft,
  type SyncReading,
} from './check-mapping.ts';
import type { SourceSettings, SyncConfig } from './config.ts';
import { sourceFingerprint, sourceIdentity } from './fingerprint.ts';
import type { ConnectionDraft } from './read-connection.ts';
import { readSection } from './section.ts';
import { writeOnlyFields } from './sections/dialect.ts';
import { hasGap, type SyncInput, syncShape } from './sections/sync.ts';
import type { KeyPath } from './yaml-tree.ts';

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
  if (found.mapping !== undefined) checkMapping(found.mapping, [...path, 'mapping'], report);
  for (const key of ['mapping', 'lifecycle', 'prefer'] as const) {
    if (isMapping(value)) checkExpressionsIn(value[key], [...path, key], expressions, report);
  }
  if (found.scope !== undefined) checkExpression(found.scope, [...path, 'scope'], expressions, report);
  const isList = isMapping(value) && Array.isArray(value.prefer);
  for (const [i, rule] of (found.prefer ?? []).entries()) {
    if (rule.kind === 'expression')
      checkExpression(rule.expression, [...path, 'prefer', ...(isList ? [i] : [])], expressions, report);
  }
  const draft: SyncDraft = { name, path, written, found, source, outboxFolder };
  checkSync(draft, reading);
  return draft;
}

function readSource(
  config: { readonly kind: string },
  path: KeyPath,
  { kinds, kindNames, report }: SyncReading,
): ReadSource | undefined {
  const kind = kinds.find((candidate) => candidate.kind === config.kind);
  if (kind === undefined) {
    report.add([...path, 'kind'], choiceSentence(config.kind, kindNames), kindNames);
    return undefined;
  }
  const parsed = kind.parse(config);
  if (parsed.ok) {
    const { open, capabilities = kind.capabilities } = parsed;
    const title = kind.capabilities.delta ? `${kind.kind}, as it is configured here,` : kind.kind;
    const marks = { fingerprint: sourceFingerprint(config), identity: sourceIdentity(config) };
    return { kind: kind.kind, ...marks, open, canDelta: capabilities.delta, title };
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
  const { schedule, freshness, formerly, freeze, source: _source, outbox: _outbox, ...ofEngine } = input;
  const { deltas, prefer, nulls, hrOwner, parkEmail, guards, ...others } = ofEngine;
  const { segments, ...limits } = guards;
  const byEmail: readonly MatchKey[] = input.mapping.fields.email === undefined ? [] : ['email'];
  const settings: SyncSettings = {
    ...others,
    guards: { ...limits, ...given({ segments }) },
    name: draft.name,
    scope: input.scope,
    ...given({ prefer, nulls, hrOwner, parkEmail, deltas: deltas === 'never' ? undefined : deltas }),
    match: input.match ?? ['identification', ...byEmail],
    lifecycle: input.lifecycle,
  };
  const { kind, fingerprint, identity, open } = source;
  return {
    ...settings,
    source: { kind, fingerprint, identity, open },
    ...given({
      ...{ schedule, freshnessMs: freshness, formerly },
      freeze: freeze && {
        cron: freeze.cron,
        forMs: freeze.for,
        timezone: freeze.timezone ?? schedule?.timezone ?? 'UTC',
      },
      outbox: draft.outboxFolder === undefined ? undefined : { folder: draft.outboxFolder },
    }),
  };
}

/** Checks the keys of a sync together and with the connection's dialect. Skips keys that are reported already. */
function checkSync(draft: SyncDraft, reading: SyncReading): void {
  const connection = checkConnection(draft.found.connection, draft.path, reading);
  checkPolicy(draft, reading);
  checkLeaders(draft, reading);
  checkLeavers(draft, reading);
  checkDelivery(draft, reading, connection?.dialect);
  checkMatch(draft, reading);
  checkPrefer(draft, reading);
  const { mapping } = draft.found;
  if (mapping === undefined || connection?.dialect === undefined) return;
  checkCustomFields(mapping, [...draft.path, 'mapping'], connection.dialect, reading.report);
  checkClearing(draft, reading, connection.dialect);
}

/** Returns the connection that a section names. Reports a name that no connection of the file has. */
export function checkConnection(
  name: string | undefined,
  path: KeyPath,
  { connections, report }: Pick<SyncReading, 'connections' | 'report'>,
): ConnectionDraft | undefined {
  if (name === undefined) return undefined;
  const names = [...connections.keys()];
  if (!connections.has(name) && names.length > 0) {
    report.add([...path, 'connection'], `is not a connection in this file; it ${choiceSentence(name, names)}`, names);
  }
  return connections.get(name);
}

function checkPolicy({ path, found }: SyncDraft, { report }: SyncReading): void {
  const { policy } = found;
  if (policy === undefined || policy === 'sync') return;
  const never = `policy ${policy} does not allow it; use policy: sync, or delete this key`;
  if (found.remove !== undefined && found.remove !== 'never') {
    report.addKey([...path, 'remove'], `deletes accounts, but ${never}`);
  }
  if (found.outOfScope === 'disable') {
    report.addKey([...path, 'outOfScope'], `disables accounts, but ${never}`);
  }
}

/** A target that is shorter than the time between two runs is missed however well everything works. */
function checkLeavers({ path, found, written }: SyncDraft, { report }: SyncReading): void {
  const { schedule, leavers } = found;
  if (schedule === undefined || leavers === undefined || !written.has('leavers')) return;
  if (!hasGap(schedule.cron, leavers.withinMs)) return;
  const message =
    'is shorter than the time between two slots of schedule; run the sync more often, or use a longer time';
  report.add([...path, 'leavers', 'within'], message);
}

/** Leaders are changed by calls of their own, after users are in order. */
function checkLeaders({ path, found: { mapping, policy, delivery } }: SyncDraft, { report }: SyncReading): void {
  const [first] = mapping === undefined ? [] : leaderRules(mapping);
  if (first === undefined) return;
  const key: KeyPath = [...path, 'mapping', ...first.key.slice(0, 1)];
  if (delivery === 'outbox') {
    report.addKey(key, 'is not possible with an outbox: a CSV file has no column for leaders');
  } else if (policy === 'create-only') {
    report.addKey(
      key,
      'changes leaders, but policy create-only does not allow it; use another policy, or delete this key',
    );
  }
}

function checkDelivery({ path, found, written }: SyncDraft, { report }: SyncReading, dialect?: Dialect): void {
  const { delivery, policy, mapping } = found;
  if (written.has('outbox') && delivery !== undefined && delivery !== 'outbox') {
    report.addKey(
      [...path, 'outbox'],
      `has no effect with delivery: ${delivery}; write delivery: outbox, or delete this key`,
    );
  }
  if (delivery === 'outbox' && found.remove !== undefined && found.remove !== 'never') {
    report.addKey([...path, 'remove'], 'is not possible with an outbox: a CSV file has no row that deletes an account');
  }
  if (delivery !== 'direct') return;
  if (policy === 'sync') {
    const message =
      'direct cannot disable or enable users, which policy: sync requires; use auto or csv, or policy: upsert-only';
    report.add([...path, 'delivery'], message);
  }
  if (mapping === undefined) return;
  for (const name of csvOnlyFields(mapping, dialect?.customFieldLimit.direct ?? Number.POSITIVE_INFINITY)) {
    const message =
      'is written by CSV only, and delivery is direct; use delivery: auto or csv, or remove it from the mapping';
    report.addKey([...path, 'mapping', ...fieldPath(name)], message);
  }
}

/** A delta that shows only the old record of a person would pass it off as the one that counts. */
function checkPrefer({ path, found }: SyncDraft, { report }: SyncReading): void {
  if (found.prefer === undefined || found.deltas === undefined || found.deltas === 'never') return;
  const message =
    'needs all records of a person, but a delta has only the changed ones; set deltas: never, or delete this key';
  report.addKey([...path, 'prefer'], message);
}

function checkMatch({ path, found }: SyncDraft, { report }: SyncReading): void {
  const { match, mapping } = found;
  if (match === undefined || mapping === undefined) return;
  const at = match.indexOf('email');
  if (at >= 0 && mapping.fields.email === undefined) {
    report.add([...path, 'match', at], 'names email, but mapping has no email; map it, or remove it from match');
  }
  const byEmail = leaderRules(mapping).find(({ rule }) => rule.by === 'email');
  if (at < 0 && byEmail !== undefined) {
    const message = `lacks email, so no leader can be found by e-mail (mapping.${byEmail.key.join('.')}); add email, or use by: identification`;
    report.add([...path, 'match'], message);
  }
}

/** A write that clears unmapped fields would destroy values that cannot be read back. */
function checkClearing({ path, found }: SyncDraft, { report }: SyncReading, dialect: Dialect): void {
  const { mapping, delivery, parkEmail, policy } = found;
  if (mapping === undefined || delivery === undefined || policy === 'create-only') return;
  if (delivery !== 'direct' && dialect.csv.emptyCell === 'keeps') {
    for (const [name, { whenEmpty }] of mappedRules(mapping)) {
      if (whenEmpty !== 'clear') continue;
      const keeping =
        'is clear, but an empty cell of a file keeps the value (dialect.csv.emptyCell is keeps), so nothing would be cleared; use whenEmpty: keep';
      report.add([...path, 'mapping', ...fieldPath(name), 'whenEmpty'], keeping);
    }
  }
  const { byFile, byCall } = clearingWrites({ delivery, ...(parkEmail === undefined ? {} : { parkEmail }) }, dialect);
  if (!byFile && !byCall) return;
  const how = [
    ...(byFile ? ['dialect.csv.header is full and an empty cell clears'] : []),
    ...(byCall ? ['dialect.put is replaces'] : []),
  ].join(', and ');
  const carried = writeOnlyFields.filter((name) => mapping.fields[name] !== undefined);
  if (found.firstSight === 'assume' && carried.length > 0) {
    const message = `has no effect: every write carries ${carried.join(', ')} and overwrites the assumed values (${how}); use firstSight: write`;
    report.addKey([...path, 'firstSight'], message);
  }
  for (const name of carried) {
    const write = mapping.fields[name]?.write;
    if (write === undefined) continue;
    const message = `has no effect: every write carries ${name}, which the platform does not return, and overwrites edits (${how}); remove it`;
    report.addKey([...path, 'mapping', ...fieldPath(name), write === 'keepLocalEdits' ? write : 'write'], message);
  }
  const lost = writeOnlyFields.filter((name) => mapping.fields[name] === undefined && !dialect.mayClear.includes(name));
  if (lost.length === 0) return;
  const message = `does not name ${lost.join(', ')}: every write would clear it, and the platform does not return it (${how}); map it, or list it in dialect.mayClear`;
  report.addKey([...path, 'mapping'], message);
}
