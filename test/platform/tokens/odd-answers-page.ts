import { type Cell, oddCases, times } from './odd-answers.ts';

const begin = '<!-- table: npm run docs -->';
const end = '<!-- end of table -->';
const head = ['answer', 'time', 'presented next', 'killed before storing', 'killed after storing', 'alert'];

/** Replaces the generated tables of docs/tokens.md. */
export function withOddAnswers(page: string, cells: readonly Cell[]): string {
  const [before = '', rest = ''] = page.split(begin);
  const [, after = ''] = rest.split(end);
  const table = [line(head), line(head.map(() => '---')), ...rowsOf(cells)].join('\n');
  const reasons = `Each first answer, with the state and the reason:\n\n${reasonsOf(cells).join('\n')}`;
  return `${before}${begin}\n\n${table}\n\n### What \`token status\` says\n\n${reasons}\n\n${end}${after}`;
}

/** Returns the lines of the page that these cells make. */
export function linesOf(cells: readonly Cell[]): readonly string[] {
  return [...rowsOf(cells), ...reasonsOf(cells)];
}

/** The cells that were run, by case and time. */
function rowsOf(cells: readonly Cell[]): readonly string[] {
  return oddCases.flatMap(({ name }) =>
    times.flatMap((time) => {
      const own = cells.filter((cell) => cell.case.name === name && cell.time === time);
      const [shown] = own;
      return shown === undefined ? [] : [line([name, `${time}.`, ...own.map(renderCell), shown.alert])];
    }),
  );
}

function reasonsOf(cells: readonly Cell[]): readonly string[] {
  const first = cells.filter(({ time, kill }) => time === 1 && kill === 'none');
  return first.map(
    ({ case: { name }, state, reason }) =>
      `- **${name.charAt(0).toUpperCase()}${name.slice(1)}**: \`${state}\`.${sentence(reason)}`,
  );
}

function sentence(reason: string | undefined): string {
  return reason === undefined ? '' : ` ${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}

const tokens = { same: 'the same token', new: 'the new token', none: 'nothing' } as const;
const ends = { granted: 'works', 'invalid-grant': 'refused, `REAUTH_REQUIRED`' } as const;

function renderCell(cell: Cell): string {
  if (cell.next === 'none') return 'nothing: `REAUTH_REQUIRED`';
  const end = cell.end === 'granted' || cell.end === 'invalid-grant' ? ends[cell.end] : cell.end;
  return `${tokens[cell.next]}, ${duration(cell.waitMs)}: ${end}`;
}

function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const rest = seconds % 60;
  return rest === 0 ? `${seconds / 60} min` : `${Math.floor(seconds / 60)} min ${rest} s`;
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
