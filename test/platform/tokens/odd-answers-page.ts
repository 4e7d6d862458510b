import { type Cell, oddCases, times } from './odd-answers.ts';

const begin = '<!-- table: npm run docs -->';
const end = '<!-- end of table -->';

/** Replaces the generated tables of docs/tokens.md. */
export function withOddAnswers(page: string, cells: readonly Cell[]): string {
  const [before = '', rest = ''] = page.split(begin);
  const [, after = ''] = rest.split(end);
  return `${before}${begin}\n\n${renderNext(cells)}\n\n### What \`token status\` says\n\n${renderReasons(cells)}\n\n${end}${after}`;
}

function renderNext(cells: readonly Cell[]): string {
  const head = ['answer', 'time', 'presented next', 'killed before storing', 'killed after storing', 'alert'];
  const find = (name: string, time: number, kill: Cell['kill']) =>
    cells.find((cell) => cell.case.name === name && cell.time === time && cell.kill === kill);
  const rows = oddCases.flatMap(({ name }) =>
    times.map((time) => {
      const shown = (['none', 'before', 'after'] as const).map((kill) => renderCell(find(name, time, kill)));
      return [name, `${time}.`, ...shown, find(name, time, 'none')?.alert ?? ''];
    }),
  );
  return table(head, rows);
}

function renderReasons(cells: readonly Cell[]): string {
  const rows = oddCases.map(({ name }) => {
    const cell = cells.find((one) => one.case.name === name && one.time === 1 && one.kill === 'none');
    return `- **${name.charAt(0).toUpperCase()}${name.slice(1)}**: \`${cell?.state}\`.${sentence(cell?.reason)}`;
  });
  return `Each first answer, with the state and the reason:\n\n${rows.join('\n')}`;
}

function sentence(reason: string | undefined): string {
  return reason === undefined ? '' : ` ${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}

const tokens = { same: 'the same token', new: 'the new token', none: 'nothing' } as const;
const ends = { granted: 'works', 'invalid-grant': 'refused, `REAUTH_REQUIRED`' } as const;

function renderCell(cell: Cell | undefined): string {
  if (cell === undefined) return '';
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

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
