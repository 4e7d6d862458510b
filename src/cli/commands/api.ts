import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import { PlatformError, RollcallError, usageError } from '../../core/run/errors.ts';
import { given, isMapping } from '../../core/run/given.ts';
import type { ApiAnswer, ApiOperation, ApiRequest, ApiTarget } from '../../ports/api.ts';
import type { CommandRow } from '../command.ts';
import { confirmOption } from '../options.ts';
import { fromHere, printDeclined, type Shell } from '../shell.ts';
import { clean, cleanLine, renderTable, type Style } from '../terminal.ts';

interface CallOptions {
  readonly connection?: string;
  readonly body?: string;
  readonly file?: string;
  readonly acceptLanguage?: string;
  readonly all?: boolean;
  readonly yes?: boolean;
}

/** Returns one command per operation of the platform's API, from the table of operations. */
export function operationRows(operations: readonly ApiOperation[]): readonly CommandRow[] {
  const parts = [...new Set(operations.map(({ part }) => part))];
  return parts.flatMap((part) => [
    { words: `api ${part}`, meaning: `operations on ${part}` },
    ...operations.filter((operation) => operation.part === part).map(operationRow),
  ]);
}

export async function listOperations(
  shell: Shell,
  _words: readonly string[],
  { list }: { readonly list?: true },
  command: Command,
): Promise<number> {
  // The help refuses words that are no commands.
  if (list !== true) return command.help({ error: true });
  const operations = await shell.io.apiOperations();
  return shell.answer({ operations }, renderApiList(operations, shell.style));
}

export function refuseTokens(): never {
  const message = 'the store keeps the tokens of a connection: use rollcall token refresh or token revoke';
  throw usageError(message);
}

function operationRow(operation: ApiOperation): CommandRow {
  const { part, verb, summary, method, path, body, isList, isWrite } = operation;
  const parameters = operation.parameters.map(({ name, place, description, otherwise }) => {
    const hint = otherwise === undefined ? '' : ` (the platform's default: ${otherwise})`;
    const option = new Option(`--${name} <value>`, `${description}${hint}`).makeOptionMandatory(place === 'path');
    return { name, option };
  });
  return {
    words: `api ${part} ${verb}`,
    meaning: `${summary} (${method} ${path})`,
    options: [
      ['--connection <name>', 'the connection; required when there are several'],
      ...parameters.map(({ option }) => option),
      ...(body === 'json' ? [required('--body <json>', 'JSON, or @ and the name of a JSON file')] : []),
      ...(body === 'file' ? [required('--file <path>', 'the CSV file to send')] : []),
      ['--accept-language <languages>', 'the languages to request, such as es (default: dialect.acceptLanguage)'],
      ...(isList ? [['--all', 'read all pages of the list'] as const] : []),
      ...(isWrite ? [confirmOption] : []),
    ],
    body: async () => (shell: Shell, given: CallOptions & Readonly<Record<string, unknown>>) => {
      const values = parameters.map(({ name, option }) => [name, given[option.attributeName()]] as const);
      const told = Object.fromEntries(values.filter((pair): pair is [string, string] => typeof pair[1] === 'string'));
      return call(shell, operation, told, given);
    },
  };
}

function required(flags: string, meaning: string): Option {
  return new Option(flags, meaning).makeOptionMandatory();
}

async function call(
  shell: Shell,
  operation: ApiOperation,
  parameters: ApiRequest['parameters'],
  { connection, body, file, acceptLanguage, all = false, yes = false }: CallOptions,
): Promise<number> {
  const request: ApiRequest = {
    ...{ operation: operation.id, parameters, all },
    ...given({
      ...{ connection, acceptLanguage },
      body: body === undefined ? undefined : await readBody(shell, body),
      file: file === undefined ? undefined : { path: fromHere(shell.io, file), name: basename(file) },
    }),
  };
  const answer = await shell.withApp({}, async (app) => {
    if (operation.isWrite && !yes) {
      const question = await questionOf(operation, request, await app.platformApi.target(request, shell.signal));
      if (!(await shell.confirm(question))) return undefined;
    }
    return app.platformApi.call(request, shell.signal).catch((error: unknown) => tellAnswer(shell, error));
  });
  if (answer === undefined) return printDeclined(shell);
  return shell.answer({ ...answer, body: answer.body ?? null }, renderApiAnswer(answer, operation, shell.style));
}

/** Prints what the platform said to the operator who asked, and throws the error. `--raw` prints the whole answer. */
function tellAnswer({ io }: Shell, error: unknown): never {
  const { title, detail, message } = (error instanceof PlatformError ? error.answer : undefined) ?? {};
  const said = [title, detail ?? message].filter((text) => text !== undefined).map(cleanLine);
  if (said.length > 0) io.stderr.write(`the platform says: ${said.join(': ')}\n`);
  throw error;
}

/** Full provisioning is the one call that can disable all users, so its confirmation says so. */
async function questionOf(
  { part, verb }: ApiOperation,
  { file }: ApiRequest,
  { connection, baseUrl, now }: ApiTarget,
): Promise<string> {
  const what = `${part} ${verb} on ${connection} (${baseUrl})${now === undefined ? '.' : `: ${cleanLine(now)}.`}`;
  if (file === undefined) return `${what} Send it?`;
  const [header = ''] = (await readText(file.path)).split(/\r?\n/, 1);
  const isPartial = /^\uFEFF?"?command"?\s*([,;|\t]|$)/i.test(header);
  if (isPartial) return `${what} Send the file?`;
  return `${what} The file has no command column: every user who is not in it is DISABLED. Send it?`;
}

async function readBody(shell: Shell, text: string): Promise<string> {
  const isFile = text.startsWith('@');
  const json = isFile ? await readText(fromHere(shell.io, text.slice(1))) : text;
  try {
    JSON.parse(json);
    return json;
  } catch {
    const where = isFile ? `the file ${text.slice(1)}` : '--body';
    throw usageError(`${where} is not valid JSON`);
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new RollcallError(`the file ${path} cannot be read`, { code: 'USAGE', cause: error });
  }
}

/** Identifying columns come first, then the order of the platform. */
const firstColumns = [
  ...['identification', 'code', 'id', 'name', 'title', 'firstName', 'lastName', 'email', 'enabled', 'status', 'type'],
  ...['area', 'assignedTo', 'startDate', 'endDate', 'comment', 'asMain', 'asSecondary'],
];
const shownColumns = 8;
const widestCell = 40;

/** Renders the answer of an operation: a list as a table, anything else as JSON. */
export function renderApiAnswer({ status, body }: ApiAnswer, { isWrite }: ApiOperation, style: Style): string {
  const rows = isMapping(body) && Array.isArray(body.result) ? body.result : body;
  if (Array.isArray(rows) && rows.every(isMapping)) return renderRows(rows, body, style);
  if (body === undefined || (isMapping(body) && Object.keys(body).length === 0)) {
    return isWrite ? `done (${status})` : `nothing (${status})`;
  }
  return clean(JSON.stringify(body, undefined, 2));
}

function renderRows(rows: readonly Fields[], body: unknown, { colors }: Style): string {
  const total = isMapping(body) && isMapping(body.page) ? body.page.totalElements : undefined;
  const count = typeof total === 'number' && total > rows.length ? `${rows.length} of ${total}` : String(rows.length);
  if (rows.length === 0) return 'nothing found';
  const names = [...new Set(rows.flatMap((row) => Object.keys(row).filter((name) => isPlain(row[name]))))];
  const columns = [...new Set([...firstColumns.filter((name) => names.includes(name)), ...names])].slice(
    0,
    shownColumns,
  );
  const head = columns.map((name) => colors.bold(name));
  const table = renderTable([head, ...rows.map((row) => columns.map((name) => cell(row[name])))]);
  return `${table}\n${colors.dim(`${count} shown; every field with --json`)}`;
}

type Fields = Readonly<Record<string, unknown>>;

function isPlain(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function cell(value: unknown): string {
  if (!isPlain(value)) return '';
  const text = cleanLine(String(value));
  return text.length > widestCell ? `${text.slice(0, widestCell - 1)}…` : text;
}

/** Renders every operation with its parameters, by part. */
function renderApiList(operations: readonly ApiOperation[], { colors }: Style): string {
  const parts = [...new Set(operations.map(({ part }) => part))];
  return parts
    .map((part) => {
      const own = operations.filter((operation) => operation.part === part);
      const lines = own.map(
        (operation) =>
          `  ${colors.bold(`${part} ${operation.verb}`)}  ${operation.summary}\n    ${colors.dim(`${operation.method} ${operation.path}`)}${words(operation)}`,
      );
      return `${part}\n${lines.join('\n')}`;
    })
    .join('\n\n');
}

function words({ parameters, body, isList, isWrite }: ApiOperation): string {
  const options = [
    ...parameters.map(({ name, place }) => (place === 'path' ? `--${name} VALUE` : `[--${name} VALUE]`)),
    ...(body === 'json' ? ['--body JSON|@FILE'] : body === 'file' ? ['--file PATH'] : []),
    ...(isList ? ['[--all]'] : []),
    ...(isWrite ? ['[--yes]'] : []),
  ];
  return options.length === 0 ? '' : `\n    ${options.join(' ')}`;
}
