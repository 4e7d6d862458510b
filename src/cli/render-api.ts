import type { ApiAnswer, ApiOperation, ContractLine } from '../ports/api.ts';
import { formatCount } from './amounts.ts';
import { renderTable } from './render-table.ts';
import type { Style } from './style.ts';
import { clean, cleanLine } from './terminal-text.ts';

/** Identifying columns come first, then the order of the platform. */
const firstColumns = [
  ...['identification', 'code', 'id', 'name', 'title', 'firstName', 'lastName', 'email', 'enabled', 'status', 'type'],
  ...['area', 'assignedTo', 'startDate', 'endDate', 'comment', 'asMain', 'asSecondary'],
];
const shownColumns = 8;
const widestCell = 40;

/** Renders the answer of an operation: a list as a table, anything else as JSON. */
export function renderApiAnswer({ status, body }: ApiAnswer, { isWrite }: ApiOperation, style: Style): string {
  const rows = isObject(body) && Array.isArray(body.result) ? body.result : body;
  if (Array.isArray(rows) && rows.every(isObject)) return renderRows(rows, body, style);
  if (body === undefined || (isObject(body) && Object.keys(body).length === 0)) {
    return isWrite ? `done (${status})` : `nothing (${status})`;
  }
  return clean(JSON.stringify(body, undefined, 2));
}

function renderRows(rows: readonly Fields[], body: unknown, { colors }: Style): string {
  const total = isObject(body) && isObject(body.page) ? body.page.totalElements : undefined;
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

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPlain(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function cell(value: unknown): string {
  if (!isPlain(value)) return '';
  const text = cleanLine(String(value));
  return text.length > widestCell ? `${text.slice(0, widestCell - 1)}…` : text;
}

/** Renders every operation with its parameters, by part. */
export function renderApiList(operations: readonly ApiOperation[], { colors }: Style): string {
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

/** Renders one check: `✓ read success  200, body and headers as promised`. */
export function renderContractLine({ operation, check, result, detail }: ContractLine, { colors }: Style): string {
  const mark = { conforms: colors.green('✓'), skipped: colors.dim('-'), differs: colors.red('✗') }[result];
  return `${mark} ${colors.bold(`${operation} ${check}`)}  ${cleanLine(detail)}`;
}

/** Renders the number of checks per result. */
export function renderContractSum(lines: readonly ContractLine[]): string {
  const count = (result: ContractLine['result']) => lines.filter((line) => line.result === result).length;
  const skipped = count('skipped');
  const rest = skipped === 0 ? '' : `; ${formatCount(skipped, 'check')} skipped`;
  return `${count('conforms')} of ${formatCount(lines.length - skipped, 'check')} conform${rest}`;
}
