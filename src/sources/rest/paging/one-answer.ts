import { inQuery, type Paging } from './paging.ts';

/** No paging: the first answer is the only one. */
export function oneAnswer(): Paging {
  return { first: inQuery({}), overlap: 0, next: () => ({ kind: 'end', why: 'one answer holds all employees' }) };
}
