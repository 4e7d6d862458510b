import { pageStyle } from './page-style.ts';

/** Returns a whole page of this server. It loads nothing from other servers. `body` is HTML. */
export function htmlPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${pageStyle}</style>
</head>
<body>
${body}
</body>
</html>
`;
}
