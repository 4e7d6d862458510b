import { operations } from '../../src/platform/table/operations.ts';
import type { ContractLine } from '../platform/contract-suite/checks.ts';
import { contractSubjects } from '../platform/contract-suite/subjects.ts';

const statuses = [400, 401, 403, 404, 406, 500] as const;

const head = `# Coverage of the platform's API

The contract suite (\`test/platform/contract-suite\`) generates this page. The tests run the suite against the sandbox, and a test fails
when this page differs from the results.

- _client_: the typed method of \`rollcall/platform\`.
- _sandbox_: whether the sandbox answers that method, and a plain HTTP call, as the contract says: status, body and headers.
- _success_: the status of a success.
- _lists_: whether defaults and paging were checked.
- An error status is \`provoked\` when the sandbox refuses a wrong call. It is \`injected\` when the suite tells the sandbox to answer
  with it. In both cases the client must throw the right error. A dash means that the contract does not list the status.

`;

/** Renders docs/platform-api-coverage.md from the results of the suite. */
export function renderCoverage(lines: readonly ContractLine[]): string {
  const seen = (operation: string, check: string): ContractLine | undefined =>
    lines.find((line) => line.operation === operation && line.check === check);
  const rows = operations.map(({ id, part, method, path, successStatus, errorStatuses, assumed }) => [
    part,
    `\`${id}\``,
    `\`${method} ${path}\`${assumed === undefined ? '' : ` (assumed: ${assumed})`}`,
    `\`${contractSubjects.find((subject) => subject.id === id)?.method}\``,
    [seen(id, 'success'), seen(id, 'client')].every((line) => line?.result === 'conforms') ? 'conforms' : 'differs',
    seen(id, 'success')?.result === 'conforms' ? String(successStatus) : (seen(id, 'success')?.result ?? 'not tried'),
    describeLists(seen(id, 'defaults'), seen(id, 'paging')),
    ...statuses.map((status) => (errorStatuses.includes(status) ? describeError(seen(id, String(status))) : '-')),
  ]);
  const columns = ['part', 'operation', 'call', 'client', 'sandbox', 'success', 'lists', ...statuses.map(String)];
  return `${head}${renderMarkdownTable([columns, ...rows])}\n`;
}

function describeLists(...lines: readonly (ContractLine | undefined)[]): string {
  const made = lines.filter((line) => line !== undefined);
  if (made.length === 0) return '-';
  const last = made.at(-1);
  return made.every(({ result }) => result === 'conforms') ? (last?.detail ?? '') : 'differs';
}

function describeError(line: ContractLine | undefined): string {
  return line?.result === 'conforms' ? line.detail : (line?.result ?? 'not tried');
}

/** Writes a table like the formatter, with padded cells. */
function renderMarkdownTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) => `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  const [first = [], ...rest] = rows;
  return [line(first), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rest.map(line)].join('\n');
}
