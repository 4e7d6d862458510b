/** The addresses of the page. Each can be sent as a link. `src/web/routes.tsx` has the same list. */
export const pageRoutes: readonly string[] = [
  '/',
  '/syncs/:sync',
  '/runs',
  '/runs/:run',
  '/runs/:run/changes',
  '/holds',
  '/holds/:hold',
  '/people',
  '/people/:sync/:person',
  '/previews/:preview',
  '/alerts',
  '/audit',
  '/connections',
  '/sign-in',
];
