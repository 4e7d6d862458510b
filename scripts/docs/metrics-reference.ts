import { type MetricRow, metricsTable } from '../../src/watch/metrics/metrics-from-store.ts';

const introduction = `# Metrics

<!-- Generated from src/watch/metrics/metrics.json by \`npm run docs\`; edit there. -->

\`GET /metrics\` of \`rollcall start\` answers in the text format of Prometheus. No label contains personal data.

Metrics of the scope *store* describe the whole deployment. One process at a time exports them: let Prometheus scrape each
process, not a load balancer. When that process ends, another one exports them within 90 seconds. Metrics of the scope
*process* count the work of that process: add them up. Counters start at 0 with the process.

With \`server.metricsPort\` the metrics have a port of their own without a token, and \`server.port\` does not serve them. Let only
your monitoring reach it. On \`server.port\` a scrape needs a token of \`server.tokens\` with the role \`monitor\` and no \`syncs\`, or
\`server.metrics: open\`:

\`\`\`yaml
scrape_configs:
  - job_name: rollcall
    authorization: { credentials_file: /etc/prometheus/rollcall-token }
    static_configs: [{ targets: ["127.0.0.1:8080"] }]
\`\`\`

A good first alert is \`rollcall_freshness_seconds\` above what the business can accept. \`alerts:\` in the
[configuration](configuration.md) covers the same without Prometheus.

Some labels have fixed values:

- \`purpose\` of a request is scan, lookup, proof, read, upload, poll, write, leaders, token or other.
- \`state\` of a token is ready, refreshing, reauth-required or revoked.`;

/** Returns the text of docs/metrics.md. */
export function renderMetricsReference(): string {
  const rows: readonly MetricRow[] = Object.values(metricsTable);
  const cells = [
    ['Name', 'Type', 'Labels', 'Scope', 'Meaning'],
    ...rows.map(({ name, type, labels, scope, help }) => [
      `\`${name}\``,
      type,
      labels.map((label) => `\`${label}\``).join(', ') || '–',
      scope,
      help.replaceAll('|', '\\|'),
    ]),
  ];
  const widths = cells[0]?.map((_, i) => Math.max(...cells.map((row) => [...(row[i] ?? '')].length))) ?? [];
  const lines = cells.map((row) => `| ${row.map((cell, i) => pad(cell, widths[i] ?? 0)).join(' | ')} |`);
  const [head = '', ...body] = lines;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return `${introduction}\n\n${[head, rule, ...body].join('\n')}\n`;
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - [...cell].length));
}
