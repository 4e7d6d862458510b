import { isMapping } from '../run/given.ts';

/**
 * What answers hold beside their list, compared with those of the last accepted read. Nothing is known by its name, but
 * for totals of a first read: a member says something if it is new, or if it says another thing than before.
 *
 *   what changed                                  the list is as long as before    it is shorter, or a total is larger
 *   a flag or word that was always the same       not complete                     not complete
 *   a new object, list, error text, code of 400+  no person is missing, see `unsure`  not complete
 *   any other new member                          a note                           no person is missing
 *   null, false, 0, blank, empty                  nothing                          nothing
 */

/** What the answers of a read held, by the name of the request. */
export type AnswerProfile = Readonly<Record<string, RequestProfile>>;

interface RequestProfile {
  readonly places: readonly Place[];
  readonly members: Readonly<Record<string, MemberProfile>>;
}

type Place = 'only' | 'first' | 'middle' | 'last';

/** A member of an answer: `meta.total`, or a header. */
interface MemberProfile {
  /** What it said, by the place of the page: see `codeOf`. `varies`: not always the same. */
  readonly at: Readonly<Partial<Record<Place, string>>>;
  /** It was the number of people. */
  readonly isTotal?: true;
}

/** Why a read is doubted, in words without texts of the answer. */
export interface AnswerDoubts {
  /** The read is not complete. */
  readonly gaps: readonly string[];
  /** No person is counted as missing until a second read has the same doubts or a person approves the read. */
  readonly unsure: readonly string[];
  readonly notes: readonly string[];
}

export interface AnswerFacts {
  readonly now: AnswerProfile;
  /** How many people each list had. Absent: the list is not counted. */
  readonly counts: ReadonlyMap<string, ListCount>;
  /** The last accepted read. */
  readonly before: AnswerProfile | undefined;
  /** Whether all people have become fewer; undefined for a read of some. */
  readonly isShorter: boolean | undefined;
}

/** `advice`: what to set where a total is larger. */
export interface ListCount {
  readonly people: number;
  readonly advice: string;
}

const varies = '*';
const [object, list, text] = ['{}', '[]', 'text'];
const nothing = ['', 'false', '0'];

const word = /^\p{L}[\p{L}_-]{0,23}$/u;
/** A sentence, or words joined by signs. An address, an id and a date have no two words side by side. */
const sentence = /\p{L}{2}[^\p{L}\d]{1,3}\p{L}{2}/u;
const address = /^\w+:\/\/|^[/?]/;

/** Returns what is compared of a value: flags, words and numbers as they are, others by their class. */
function codeOf(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '' : list;
  if (isMapping(value)) return Object.keys(value).length === 0 ? '' : object;
  const written = value === null || value === undefined ? '' : String(value).trim();
  if (typeof value !== 'string' || written === '' || /^\d{1,15}$/.test(written)) return written;
  if (word.test(written)) return `=${written.toLowerCase()}`;
  return sentence.test(written) && !address.test(written) ? `${text} ` : text;
}

const isSignal = (code: string): boolean => code === 'true' || code === 'false' || code.startsWith('=');
const isNothing = (code: string): boolean => nothing.includes(code);
const numberIn = (code: string | undefined): number => (code === undefined || code === '' ? Number.NaN : Number(code));

/** An error, if nothing like it was there before. */
function mayBeError(code: string): boolean {
  return code === object || code === list || code === `${text} ` || code.startsWith('=') || numberIn(code) >= 400;
}

const deepest = 3;
const mostMembers = 200;
const mostRequests = 50;
/** An object with more members is keyed by data. */
const mostInObject = 30;

function* membersOf(answer: unknown, path = '', depth = 1): Generator<readonly [string, string]> {
  if (!isMapping(answer)) return;
  for (const [name, value] of Object.entries(answer).slice(0, mostInObject)) {
    yield [`${path}${name}`, codeOf(value)];
    if (depth < deepest) yield* membersOf(value, `${path}${name}.`, depth + 1);
  }
}

/** Collects what the answers of one read hold. */
export function openAnswers() {
  const requests = new Map<string, { pages: number; last: readonly (readonly [string, string])[]; kept: Kept }>();
  const keep = (kept: Kept, place: Place, members: readonly (readonly [string, string])[]): void => {
    kept.places.add(place);
    for (const [path, code] of members) {
      const at = kept.members.get(path) ?? {};
      at[place] = at[place] === undefined || at[place] === code ? code : varies;
      kept.members.set(path, at);
    }
  };
  return {
    /** Takes the next answer to a request. */
    see(name: string, answer: unknown): void {
      const known = requests.get(name) ?? { pages: 0, last: [], kept: { places: new Set(), members: new Map() } };
      if (!requests.has(name) && requests.size >= mostRequests) return;
      requests.set(name, known);
      if (known.pages > 0) keep(known.kept, known.pages === 1 ? 'first' : 'middle', known.last);
      known.pages += 1;
      known.last = [...membersOf(answer)].slice(0, mostMembers);
    },
    profile(): AnswerProfile {
      const all = [...requests].map(([name, { pages, last, kept }]) => {
        keep(kept, pages === 1 ? 'only' : 'last', last);
        const members = [...kept.members].map(([path, at]) => [path, { at }] as const);
        return [name, { places: [...kept.places], members: Object.fromEntries(members) }] as const;
      });
      return Object.fromEntries(all);
    },
  };
}

interface Kept {
  readonly places: Set<Place>;
  readonly members: Map<string, Partial<Record<Place, string>>>;
}

/** Compares the answers of a read with those of the last accepted one. */
export function doubtAnswers({ now, before, counts, isShorter }: AnswerFacts): AnswerDoubts {
  const found = { gaps: [] as string[], unsure: [] as string[], notes: [] as string[] };
  for (const [name, request] of Object.entries(now)) {
    const known = before?.[name];
    const count = counts.get(name);
    const larger = count === undefined ? [] : largerTotals(request, known, count);
    found.gaps.push(...larger.map((why) => `${name}: ${why}`));
    if (known === undefined) continue;
    const isShort = isShorter !== false || larger.length > 0;
    for (const [path, { at }] of Object.entries(known.members)) {
      const change = changeOf(at, request, path);
      if (change === 'changed') found.gaps.push(`${name}: \`${path}\` has another value than before, ${maybe}`);
      if (change === 'unknown')
        found.unsure.push(`${name}: \`${path}\` has a value that it never had before, ${maybe}`);
    }
    for (const path of newMembers(request, known, count)) {
      const codes = Object.values(request.members[path]?.at ?? {});
      const said = `${name}: the answer has the new field \`${path}\``;
      if (!codes.some(mayBeError)) found[isShort && isShorter !== undefined ? 'unsure' : 'notes'].push(said);
      else if (isShort) found.gaps.push(`${said}, and may be an error, ${maybe}`);
      else found.unsure.push(`${said}, and may be an error`);
    }
  }
  return found;
}

const maybe = 'so people may be missing';

/** Returns whether a flag or word that was always the same is another one now. */
function changeOf(
  before: MemberProfile['at'],
  { places, members }: RequestProfile,
  path: string,
): 'changed' | 'unknown' | undefined {
  let found: 'unknown' | undefined;
  const knowns = Object.values(before);
  for (const place of places) {
    const code = members[path]?.at[place] ?? '';
    const known = before[place];
    if (known === undefined) {
      // A list of one page became one of several, or the other way round.
      if (knowns.every(isSignal) && !knowns.includes(code)) found = 'unknown';
    } else if (isSignal(known) && code !== known && !(known === 'false' && isNothing(code))) return 'changed';
  }
  return found;
}

/** Returns the members that held nothing in the last accepted read, and a code that became one of 400 to 599. */
function newMembers(
  { members }: RequestProfile,
  known: RequestProfile,
  count: ListCount | undefined,
): readonly string[] {
  const codesBefore = (path: string): readonly string[] => Object.values(known.members[path]?.at ?? {});
  const isNew = (path: string): boolean => codesBefore(path).every((code) => code === '' || code === '0');
  return Object.entries(members).flatMap(([path, { at }]) => {
    const codes = Object.values(at);
    if (codes.every(isNothing) || codes.some((code) => numberIn(code) === count?.people)) return [];
    // The object tells what is inside it.
    const parent = path.split('.').slice(0, -1).join('.');
    if (members[parent] !== undefined && isNew(parent)) return [];
    const isFailing = codesBefore(path).every((code) => numberIn(code) < 400) && codes.some(isFailure);
    return isNew(path) || isFailing ? [path] : [];
  });
}

function isFailure(code: string): boolean {
  return numberIn(code) >= 400 && numberIn(code) < 600;
}

/** Names of a total, for reads that no accepted read can be compared with. */
const totalNames =
  /(?:^|\.)(?:@odata\.count|count|total|(?:total|records)_?(?:count|results|elements|items|records|rows|total))$|^header /i;

function largerTotals(
  { members }: RequestProfile,
  known: RequestProfile | undefined,
  { people, advice }: ListCount,
): readonly string[] {
  return Object.entries(members).flatMap(([path, { at }]) => {
    const before = known?.members[path];
    const isTotal = before === undefined ? totalNames.test(path) : before.isTotal === true;
    const said = numberIn(at.last ?? at.only);
    if (!isTotal || !(said > people)) return [];
    return [
      `the list has ${people}, but \`${path}\` says ${said}, ${maybe} (${advice}set source.total if it counts something else)`,
    ];
  });
}

/** Returns the profile to keep when the read is accepted: what differs from the last one is no signal any longer. */
export function mergeAnswers({ now, before, counts }: AnswerFacts): AnswerProfile {
  const requests = Object.entries(now).map(([name, { places, members }]) => {
    const known = before?.[name]?.members ?? {};
    const people = counts.get(name)?.people;
    const paths = [...new Set([...Object.keys(members), ...Object.keys(known)])].slice(0, mostMembers);
    const merged = paths.map((path) => {
      const [old, own] = [known[path]?.at ?? {}, members[path]?.at ?? {}];
      const at: Partial<Record<Place, string>> = { ...old };
      for (const place of places) {
        const code = own[place] ?? '';
        at[place] = old[place] === undefined || old[place] === code ? code : varies;
      }
      const isTotal = people !== undefined && people > 0 && numberIn(own.last ?? own.only) === people;
      return [path, isTotal ? { at, isTotal } : { at }] as const;
    });
    const all = [...new Set([...places, ...(before?.[name]?.places ?? [])])];
    return [name, { places: all, members: Object.fromEntries(merged) }] as const;
  });
  return Object.fromEntries(requests);
}
