type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the employment that counts, of several (rehire, conversion, global assignment). Global assignments (GA)
 * count only where there is nothing else. Then a current one counts, the latest started; else the next to start; else
 * the latest started.
 */
export function chooseEmployment(employments: readonly Fields[], today: string): Fields | undefined {
  const home = employments.filter(({ assignmentClass }) => assignmentClass !== 'GA');
  return inEffect(home.length > 0 ? home : employments, today);
}

/** Returns whether the employment is at home: the end of a global assignment does not end the employment. */
export function isHome(employment: Fields | undefined): boolean {
  return employment !== undefined && employment.assignmentClass !== 'GA';
}

/** Returns of rows with `startDate` and `endDate` the current one, else the next one, else the last one. */
export function inEffect(rows: readonly Fields[], today: string): Fields | undefined {
  const current = rows.filter((row) => start(row) <= today && (end(row) === '' || end(row) >= today));
  if (current.length > 0) return latest(current);
  const later = rows.filter((row) => start(row) > today);
  if (later.length > 0) return later.reduce((first, row) => (start(row) < start(first) ? row : first));
  return rows.length > 0 ? latest(rows) : undefined;
}

/** Several changes of one day have sequence numbers; the highest one is valid. */
function latest(rows: readonly Fields[]): Fields {
  return rows.reduce((last, row) => {
    if (start(row) !== start(last)) return start(row) > start(last) ? row : last;
    return Number(row.seqNumber ?? 0) > Number(last.seqNumber ?? 0) ? row : last;
  });
}

function start(row: Fields): string {
  return typeof row.startDate === 'string' ? row.startDate : '';
}

function end(row: Fields): string {
  return typeof row.endDate === 'string' ? row.endDate : '';
}
