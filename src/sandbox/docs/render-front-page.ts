import { html } from './html.ts';

/** What the front page says of a sandbox. */
export interface FrontFacts {
  readonly users: number;
  readonly files: number;
  readonly hasImportSource: boolean;
}

const views = [
  ['/docs', 'The API: read it, and try each operation'],
  ['/openapi.json', 'The same for programs: OpenAPI 3.1'],
  ['/_sandbox/state', 'State: users, files, faults, quirks, requests by operation'],
  ['/_sandbox/files', 'Provisioning files, also those of the import job, and how they ended'],
  ['/_sandbox/log', 'Every change of a user, in order'],
  ['/_sandbox/feedback-requests', 'Feedback requests with their ids, which the API does not return'],
] as const;

/** Renders the page at `/`. */
export function renderFrontPage({ users, files, hasImportSource }: FrontFacts): string {
  const source = hasImportSource
    ? html`The import job has a source. <code>PATCH /os-api/public-api/v1/admin/import-users-job</code> processes it as a file.`
    : html`The import job has no source and is refused. Define one: <code>PUT /_sandbox/import-source</code> with <code>{"csv": "…"}</code>.`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sandbox platform</title>
<link rel="icon" href="data:,">
<style>:root { color-scheme: light dark } body { font: 15px/1.6 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem }</style>
</head>
<body>
<h1>Sandbox platform</h1>
<p>${users} users, ${files} provisioning files. It keeps nothing when it ends.</p>
<ul>${views.map(([path, text]) => html`<li><a href="${path}">${path}</a> ${text}</li>`)}</ul>
<p>${source}</p>
</body>
</html>
`.html;
}
