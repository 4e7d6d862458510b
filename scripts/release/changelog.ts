const unreleased = '## [Unreleased]';

/** What a release does to CHANGELOG.md. */
export interface ReleasedChangelog {
  /** The whole file: an empty "Unreleased" section, then the new version with its date. */
  readonly text: string;
  /** The entries of the new version, without its heading. */
  readonly notes: string;
}

/**
 * Moves the entries under "Unreleased" to a section of the version. The form is that of Keep a Changelog 1.1.0.
 * Throws when the section is missing or has no entry.
 *
 * @param date the day of the release, `YYYY-MM-DD`
 */
export function releaseChangelog(changelog: string, version: string, date: string): ReleasedChangelog {
  const start = changelog.indexOf(`\n${unreleased}\n`);
  if (start === -1) throw new Error(`CHANGELOG.md has no section "${unreleased}".`);
  const bodyStart = start + unreleased.length + 2;
  const next = changelog.indexOf('\n## ', bodyStart);
  const bodyEnd = next === -1 ? changelog.length : next;
  const notes = changelog.slice(bodyStart, bodyEnd).trim();
  if (!/^- /m.test(notes))
    throw new Error('CHANGELOG.md has no entry under "Unreleased", so there is nothing to release.');
  const older = changelog.slice(bodyEnd).trim();
  const sections = [changelog.slice(0, start).trim(), unreleased, `## [${version}] - ${date}`, notes, older];
  return { text: `${sections.filter((section) => section !== '').join('\n\n')}\n`, notes };
}
