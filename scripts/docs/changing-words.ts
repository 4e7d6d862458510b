/** Words of an output that differ from run to run: ids, digests, times, durations, and the column widths that they change. */
const idPattern = /run_[0-9A-HJKMNP-TV-Z]{26}|(?<=digest |--approve )[0-9a-f]{12}/g;

const changing: readonly (readonly [RegExp, string])[] = [
  [idPattern, 'ID'],
  // Keys that sign, and fingerprints.
  [/\bMCowBQYDK2VwAyEA[\w+/=]+/g, 'PUBLIC KEY'],
  [/\b[0-9a-f]{16}([0-9a-f]{16})?\b/g, 'KEY'],
  [/(?<=\/auth\/link\?code=)[\w-]{32}/g, 'CODE'],
  [/\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d(\.\d+)?)? UTC/g, 'TIME'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?/g, 'TIME'],
  // A report that ends today.
  [/(?<=from \d{4}-\d\d-\d\d to )\d{4}-\d\d-\d\d(?=:)/g, 'TODAY'],
  [/\b\d+(\.\d+)? (ms|s|min|h)\b/g, 'DURATION'],
  [/\b\d+(\.\d+)?(ms|s|m)\b/g, 'DURATION'],
  [/DURATION( DURATION)+/g, 'DURATION'],
  // A backup is compressed, and counts rows of leases.
  [/\d+ rows, [\d,]+ bytes/g, 'SIZE'],
  // Polls depend on how fast a file is processed.
  [/\d+ (requests \(planned:|more than planned:) .*/g, 'REQUESTS'],
  [/─{2,}/g, 'LINE'],
  [/[ \t]+/g, ' '],
];

/** Returns the output without what differs from run to run, so that two runs compare equal. */
export function withoutChanges(text: string): string {
  return changing.reduce((rest, [pattern, word]) => rest.replace(pattern, word), text).replace(/ $/gm, '');
}

/** Returns the ids and digests of an output, in order. */
export function idsOf(text: string): readonly string[] {
  return text.match(idPattern) ?? [];
}

/** Whether the runs of a page started within an hour: a page that mixes the outputs of several days confuses its readers. */
export function hasTimesOfOneExecution(page: string): boolean {
  const starts = [...page.matchAll(/^ *run run_\w+.*, started (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC/gm)];
  const times = starts.map(([, day, time]) => Date.parse(`${day}T${time}Z`));
  return times.length === 0 || Math.max(...times) - Math.min(...times) < 3_600_000;
}
