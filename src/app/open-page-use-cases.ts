import type { App } from './app.ts';
import type { AppIo } from './app-io.ts';
import { decideHold, describeHold, previewHold } from './changes/decide-hold.ts';
import { openChangeSearches } from './changes/search-changes.ts';
import { countDays } from './days.ts';
import { findSync } from './find-named.ts';
import { readOverview } from './overview.ts';
import type { PageUseCases } from './page.ts';
import { openPeopleSearches } from './people/search-people.ts';
import { findPreview, requestPreview } from './previews.ts';
import { readFindings, readRunPage } from './run-page.ts';
import { describeMapping, sampleMapping } from './sync-mapping.ts';

/** Opens the use cases of the page. `app`: the decisions that the command line shares. */
export function openPageUseCases(io: AppIo, app: Pick<App, 'approve' | 'reject'>): PageUseCases {
  const { engine } = io;
  const searches = openChangeSearches(engine);
  return {
    overview: () => readOverview(io),
    days: (query) => countDays(query, engine),
    mapping: (sync) => describeMapping(findSync(sync, engine.syncs), engine),
    mappingSamples: (sync, signal) => sampleMapping(findSync(sync, engine.syncs), engine, signal),
    searchPeople: openPeopleSearches(engine),
    requestPreview: (sync, order) => requestPreview(sync, order, io),
    preview: (id) => findPreview(id, io),
    previews: (query) => engine.store.previews.list({ now: engine.clock.now(), ...query }),
    runPage: (id) => readRunPage(id, engine),
    findings: (id, page) => readFindings(id, page, engine),
    hold: (id) => describeHold(id, searches, engine),
    searchChanges: (subject, query) => searches.search(subject, query),
    groupChanges: (subject, filter, by) => searches.group(subject, filter, by),
    everyChange: (subject, query, signal) => searches.every(subject, query, signal),
    previewHold: (id, selection) => previewHold(id, selection, searches, engine),
    decideHold: (id, order) => decideHold(id, order, app, searches),
  };
}
