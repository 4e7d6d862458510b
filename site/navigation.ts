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
      entry('Add a field', '/how-to/add-a-field'),
      entry('Review an edit of the configuration', '/how-to/review-an-edit'),
      entry('Add a status', '/how-to/add-a-status'),
      entry('Use another source', '/how-to/use-another-source'),
      entry('Two syncs on one connection', '/how-to/run-two-syncs-on-one-connection'),
      entry('Learn the dialect', '/how-to/learn-the-dialect'),
      entry('Move to Kubernetes', '/how-to/move-to-kubernetes'),
      entry('Rotate keys', '/how-to/rotate-keys'),
      entry('Restore a backup', '/how-to/restore-a-backup'),
      entry('A user was disabled', '/how-to/somebody-was-disabled'),
      entry('A run is held', '/how-to/a-run-is-held'),
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
      entry('Architecture', '/architecture'),
    ],
  },
  {
    text: 'Reference',
    collapsed: false,
    items: [
      entry('Configuration', '/configuration'),
      entry('Command line', '/cli'),
      entry('HTTP API', '/http-api'),
      entry('Alerts', '/alerts'),
      entry('What is told of each failure', '/alerts-table'),
      entry('Metrics', '/metrics'),
      entry('Tracing', '/tracing'),
      entry('Platform assumptions', '/platform-assumptions'),
      entry('Platform API coverage', '/platform-api-coverage'),
      entry('Glossary', '/glossary'),
    ],
  },
  {
    text: 'Sources',
    collapsed: true,
    items: [
      entry('All sources', '/sources/'),
      ...['CSV', 'SQL', 'REST', 'SCIM', 'BambooHR', 'HiBob', 'Personio', 'SuccessFactors', 'Workday'].map((name) =>
        entry(name, `/sources/${name.toLowerCase()}`),
      ),
      entry('Adding a source', '/adding-a-source'),
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
      entry('Licenses', '/licenses'),
      entry('Changelog', '/changelog'),
      entry('Contributing', '/contributing'),
    ],
  },
];
