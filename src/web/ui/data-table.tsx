import type { ReactNode } from 'react';
import { usePage } from '../state/page-context.tsx';
import { Link, pathTo } from '../state/router.tsx';

export interface Column<Row> {
  /** Empty: the column has no head. */
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** `head`: the cell names its row. `number`: to the right. */
  readonly kind?: 'head' | 'number';
  readonly className?: string;
  /** The tooltip of the head. */
  readonly hint?: string;
}

interface Props<Row> {
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** `undefined` and `null` are columns that this table does not have. */
  readonly columns: readonly (Column<Row> | undefined | null)[];
  /** `folding`: each row becomes a block on a narrow screen. `diff`: what differs, without a frame. `wide`: it scrolls. */
  readonly look?: 'folding' | 'diff' | 'wide';
  /** For assistive technology only. */
  readonly caption?: string;
  /** Shown when there is no row. */
  readonly empty?: ReactNode;
}

/** Shows rows as a table. Without any titles it has no head. */
export function DataTable<Row>({ rows, keyOf, columns, look = 'folding', caption, empty }: Props<Row>) {
  if (rows.length === 0 && empty !== undefined) return empty;
  const shown = columns.filter((column) => column !== undefined && column !== null);
  const table = (
    <table className={look === 'wide' ? undefined : look}>
      {caption === undefined ? null : <caption className="unseen">{caption}</caption>}
      {shown.every(({ title }) => title === '') ? null : (
        <thead>
          <tr>{shown.map((column, i) => headOf(column, i))}</tr>
        </thead>
      )}
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>{shown.map((column, i) => cellOf(column, row, i, look))}</tr>
        ))}
      </tbody>
    </table>
  );
  if (look === 'diff') return table;
  return <div className="table">{table}</div>;
}

function headOf<Row>({ title, kind, hint }: Column<Row>, key: number): ReactNode {
  if (title === '') return <td key={key} />;
  return (
    <th key={key} scope="col" title={hint} className={kind === 'number' ? 'number' : undefined}>
      {title}
    </th>
  );
}

function cellOf<Row>({ title, cell, kind, className }: Column<Row>, row: Row, key: number, look: string): ReactNode {
  const label = look === 'folding' ? title : undefined;
  const [Cell, more] =
    kind === 'head' ? (['th', { scope: 'row' }] as const) : (['td', { 'data-label': label }] as const);
  return (
    <Cell key={key} {...more} className={kind === 'number' ? 'number' : className}>
      {cell(row)}
    </Cell>
  );
}

interface PersonRow {
  readonly sync: string;
  readonly identification: string;
  readonly name: string | null;
}

/** The columns of a person. The name leads to the page that explains the person. */
export function usePersonColumns(): readonly Column<PersonRow>[] {
  const { name: title, identification: id } = usePage().t.changes.columns;
  return [
    {
      title,
      kind: 'head',
      cell: ({ sync, identification, name }) => (
        <Link to={pathTo('people', sync, identification)}>{name || identification}</Link>
      ),
    },
    { title: id, cell: ({ identification }) => identification },
  ];
}

/** A value in a table of differences: what goes, what comes, or what is. */
export function Value({ text, as: Mark }: { readonly text: string | undefined; readonly as?: 'del' | 'ins' }) {
  const { t } = usePage();
  if (text === undefined || text === '') return <span className="faint">{t.changes.blank}</span>;
  return Mark === undefined ? text : <Mark>{text}</Mark>;
}
