import { readFile as readFromDisk, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { stringify } from 'yaml';
import { z } from 'zod';
import { isMapping } from '../core/run/given.ts';
import { messageFor } from '../core/run/problem-words.ts';
import type { SourceKind, SourceKinds } from '../ports/source.ts';
import type { SyncDraft, SyncReading } from './check-mapping.ts';
import type { Config, ConnectionSettings, SyncConfig } from './config.ts';
import type { Expressions } from './expressions.ts';
import { type ConnectionDraft, connectionSettings, keepsTokens, readConnection } from './read-connection.ts';
import { readSync, syncConfig } from './read-sync.ts';
import { ConfigError, openReport, type Report } from './report.ts';
import { once, readValue, reportUnknownKey } from './section.ts';
import { connectionShape } from './sections/connection.ts';
import { document, editorSchema, rootShape } from './sections/root.ts';
import { syncShape } from './sections/sync.ts';
import { namePattern, nameSentence } from './sections/values.ts';
import { type KeyPath, parseYamlTree, renderKeyPath, type YamlTree } from './yaml-tree.ts';

export interface LoadOptions {
  /** The environment for `${env:NAME}`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads a UTF-8 file; from the disk by default. */
  readonly readFile?: (path: string) => Promise<string>;
  readonly sourceKinds: SourceKinds;
  readonly expressions: Expressions;
  /** A mapping in place of the file's. Absent: the file as it is. */
  readonly trial?: { readonly sync: string; readonly mapping: string };
}

/**
 * Reads and checks a whole configuration file (YAML or JSON, design section 6). Starts nothing. Throws `ConfigError` with
 * every problem found; no problem contains a value that came through `${…}`.
 */
export async function loadConfig(path: string, options: LoadOptions): Promise<Config> {
  const folder = dirname(resolve(path));
  const readFile = options.readFile ?? ((file: string) => readFromDisk(file, 'utf8'));
  const written = parseYamlTree(await readConfigFile(path, readFile));
  const { trial } = options;
  const tree = trial === undefined ? written : withMapping(written, trial);
  const report = openReport(trial === undefined ? path : 'mapping', tree);
  for (const problem of tree.problems) {
    report.addAt(problem.path, problem, problem.message);
    if (problem.isHole) report.mute(problem.path);
  }
  if (tree.value === undefined) throw new ConfigError(report.problems([]));
  const { value, secrets } = await resolveReferences(tree.value, { env: options.env, folder, readFile }, report);
  const kinds = await loadKinds(value, options.sourceKinds);
  const draft = readTree(value, { folder, report, kinds, kindNames: options.sourceKinds.names, ...options });
  const problems = report.problems(secrets);
  if (problems.length > 0 || draft === undefined) throw new ConfigError(problems);
  const config = finish(draft);
  return {
    ...config,
    path,
    folder,
    plainText: await findPlainText(path, tree.value, config),
    mappingOf(name) {
      const { value: root } = tree;
      const sync = isMapping(root) && isMapping(root.syncs) ? root.syncs[name] : undefined;
      return stringify((isMapping(sync) ? sync.mapping : undefined) ?? {});
    },
    withMapping: (sync, mapping) => loadConfig(path, { ...options, trial: { sync, mapping } }),
  };
}

/** What a trial may replace besides the mapping, if it has the mapping under its name. */
const trialKeys: readonly string[] = ['mapping', 'lifecycle', 'firstSight'];

/**
 * Returns the tree of the file with another mapping of a sync, or other sections. Positions below them are those of the
 * trial. It refers to nothing outside: a `${env:…}` could show a secret in the plan.
 */
function withMapping(tree: YamlTree, { sync, mapping }: NonNullable<LoadOptions['trial']>): YamlTree {
  const trial = parseYamlTree(mapping);
  const tried = trial.value;
  const isWhole =
    isMapping(tried) && isMapping(tried.mapping) && Object.keys(tried).every((key) => trialKeys.includes(key));
  const at: KeyPath = isWhole ? ['syncs', sync] : ['syncs', sync, 'mapping'];
  const isBelow = (path: KeyPath): boolean =>
    at.every((key, i) => path[i] === key) && (!isWhole || trialKeys.includes(String(path[2])));
  const { value } = tree;
  if (!isMapping(value) || !isMapping(value.syncs) || !isMapping(value.syncs[sync])) return tree;
  const others = Object.entries(value.syncs[sync]).filter(([key]) => !isWhole || !trialKeys.includes(key));
  const syncs = {
    ...value.syncs,
    [sync]: { ...Object.fromEntries(others), ...(isWhole ? tried : { mapping: tried }) },
  };
  const references = referencesIn(trial.value, []).map((path) => ({
    ...trial.locate(path),
    path: [...at, ...path],
    message: 'has a reference ${…}, which a trial cannot use. Write it to a file and run: rollcall plan --config FILE',
    isHole: true,
  }));
  return {
    value: { ...value, syncs },
    problems: [...trial.problems.map((one) => ({ ...one, path: [...at, ...one.path] })), ...references],
    locate: (path) => (isBelow(path) ? trial.locate(path.slice(at.length)) : tree.locate(path)),
    locateKey: (path) => (isBelow(path) ? trial.locateKey(path.slice(at.length)) : tree.locateKey(path)),
  };
}

function referencesIn(value: unknown, path: KeyPath): readonly KeyPath[] {
  if (typeof value === 'string') return value.includes('${') ? [path] : [];
  return partsOf(value).flatMap(([key, part]) => referencesIn(part, [...path, key]));
}

/** Loads the kinds of source that the syncs name. */
function loadKinds(value: unknown, kinds: SourceKinds): Promise<readonly SourceKind[]> {
  const syncs = isMapping(value) && isMapping(value.syncs) ? Object.values(value.syncs) : [];
  const sources = syncs.map((sync) => (isMapping(sync) ? sync.source : undefined));
  const named = new Set(sources.map((source) => (isMapping(source) ? source.kind : undefined)));
  return kinds.load((name) => named.has(name));
}

/** Returns the names below a key of the file, without a check of the rest. Empty when the file cannot be read. */
export async function readConfigNames(path: string, key: 'connections' | 'syncs'): Promise<readonly string[]> {
  const text = await readFromDisk(path, 'utf8').catch(() => '');
  const { value } = parseYamlTree(text);
  const section = isMapping(value) ? value[key] : undefined;
  return isMapping(section) ? Object.keys(section) : [];
}

/** Keys of secrets. The chart refuses a text below the same ones. */
export const secretKey =
  /(password|passphrase|secret|token|api[-_]?key|access[-_]?key|(private|encryption|routing)[-_]?keys?|authorization|cookie)$/i;

/** Names what this file leaves readable: the people of a store without a key, and secrets in a file that others may open. */
async function findPlainText(path: string, tree: unknown, { encryptionKey }: Pick<Config, 'encryptionKey'>) {
  const found: string[] = [];
  if (encryptionKey === undefined) {
    found.push('personal data is stored unencrypted. Set encryptionKey; create a key with: openssl rand -base64 32');
  }
  const literals = literalSecrets(tree, []);
  // Windows has no such modes.
  const mode = process.platform === 'win32' ? undefined : (await stat(path).catch(() => undefined))?.mode;
  if (literals.length > 0 && mode !== undefined && (mode & 0o066) !== 0) {
    const verbs = [...((mode & 0o044) === 0 ? [] : ['read']), ...((mode & 0o022) === 0 ? [] : ['change'])].join(
      ' and ',
    );
    const names = literals.slice(0, 3).map(renderKeyPath).join(', ');
    const more = literals.length > 3 ? ` and ${literals.length - 3} more` : '';
    found.push(
      `${path} contains unencrypted secrets (${names}${more}), and other users of this machine can ${verbs} it. Replace them with \${env:NAME}, or run: chmod 600 ${path}`,
    );
  }
  return found;
}

/** Returns the paths of texts that are secrets themselves: below a key for secrets, or an address that has one. */
function literalSecrets(value: unknown, path: KeyPath): readonly KeyPath[] {
  if (typeof value === 'string') {
    const key = String(path.findLast((part) => typeof part === 'string'));
    const isNamed = secretKey.test(key) && key !== 'rolesToken';
    const isAddress = /:\/\/[^/?#@\s]*:[^/?#@\s]+@|:\/\/hooks\.slack\.com\//.test(value);
    return (isNamed || isAddress) && !/\$\{(env|file):/.test(value) ? [path] : [];
  }
  // The keys of a mapping are fields of people.
  return partsOf(value).flatMap(([key, item]) => (key === 'mapping' ? [] : literalSecrets(item, [...path, key])));
}

async function readConfigFile(path: string, readFile: (path: string) => Promise<string>): Promise<string> {
  try {
    return await readFile(resolve(path));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    const message =
      code === 'ENOENT'
        ? 'the file does not exist; name another file with --config, or create one with: rollcall init'
        : `the file cannot be read (${code}); check its permissions`;
    throw new ConfigError([{ file: path, line: 0, column: 0, path: '', message }]);
  }
}

interface Reading extends Omit<LoadOptions, 'sourceKinds'>, Pick<SyncReading, 'kinds' | 'kindNames'> {
  readonly folder: string;
  readonly report: Report;
}

interface Draft {
  readonly root: Readonly<Record<string, unknown>>;
  readonly connections: ReadonlyMap<string, unknown>;
  readonly syncs: ReadonlyMap<string, { readonly value: unknown; readonly draft: SyncDraft }>;
}

function readTree(value: unknown, reading: Reading): Draft | undefined {
  const { report } = reading;
  if (!isMapping(value)) {
    report.add(
      [],
      value === null
        ? 'the file is empty; create one with: rollcall init'
        : 'the file must be a mapping of keys and values',
    );
    return undefined;
  }
  const { $schema: _, ...shape } = document.shape;
  const known = Object.keys(shape);
  for (const key of Object.keys(value)) {
    if (key === '$schema') readValue(editorSchema, value[key], [key], report);
    else if (!known.includes(key)) reportUnknownKey([key], known, report);
  }
  for (const [key, schema] of Object.entries(rootShape)) readValue(schema, value[key], [key], report);
  const connections = readNamed('connections', value.connections, report);
  if (connections.size === 0 && isMapping(value.connections))
    report.add(['connections'], 'must name at least one connection');
  const drafts = new Map<string, ConnectionDraft>();
  for (const [name, connection] of connections) {
    drafts.set(name, readConnection(connection, ['connections', name], report));
  }
  checkEncryptionKey(value, connections, report);
  const syncs = readNamed('syncs', value.syncs === undefined ? {} : value.syncs, report);
  const read = [...syncs].map(([name, sync]) => {
    return [name, { value: sync, draft: readSync(name, sync, { ...reading, connections: drafts }) }] as const;
  });
  checkSyncNames(value, syncs, report);
  checkFormerNames(syncs, report);
  checkApprovers(value, report);
  checkOutboxes(
    read.map(([, { draft }]) => draft),
    report,
  );
  const root = Object.fromEntries(Object.entries(value).filter(([key]) => Object.hasOwn(rootShape, key)));
  return { root, connections, syncs: new Map(read) };
}

/** Returns the entries of a mapping whose keys are names that the operator chooses. */
function readNamed(section: string, value: unknown, report: Report): ReadonlyMap<string, unknown> {
  if (!isMapping(value)) {
    report.add([section], messageFor({ code: 'invalid_type', expected: 'object', input: value }));
    return new Map();
  }
  for (const name of Object.keys(value)) {
    if (namePattern.test(name)) continue;
    report.addKey([section, name], nameSentence);
  }
  return new Map(Object.entries(value));
}

function checkEncryptionKey(
  root: Readonly<Record<string, unknown>>,
  connections: ReadonlyMap<string, unknown>,
  report: Report,
): void {
  if ('encryptionKey' in root) return;
  const [name] = [...connections].find(([, connection]) => isMapping(connection) && keepsTokens(connection)) ?? [];
  if (name === undefined) return;
  const message = `is required, because the tokens of connections.${name} are kept in the store; create one with: openssl rand -base64 32`;
  report.add(['encryptionKey'], message);
}

/** Where the file names syncs, apart from the names of webhooks. `*`: each entry of a list or mapping. */
const syncNames: readonly KeyPath[] = [
  ['server', 'tokens', '*', 'syncs', '*'],
  ['server', 'openId', 'roles', '*', '*', 'syncs', '*'],
  ['alerts', '*', 'syncs', '*'],
  ['reports', '*', 'sync'],
];

/** Reports each name that is not the name of a sync. */
function checkSyncNames(root: Readonly<Record<string, unknown>>, syncs: ReadonlyMap<string, unknown>, report: Report) {
  const known = [...syncs.keys()];
  const message = `is not the name of a sync; the syncs are: ${known.join(', ') || 'none'}`;
  const check = (value: unknown, [key, ...rest]: KeyPath, path: KeyPath): void => {
    if (key === undefined && typeof value === 'string' && !syncs.has(value)) report.add(path, message, known);
    for (const [name, part] of partsOf(value)) if (key === '*' || key === name) check(part, rest, [...path, name]);
  };
  for (const path of syncNames) check(root, path, []);
  const webhooks = isMapping(root.server) && isMapping(root.server.webhooks) ? root.server.webhooks : {};
  for (const name of Object.keys(webhooks)) {
    if (!syncs.has(name)) report.addKey(['server', 'webhooks', name], message, known);
  }
}

/** Reports approvals that no user can give: their changes would wait for ever. Members of a group are not counted. */
function checkApprovers({ approvals, server }: Readonly<Record<string, unknown>>, report: Report): void {
  const tokens = partsOf(isMapping(server) ? server.tokens : undefined);
  const names = tokens.map(([, token]) => (isMapping(token) ? `token:${token.name}` : ''));
  for (const [name, rule] of partsOf(approvals)) {
    if (!isMapping(rule) || !Array.isArray(rule.by)) continue;
    const path = ['approvals', name, 'by'];
    for (const [at, one] of rule.by.entries()) {
      if (!String(one).startsWith('token:') || names.includes(String(one))) continue;
      report.add([...path, at], `is not a token of server.tokens; they are: ${names.join(', ') || 'none'}`, names);
    }
    const some = new Set(rule.by.map(String));
    if (rule.by.some((one) => String(one).startsWith('group:')) || !(some.size < Number(rule.approvers))) continue;
    report.add(
      path,
      `names ${some.size} of the ${rule.approvers} approvers that each change needs; name more, or lower approvers`,
    );
  }
}

/** Returns the entries of a list or mapping, and none of anything else. */
function partsOf(value: unknown): readonly (readonly [key: string | number, part: unknown])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Array.isArray(value) ? [...value.entries()] : Object.entries(value);
}

/** Each name has one sync, now or formerly. */
function checkFormerNames(syncs: ReadonlyMap<string, unknown>, report: Report): void {
  const claimed = new Map<string, string>();
  for (const [name, sync] of syncs) {
    const former = isMapping(sync) ? sync.formerly : undefined;
    if (typeof former !== 'string') continue;
    const path = ['syncs', name, 'formerly'];
    const other = claimed.get(former);
    if (syncs.has(former))
      report.add(path, `is the name of a configured sync: ${former}; name a sync that no longer exists`);
    else if (other !== undefined)
      report.add(path, `is also the former name of syncs.${other}; it can move to one sync`);
    else claimed.set(former, name);
  }
}

function checkOutboxes(syncs: readonly SyncDraft[], report: Report): void {
  const owners = new Map<string, string>();
  for (const { name, path, outboxFolder } of syncs) {
    if (outboxFolder === undefined) continue;
    const owner = owners.get(outboxFolder);
    if (owner === undefined) owners.set(outboxFolder, name);
    else
      report.add([...path, 'outbox', 'folder'], `is also the outbox of syncs.${owner}; give each sync its own folder`);
  }
}

/** Reads the checked sections again through their schemas, which returns the whole with its types. */
function finish({
  root,
  connections,
  syncs,
}: Draft): Omit<Config, 'path' | 'folder' | 'plainText' | 'mappingOf' | 'withMapping'> {
  const { server, ...others } = z.strictObject(rootShape).parse(root, once);
  const connection = z.strictObject(connectionShape);
  const sync = z.strictObject(syncShape);
  const named = [...connections].map(([name, value]): [string, ConnectionSettings] => [
    name,
    connectionSettings(name, value, connection.parse(value, once)),
  ]);
  const read = [...syncs].flatMap(([name, { value, draft }]): [string, SyncConfig][] =>
    draft.source === undefined ? [] : [[name, syncConfig(draft, sync.parse(value, once), draft.source)]],
  );
  return {
    ...others,
    ...(server === undefined ? {} : { server: { ...server, webhooks: byName(Object.entries(server.webhooks)) } }),
    connections: byName(named),
    syncs: byName(read),
  };
}

/** Has no prototype, so that a lookup of `constructor` finds only an entry of that name. */
function byName<Value>(entries: readonly [string, Value][]): Readonly<Record<string, Value>> {
  return Object.freeze(Object.assign(Object.create(null), Object.fromEntries(entries)));
}

interface ReferenceSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder of the configuration file, from which `${file:…}` is resolved. */
  readonly folder: string;
  readonly readFile: (path: string) => Promise<string>;
}

// `$${` is a literal `${`. Any other unknown `${…}` is refused, because a typo would otherwise be sent as a token.
const pattern = /\$\$\{|\$\{([^{}]*)\}|\$\{/g;

/**
 * Replaces `${env:NAME}` and `${file:path}` in every text of `tree`, also inside longer texts. Reports and mutes the path
 * of a reference that cannot be resolved. JSONata texts may contain `${`.
 */
async function resolveReferences(tree: unknown, from: ReferenceSources, report: Report) {
  const secrets = new Set<string>();
  const walk = async (value: unknown, path: KeyPath): Promise<unknown> => {
    if (typeof value === 'string') return expand(value, path);
    if (Array.isArray(value)) return Promise.all(value.map((item, i) => walk(item, [...path, i])));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(async ([key, item]) => [key, await walk(item, [...path, key])] as const);
    return Object.fromEntries(await Promise.all(entries));
  };
  const expand = async (text: string, path: KeyPath): Promise<string> => {
    let result = '';
    let end = 0;
    for (const match of text.matchAll(pattern)) {
      result += text.slice(end, match.index);
      end = match.index + match[0].length;
      const value = await resolveOne(match, path);
      if (value === undefined) {
        report.mute(path);
        return text;
      }
      result += value;
    }
    return result + text.slice(end);
  };
  const resolveOne = async (match: RegExpExecArray, path: KeyPath): Promise<string | undefined> => {
    if (match[0] === '$${') return '${';
    const found = await lookUp(match[1] ?? '', from);
    if (found.kind === 'value') {
      secrets.add(found.value);
      return found.value;
    }
    const isScope = path.length === 3 && path[0] === 'syncs' && path[2] === 'scope';
    if (found.kind === 'unknown' && (isScope || path.at(-1) === 'expression')) return match[0];
    report.add(path, found.message);
    return undefined;
  };
  return { value: await walk(tree, []), secrets };
}

type Lookup =
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'absent' | 'unknown'; readonly message: string };

async function lookUp(reference: string, { env, folder, readFile }: ReferenceSources): Promise<Lookup> {
  const [, scheme, name] = /^(env|file):(.+)$/.exec(reference) ?? [];
  if (scheme === undefined || name === undefined) {
    const message = `contains an unknown \${…}; allowed are \${env:NAME} and \${file:path}, and $\${ for a literal \${`;
    return { kind: 'unknown', message };
  }
  if (scheme === 'env') {
    const value = env[name];
    if (value === undefined) {
      return {
        kind: 'absent',
        message: `the environment variable ${name} is not set; set it before you start Rollcall`,
      };
    }
    if (value === '') return { kind: 'absent', message: `the environment variable ${name} is set but empty` };
    return { kind: 'value', value };
  }
  try {
    const value = (await readFile(resolve(folder, name))).replace(/^\uFEFF/, '').replace(/[\r\n]+$/, '');
    return value === '' ? { kind: 'absent', message: `the file ${name} is empty` } : { kind: 'value', value };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
    return { kind: 'absent', message: `the file ${name} ${why}; its path is resolved from the configuration's folder` };
  }
}
