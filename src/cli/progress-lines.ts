import { formatInstant } from '../core/run/instant.ts';
import type { ProgressEvent } from '../ports/runtime.ts';
import { formatCount, formatDuration, formatNumber } from './amounts.ts';
import type { ProgressView } from './progress-view.ts';
import { cleanLine } from './terminal-text.ts';

/**
 * Writes one plain line per step, for logs and mails. A step that counts reports at its end how far it came. A batch is
 * reported before it is sent, because that is what the operator needs when nothing follows.
 */
export function openProgressLines(write: (line: string) => void): ProgressView {
  let last: ProgressEvent | undefined;
  let shown: string | undefined;
  const close = () => {
    if (last === undefined) return;
    const line = endLine(last);
    if (line !== undefined) write(line);
    last = undefined;
  };
  return {
    progress(event) {
      if (last?.step !== event.step) close();
      last = event;
      const line = startLine(event);
      if (line === undefined || line === shown) return;
      shown = line;
      write(line);
    },
    end: close,
  };
}

function endLine(event: ProgressEvent): string | undefined {
  switch (event.step) {
    case 'reading':
      return `read ${formatCount(event.rows, 'row')} from the source`;
    case 'scanning':
      // Before the first page there is nothing to count, also when that page never comes.
      return event.total === undefined && event.users === 0
        ? undefined
        : `scanned ${outOf(event.users, event.total)} on the platform`;
    case 'planning':
      return `compared ${formatCount(event.decided, 'person', 'people')} in detail`;
    case 'reading-back':
      return `read back ${outOf(event.users, event.total)}`;
    case 'waiting':
    case 'continuing':
    case 'queued':
    case 'retrying':
    case 'looking-up':
    case 'delivering':
    case 'proving':
    case 'not-shown':
      return undefined;
  }
}

function startLine(event: ProgressEvent): string | undefined {
  if (event.step === 'waiting') return waitingLine(event);
  if (event.step === 'continuing') return continuingLine(event);
  if (event.step === 'queued') return queuedLine(event);
  if (event.step === 'retrying') return retryingLine(event);
  if (event.step === 'looking-up') return `looking up ${formatCount(event.total, 'user')} before sending`;
  if (event.step === 'delivering') {
    return `delivering batch ${event.batch} of ${event.batches}: ${formatCount(event.changes, 'change')}`;
  }
  if (event.step === 'proving')
    return `status of batch ${event.batch}: ${cleanLine(event.status)}${fileWaitWords(event)}`;
  if (event.step === 'not-shown') return notShownLine(event);
  return undefined;
}

function outOf(users: number, total: number | undefined): string {
  return total === undefined || total === users
    ? formatCount(users, 'user')
    : `${formatNumber(users)} of ${formatCount(total, 'user')}`;
}

/** Returns since when and until when a file is waited for. Repeated polls return the same words. */
function fileWaitWords({ wait }: Extract<ProgressEvent, { step: 'proving' }>): string {
  if (wait === undefined) return '';
  const { sinceMs, untilMs } = wait;
  return `, sent at ${formatInstant(sinceMs)}; polled until ${formatInstant(untilMs)}, then its users are read back (settle.deadline)`;
}

/** Waits of this length say that the operator need not wait for their end (ms). */
const longWaitMs = 60_000;

/** Returns when a retry comes, when the run gives up, and why. Without it, a long wait looks like a hang. */
export function retryingLine({ afterMs, atMs, untilMs, reason }: Extract<ProgressEvent, { step: 'retrying' }>): string {
  const end = untilMs === undefined ? '' : `, until ${formatInstant(untilMs)} at the latest`;
  const safe = afterMs < longWaitMs ? '' : '; Ctrl-C is safe, the run continues later';
  return `retrying at ${formatInstant(atMs)} (in ${formatDuration(afterMs)}${end}${safe}): ${cleanLine(reason)}`;
}

/** Returns why the process waits. Repeated events return the same words, so that they are written once. */
function waitingLine({ run }: Extract<ProgressEvent, { step: 'waiting' }>): string {
  return `waiting: another process works on run ${cleanLine(run)}. If that process has died, this one continues within seconds.`;
}

/** Returns which run is continued, because its report comes before the one of the requested run. */
export function continuingLine({ run, startedAt }: Extract<ProgressEvent, { step: 'continuing' }>): string {
  return `continuing run ${cleanLine(run)} of ${formatInstant(startedAt)}, which was interrupted`;
}

/** Returns how many runs are served first. Files of one connection go one at a time. */
export function queuedLine({ ahead }: Extract<ProgressEvent, { step: 'queued' }>): string {
  return `waiting for its turn: ${formatCount(ahead, 'other run')} of this connection ${ahead === 1 ? 'sends' : 'send'} a file first`;
}

/** Returns what is waited for, and until when. Repeated events return the same words, so that they are written once. */
export function notShownLine({ changes, untilMs }: Extract<ProgressEvent, { step: 'not-shown' }>): string {
  const what = `the platform does not show ${formatCount(changes, 'change')} yet`;
  return `${what}: reading back again until ${formatInstant(untilMs)} at the latest`;
}
