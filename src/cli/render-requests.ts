import type { RequestBudget } from '../core/run/request-budget.ts';
import {
  countsAbove,
  type RequestCounts,
  type RequestPurpose,
  requestPurposes,
  totalOf,
} from '../core/run/requests.ts';
import type { Run } from '../ports/store.ts';
import { formatCount, formatDuration, formatNumber } from './amounts.ts';

/** Renders `31 files, at most 560 requests, 1 min at 10/s`. */
export function renderBudget({ files, requests, perSecond, seconds }: RequestBudget): string {
  const sent = files === 0 ? '' : `${formatCount(files, 'file')}, `;
  // Whole minutes are precise enough for an estimate.
  const ms = seconds < 90 ? seconds * 1000 : Math.round(seconds / 60) * 60_000;
  return `${sent}at most ${formatCount(requests, 'request')}, ${formatDuration(ms)} at ${formatNumber(perSecond)}/s`;
}

/** Renders the requests of a run by purpose, and what came on top of its budget; empty before the first request. */
export function renderRequests({ requests, facts, endedAt }: Run): string[] {
  const total = totalOf(requests);
  if (total === 0) return [];
  const { budget, splits = 0 } = facts;
  const planned = budget === undefined ? '' : ` (planned: at most ${formatNumber(budget.requests)})`;
  const lines = [`${formatCount(total, 'request')}${planned}: ${renderPurposes(requests)}`];
  const above = budget === undefined ? 0 : total - budget.requests;
  if (budget === undefined || above <= 0) return lines;
  const split = splits === 0 ? '' : `; ${formatCount(splits, 'file was', 'files were')} split`;
  const word = endedAt === undefined ? 'more than planned so far' : 'more than planned';
  return [
    ...lines,
    `${formatNumber(above)} ${word}: ${renderPurposes(countsAbove(requests, budget.purposes))}${split}`,
  ];
}

function renderPurposes(counts: RequestCounts): string {
  return requestPurposes
    .filter((purpose) => counts[purpose] !== undefined)
    .map((purpose) => `${formatNumber(counts[purpose] ?? 0)} ${words[purpose]}`)
    .join(', ');
}

const words: Readonly<Record<RequestPurpose, string>> = {
  scan: 'scan',
  lookup: 'lookup',
  proof: 'proof',
  read: 'single reads',
  upload: 'upload',
  poll: 'poll',
  write: 'direct writes',
  token: 'token',
  other: 'other',
};
