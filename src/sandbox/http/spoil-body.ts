import type { StruckFaults } from '../faults/struck-faults.ts';

export interface WireAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string | undefined;
}

const maintenancePage = '<!doctype html><html><body><h1>Under maintenance</h1></body></html>';

/** Applies the faults to the answer. */
export function spoilBody(answer: WireAnswer, faults: StruckFaults): WireAnswer {
  const status = faults.number('page');
  if (status !== undefined) return { status, type: 'text/html; charset=utf-8', body: maintenancePage };
  const instead = faults.text('instead');
  if (instead !== undefined) return { status: 200, type: 'application/json', body: instead };
  if (faults.has('html')) return { status: 200, type: 'text/html; charset=utf-8', body: maintenancePage };
  if (faults.has('empty')) return { ...answer, status: 200, body: '' };
  let body = answer.body;
  if (body === undefined) return answer;
  body = mergeMembers(spoilRows(body, faults), faults.text('merge'));
  if (faults.has('truncate-json')) body = body.slice(0, Math.floor(body.length / 2));
  const extra = faults.number('huge');
  if (extra !== undefined) body += ' '.repeat(Math.max(0, extra));
  if (faults.has('bom')) body = `\uFEFF${body}`;
  return { ...answer, body };
}

function mergeMembers(body: string, patch: string | undefined): string {
  if (patch === undefined) return body;
  const merged = { ...(JSON.parse(body) as object), ...(JSON.parse(patch) as object) };
  return JSON.stringify(Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null)));
}

function spoilRows(body: string, faults: StruckFaults): string {
  if (!faults.has('missing-page') && !faults.has('duplicate-row') && !faults.has('null-row')) return body;
  const content = JSON.parse(body) as { result?: unknown };
  if (!Array.isArray(content.result)) return body;
  let rows: unknown[] = content.result;
  if (faults.has('missing-page')) rows = [];
  if (faults.has('duplicate-row')) rows = rows.map((row, i) => (i === rows.length - 1 ? rows[0] : row));
  if (faults.has('null-row')) rows = rows.map((row, i) => (i === 0 ? null : row));
  return JSON.stringify({ ...content, result: rows });
}
