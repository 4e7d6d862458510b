/** One entry of the menus. Links are paths of the site. */
export interface MenuEntry {
  readonly text: string;
  readonly link: string;
}

export interface MenuGroup {
  readonly text: string;
  readonly collapsed: boolean;
  readonly items: MenuEntry[];
}

const entry = (text: string, link: string): MenuEntry => ({ text, link });

/**
 * Returns the weight of a section in the search, by its address. Pages for the developers of Rollcall come behind the changelog, and
 * are in no menu. VitePress sends the text of this function to the browser, so it uses nothing from outside.
 */
export function searchWeight(address: string): number {
  const engineering =
    /\/(?:decisions\/.*|adding-a-source|alerts-table|architecture|contributing|licenses|measurements|platform-api-coverage)(?:\.html|$)/;
  const [path = ''] = address.split('#');
  if (engineering.test(path)) return 0.02;
  return /\/changelog(?:\.html|$)/.test(path) ? 0.1 : 1;
}

export const navigation: readonly MenuEntry[] = [
  entry('Tutorial', '/tutorial'),
  entry('How-to', '/how-to/'),
  entry('Explanation', '/explanation/how-rollcall-decides'),
  entry('Reference', '/configuration'),
  entry('Comparison', '/comparison'),
];

export const sidebar: readonly MenuGroup[] = [
  {
    text: 'Start',
    collapsed: false,
    items: [entry('Documentation', '/'), entry('Tutorial', '/tutorial'), entry('The page', '/page')],
  },
  {
    text: 'How-to',
    collapsed: false,
    items: [
      entry('All guides', '/how-to/'),
      entry('From an export to a plan', '/how-to/from-an-export-to-a-plan'),
      entry('Read an unusual export', '/how-to/unusual-exports'),
      entry('Add a field', '/how-to/add-a-field'),
      entry('Review an edit of the configuration', '/how-to/review-an-edit'),
      entry('Add a status', '/how-to/add-a-status'),
      entry('Managers as leaders', '/how-to/managers-as-leaders'),
      entry('Use another source', '/how-to/use-another-source'),
      entry('Two syncs on one connection', '/how-to/run-two-syncs-on-one-connection'),
      entry('Learn the dialect', '/how-to/learn-the-dialect'),
      entry('Sync at once when HR says so', '/sync-at-once'),
      entry('No leaver late', '/how-to/no-leaver-late'),
      entry('Report leavers and joiners', '/how-to/report-leavers'),
      entry('Prove to an auditor who left', '/how-to/prove-who-left'),
      entry('A list for HR', '/how-to/a-list-for-hr'),
      entry('Move to Kubernetes', '/how-to/move-to-kubernetes'),
      entry('Rotate keys', '/how-to/rotate-keys'),
      entry('Restore a backup', '/how-to/restore-a-backup'),
      entry('A user was disabled', '/how-to/somebody-was-disabled'),
      entry('A run is held', '/how-to/a-run-is-held'),
      entry('Whose accounts these are', '/how-to/whose-accounts'),
      entry('Undo a run', '/how-to/undo-a-run'),
      entry('A file failed', '/how-to/a-file-failed'),
      entry('The token was refused', '/how-to/the-token-was-refused'),
    ],
  },
  {
    text: 'Explanation',
    collapsed: false,
    items: [
      entry('How Rollcall decides', '/explanation/how-rollcall-decides'),
      entry('Guards and holds', '/explanation/guards-and-holds'),
      entry('Read-back', '/explanation/read-back'),
      entry('Tokens', '/explanation/tokens'),
      entry('What it promises', '/explanation/promises'),
      entry('Comparison', '/comparison'),
    ],
  },
  {
    text: 'Reference',
    collapsed: false,
    items: [
      entry('Configuration', '/configuration'),
      entry('Command line', '/cli'),
      entry('HTTP API', '/http-api'),
      entry('Library', '/library'),
      entry('Codes', '/codes'),
      entry('Alerts', '/alerts'),
      entry('Metrics', '/metrics'),
      entry('Tracing', '/tracing'),
      entry('Platform assumptions', '/platform-assumptions'),
      entry('Glossary', '/glossary'),
    ],
  },
  {
    text: 'Sources',
    collapsed: true,
    items: [
      entry('All sources', '/sources/'),
      entry('Source keys', '/sources/keys'),
      ...['CSV', 'SQL', 'REST', 'SCIM', 'BambooHR', 'HiBob', 'Personio', 'SuccessFactors', 'Workday'].map((name) =>
        entry(name, `/sources/${name.toLowerCase()}`),
      ),
    ],
  },
  {
    text: 'Operations',
    collapsed: true,
    items: [
      entry('Operations', '/operations'),
      entry('Capacity', '/capacity'),
      entry('Back up and restore', '/backup'),
      entry('Kubernetes', '/kubernetes'),
      entry('Helm chart', '/helm-chart'),
      entry('Sign-in', '/sign-in'),
      entry('Approvals and scopes', '/approvals'),
      entry('Refresh tokens in an outage', '/tokens'),
      entry('Privacy', '/privacy'),
      entry('Security', '/security'),
      entry('Changelog', '/changelog'),
    ],
  },
];
