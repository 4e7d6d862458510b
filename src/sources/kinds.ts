import type { SourceKind, SourceKinds } from '../ports/source.ts';

/** Every kind of source. A new kind is a folder beside this file and one line here. */
const kinds: ReadonlyMap<string, () => Promise<SourceKind>> = new Map([
  ['bamboohr', async () => (await import('./bamboohr/index.ts')).bamboohr],
  ['csv', async () => (await import('./csv/index.ts')).csv],
  ['hibob', async () => (await import('./hibob/index.ts')).hibob],
  ['personio', async () => (await import('./personio/index.ts')).personio],
  ['rest', async () => (await import('./rest/index.ts')).rest],
  ['scim', async () => (await import('./scim/index.ts')).scim],
  ['sql', async () => (await import('./sql/index.ts')).sql],
  ['successfactors', async () => (await import('./successfactors/index.ts')).successfactors],
  ['workday', async () => (await import('./workday/index.ts')).workday],
]);

export const knownKinds: SourceKinds = {
  names: [...kinds.keys()],
  load: async (wanted) => Promise.all([...kinds].filter(([name]) => wanted(name)).map(([, load]) => load())),
};
