/**
 * The addresses of the page of the operators. Each can be sent as a link: the server answers it with the page, and the
 * compiler asks the page for what it shows there.
 */
export const pageRoutes = [
  '/',
  '/syncs/:sync',
  '/syncs/:sync/accounts',
  '/syncs/:sync/set-up',
  '/syncs/:sync/data-quality',
  '/runs',
  '/runs/:run',
  '/runs/:run/changes',
  '/changes',
  '/reports',
  '/leavers',
  '/holds',
  '/holds/:hold',
  '/people',
  '/people/:sync/:person',
  '/previews/:preview',
  '/alerts',
  '/audit',
  '/connections',
  '/sign-in',
] as const;

export type PageRoute = (typeof pageRoutes)[number];
