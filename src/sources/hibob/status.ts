import { compileSourcePath } from '../../core/person/source-path.ts';
import type { EmploymentStatus } from '../kit/status.ts';
import { dayOf, plainDate } from '../kit/status.ts';

/** Meaning of lifecycle statuses, by name. */
export type StatusMeanings = Readonly<Record<string, EmploymentStatus>>;

export const statusInputs: readonly string[] = [
  'internal.lifecycleStatus',
  'internal.status',
  'work.startDate',
  'internal.terminationDate',
];

/**
 * Compiles the status of a person on a day; undefined when neither status is visible. The first row that matches:
 *
 * | lifecycle status        | status     | dates                     | is         |
 * |-------------------------|------------|---------------------------|------------|
 * | named in `meanings`     | any        | any                       | as named   |
 * | hired                   | any        | any                       | prehire    |
 * | terminated              | Active     | any                       | unknown    |
 * | terminated              | any other  | any                       | terminated |
 * | any other               | Inactive   | terminated, to this day   | terminated |
 * | any other               | Inactive   | any                       | unknown    |
 * | holds the word leave    | any other  | any                       | leave      |
 * | employed                | any other  | any                       | active     |
 * | not visible, or empty   | Active     | starts after today        | prehire    |
 * | not visible, or empty   | Active     | any other                 | active     |
 *
 * Everything else is unknown: a lifecycle status of the company's own means what `meanings` says, or nothing.
 */
export function lifecycleReader(
  meanings: StatusMeanings,
  today: string,
): (person: Readonly<Record<string, unknown>>) => EmploymentStatus | undefined {
  const own = new Map(Object.entries(meanings).map(([name, meaning]) => [word(name), meaning]));
  const [readLifecycle, readStatus, readStart, readEnd] = statusInputs.map(compileSourcePath);
  return (person) => {
    const [lifecycle, status] = [readLifecycle?.(person), readStatus?.(person)];
    if (lifecycle === undefined && status === undefined) return undefined;
    const [stage, state] = [word(lifecycle), word(status)];
    const named = own.get(stage);
    if (named !== undefined) return named;
    if (stage === 'hired') return 'prehire';
    if (stage === 'terminated') return state === 'active' ? 'unknown' : 'terminated';
    if (state === 'inactive') {
      const left = dayOf(plainDate(readEnd?.(person)));
      return left !== '' && left <= today ? 'terminated' : 'unknown';
    }
    if (/\bleave\b/.test(stage)) return 'leave';
    if (stage === 'employed') return 'active';
    if (stage !== '' || state !== 'active') return 'unknown';
    return dayOf(plainDate(readStart?.(person))) > today ? 'prehire' : 'active';
  };
}

/** `Garden Leave`, `garden_leave` and `gardenLeave` are the same status. */
function word(value: unknown): string {
  return String(value ?? '')
    .trim()
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[\s_-]+/g, ' ')
    .toLowerCase();
}
