import { compileSourcePath } from '../../core/person/source-path.ts';
import { RollcallError } from '../../core/run/errors.ts';
import { isRecord } from '../../drivers/http/json-text.ts';
import type { SourceClient } from '../kit/http/source-client.ts';
import { compileListPath } from './answer-path.ts';
import type { ReadySettings } from './list-schema.ts';
import { type List, nameOf, urlOf } from './read-list.ts';
import { compileCondition } from './to-employee.ts';

/** What the HR system reports about its own data at one moment. */
export interface Readiness {
  readonly doubts: readonly string[];
  /** Changes when the data is rebuilt. */
  readonly state: string;
}

/** Checks whether the data is complete. A cache that is still being filled answers 200 with few people. */
export async function checkReadiness(ready: ReadySettings, main: List, client: SourceClient): Promise<Readiness> {
  const { baseUrl, headers } = main;
  const name = nameOf({ baseUrl, method: 'GET', path: ready.path });
  const answer = await client.json({ name, url: urlOf(baseUrl, ready.path, ready.query), headers });
  const list = compileListPath(ready.items)(answer);
  if (!Array.isArray(list)) {
    const message = `${name} was answered, but without a list at ${ready.items}. Check \`ready.items\`.`;
    throw new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
  }
  const entry = list.filter(isRecord).find(compileCondition(ready.where));
  if (entry === undefined) {
    const which = Object.entries(ready.where).map(([path, text]) => `${path} ${text}`);
    return { doubts: [`${name} reports nothing about ${which.join(', ')}`], state: '' };
  }
  const doubts = Object.entries(ready.expect).flatMap(([path, wanted]) => {
    const said = compileSourcePath(path)(entry);
    return String(said) === String(wanted) ? [] : [`${name} reports a ${path} other than ${wanted}`];
  });
  return { doubts, state: JSON.stringify(ready.unchanged.map((path) => compileSourcePath(path)(entry) ?? null)) };
}
