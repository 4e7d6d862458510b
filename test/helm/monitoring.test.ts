import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { listedCodes } from '../../src/core/run/codes/code-list.ts';
import { topics } from '../../src/watch/alerts/topics.ts';
import { type MetricRow, metricsTable } from '../../src/watch/metrics/metrics-from-store.ts';
import { ask, bare, findPromtool, type Rules } from './find-promtool.ts';
import { chart, findHelm, runHelm, tellSkipped } from './helm-tool.ts';
import { parseManifests } from './manifest.ts';

const promtool = await findPromtool();
if (promtool === undefined) tellSkipped('monitoring.test.ts (the part for Prometheus)', 'promtool');
const helm = await findHelm();

interface Panel {
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const rulesText = await readFile(join(chart, 'rules/rollcall.yaml'), 'utf8');
interface Check {
  readonly alertname: string;
  readonly exp_alerts?: unknown;
}

const examplesText = await readFile(join(import.meta.dirname, 'rules-by-example.yaml'), 'utf8');
const exampleFile = parse(examplesText) as {
  readonly tests: readonly { readonly alert_rule_test: readonly Check[] }[];
};
const dashboardText = await readFile(join(chart, 'dashboards/rollcall.json'), 'utf8');
const rules = (parse(rulesText) as Rules).groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(dashboardText) as { readonly uid: string; readonly panels: readonly Panel[] };

const metrics = new Map<string, MetricRow>(Object.values(metricsTable).map((row) => [row.name, row]));
/** Not on the dashboard: names and states that its rules tell, and instants that it shows as ages. */
const saidByOthers = [
  'rollcall_config_loaded_timestamp_seconds',
  'rollcall_config_reload_refused',
  'rollcall_last_backup_timestamp_seconds',
  'rollcall_last_success_timestamp_seconds',
  'rollcall_last_attempt_timestamp_seconds',
  'rollcall_run_started_timestamp_seconds',
  'rollcall_runs_failed_in_a_row',
  'rollcall_failing_since_timestamp_seconds',
  'rollcall_held_since_timestamp_seconds',
  'rollcall_files_pending_since_timestamp_seconds',
  'rollcall_process_start_time_seconds',
  'rollcall_process_heap_limit_bytes',
];
/** What Prometheus itself adds. */
const ownLabels = ['namespace', 'job', 'instance', 'pod', 'le'];

/** Metrics and labels of an expression that no process would ever tell. */
function strangersIn(expr: string): readonly string[] {
  const rows: MetricRow[] = [];
  const unknown: string[] = [];
  for (const [name] of expr.matchAll(/\brollcall_\w+/g)) {
    const row = metrics.get(name) ?? metrics.get(name.replace(/_(?:bucket|sum|count)$/, ''));
    const isWhole = row?.type === 'histogram' ? row.name !== name : row?.name === name;
    if (row === undefined || !isWhole) unknown.push(name);
    else rows.push(row);
  }
  const known = new Set([...ownLabels, ...rows.flatMap((row) => row.labels)]);
  const grouped = [...expr.matchAll(/\b(?:by|without|on) \(([^)]*)\)/g)].flatMap(([, list]) =>
    (list ?? '').split(/, */),
  );
  const selected = [...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, list]) =>
    [...(list ?? '').matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label ?? ''),
  );
  return [...unknown, ...[...grouped, ...selected].filter((label) => !known.has(label))];
}

describe('the alerting rules', () => {
  it.each(rules.map((rule) => [rule.alert, rule] as const))('%s asks for metrics and labels that exist', (_, rule) => {
    expect(strangersIn(rule.expr)).toEqual([]);
  });

  it('would be caught asking for what does not exist', () => {
    expect(strangersIn('max by (sync, person) (rollcall_freshness_seconds{synk="x"})')).toEqual(['person', 'synk']);
    expect(strangersIn('rollcall_nothing > 0')).toEqual(['rollcall_nothing']);
    expect(strangersIn('rollcall_run_duration_seconds')).toEqual(['rollcall_run_duration_seconds']);
  });

  it.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s says what is wrong, how bad, and what to do',
    (_, rule) => {
      expect(rule.labels.severity).toMatch(/^(?:warning|critical)$/);
      expect(Object.keys(rule.annotations).sort()).toEqual(['description', 'summary']);
      const words = Object.values(rule.annotations).join(' ');
      const used = [...words.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label ?? '');
      // A label that the expression drops would be an empty place in the sentence.
      const kept = /by \(([^)]*)\)/.exec(rule.expr)?.[1]?.split(', ') ?? [];
      expect(used.filter((label) => !kept.includes(label))).toEqual([]);
    },
  );

  it('has an example of every rule', () => {
    for (const { alert } of rules) {
      const examples = exampleFile.tests
        .flatMap((test) => test.alert_rule_test)
        .filter(({ alertname }) => alertname === alert);
      expect(
        examples.some((example) => example.exp_alerts !== undefined),
        alert,
      ).toBe(true);
      expect(
        examples.some((example) => example.exp_alerts === undefined),
        alert,
      ).toBe(true);
    }
  });

  it('is in the documentation, rule by rule, with its severity', async () => {
    const text = await readFile(join(chart, '../../docs/kubernetes.md'), 'utf8');
    const told = [...text.matchAll(/^\| `(Rollcall\w+)` *\| (\w+)/gm)].map(
      ([, name, severity]) => `${name} ${severity}`,
    );
    expect(told).toEqual(rules.map(({ alert, labels }) => `${alert} ${labels.severity}`));
  });

  it('has a code, rule by rule, as every topic of our own notices has', () => {
    expect([...new Set(listedCodes.flatMap((one) => one.rules))].sort()).toEqual(
      rules.map(({ alert }) => alert).sort(),
    );
    expect(new Set(listedCodes.flatMap(({ topic }) => topic ?? []))).toEqual(new Set(topics));
  });

  it.skipIf(promtool === undefined)('is taken by Prometheus', async () => {
    expect(await ask(['check', 'rules'], rulesText, '')).toBe('');
  });

  it.skipIf(promtool === undefined)('fires when it should, and not a moment before', async () => {
    expect(await ask(['test', 'rules'], examplesText, bare(rulesText))).toBe('');
  });

  it.skipIf(promtool === undefined)('would fail that test with other figures', async () => {
    const later = bare(rulesText).replace('26 * 3600', '30 * 3600');
    const isOfIt = ({ alertname, exp_alerts }: Check) => alertname === 'RollcallStale' && exp_alerts !== undefined;
    const tests = exampleFile.tests.filter((test) => test.alert_rule_test.some(isOfIt));
    const examples = stringify({ ...exampleFile, tests });
    expect(await ask(['test', 'rules'], examples, later)).toMatch(/alertname: RollcallStale/);
  });

  const ofProduction = 'namespace="prod", job="acme-rollcall-metrics"';

  it.skipIf(helm === undefined)(
    'comes with the chart, with the figure of its values, for its own release',
    async () => {
      const wanted = rules.map(({ expr, ...rule }) => ({
        ...rule,
        expr: expr
          .replace('26 * 3600', '3 * 3600')
          .replaceAll(/\b(rollcall_\w+)(\{?)/g, (_, name: string, open: string) =>
            open === '' ? `${name}{${ofProduction}}` : `${name}{${ofProduction}, `,
          ),
      }));
      expect((await renderedRules()).groups.flatMap((group) => group.rules)).toEqual(wanted);
    },
  );

  it.skipIf(helm === undefined || promtool === undefined)(
    'tells that production is gone although staging of the same name lives, and only that',
    async () => {
      const alive = 'rollcall_info{namespace="staging", job="acme-rollcall-metrics", version="1"}';
      const example = (alerts: readonly unknown[]) =>
        stringify({
          rule_files: ['RULES'],
          evaluation_interval: '1m',
          tests: [
            {
              interval: '1m',
              input_series: [{ series: alive, values: '1x60' }],
              alert_rule_test: [{ eval_time: '30m', alertname: 'RollcallAbsent', exp_alerts: alerts }],
            },
          ],
        });
      const labels = { severity: 'critical', namespace: 'prod', job: 'acme-rollcall-metrics' };
      const ours = bare(stringify(await renderedRules()));
      expect(await ask(['test', 'rules'], example([{ exp_labels: labels }]), ours)).toBe('');
      // The rules of the file are for all releases together: one that lives hides one that is gone.
      expect(await ask(['test', 'rules'], example([]), bare(rulesText))).toBe('');
    },
  );
});

/** The spec of the PrometheusRule of a release in the namespace prod. */
async function renderedRules(): Promise<Rules> {
  const values = ['--namespace', 'prod', '--values', join(chart, 'ci/distributed-values.yaml')];
  const { stdout } = await runHelm(helm ?? '', ['template', 'acme', chart, ...values]);
  return parseManifests(stdout).find(({ kind }) => kind === 'PrometheusRule')?.spec as unknown as Rules;
}

describe('the dashboard', () => {
  const queries = dashboard.panels.flatMap((panel) =>
    panel.targets.map((target) => ({ ...target, title: panel.title })),
  );

  it.each(queries.map((query) => [query.title, query] as const))(
    '%s asks for metrics and labels that exist',
    (_, query) => {
      expect(strangersIn(query.expr)).toEqual([]);
      const used = [...query.legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label ?? '');
      const kept = /by \(([^)]*)\)/.exec(query.expr)?.[1]?.split(', ') ?? [];
      expect(used.filter((label) => !kept.includes(label))).toEqual([]);
    },
  );

  it('shows every metric of the table, but what the others say already', () => {
    const shown = queries.map(({ expr }) => expr).join('\n');
    const missing = [...metrics.keys()].filter((name) => !shown.includes(name));
    expect(missing.sort()).toEqual(saidByOthers.toSorted());
  });

  it('answers the first questions of an outage in its first row', () => {
    const first = dashboard.panels
      .filter(({ gridPos }) => gridPos.y === 0)
      .toSorted((a, b) => a.gridPos.x - b.gridPos.x);
    const questions = ['Is it up?', 'May it write?', 'Does the token work?', 'Do notices go out?', 'Is a leaver late?'];
    expect(first.map(({ title }) => title)).toEqual(questions);
  });

  it('has panels that lie beside each other and not on each other', () => {
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(dashboard.panels.every(({ gridPos }) => gridPos.x + gridPos.w <= 24)).toBe(true);
  });

  /** The dashboard of a release, as Grafana's sidecar finds it. */
  async function rendered(release: string, namespace: string) {
    const values = ['--namespace', namespace, '--values', join(chart, 'ci/distributed-values.yaml')];
    const { stdout } = await runHelm(helm ?? '', ['template', release, chart, ...values]);
    const found = parseManifests(stdout).find(({ metadata }) => metadata.name.endsWith('-dashboard'));
    const [[file, text] = ['', '']] = Object.entries(found?.data ?? {});
    return { file, ...(JSON.parse(text) as { uid: string; title: string; panels: Panel[]; templating: unknown }) };
  }

  it.skipIf(helm === undefined)(
    'has a uid, a title and a file name of its own for each release and namespace',
    async () => {
      const all = [await rendered('acme', 'prod'), await rendered('acme', 'staging'), await rendered('other', 'prod')];
      for (const key of ['uid', 'title', 'file'] as const)
        expect(new Set(all.map((one) => one[key])).size, key).toBe(3);
      for (const { uid } of all) expect(uid).toMatch(/^[a-z0-9-]{1,40}$/);
      // Links to it survive an upgrade.
      expect((await rendered('acme', 'prod')).uid).toBe(all[0]?.uid);
    },
  );

  it.skipIf(helm === undefined)('shows what its release tells, and nothing of another namespace', async () => {
    const { panels, templating } = await rendered('acme', 'prod');
    const wanted = queries.map(({ expr }) => expr.replaceAll('job=~', 'namespace="prod", job=~'));
    expect(panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))).toEqual(wanted);
    for (const { expr } of queries) {
      expect(expr.match(/rollcall_\w+\{/g)?.length, expr).toBe(expr.match(/job=~"\$job"/g)?.length);
    }
    expect(templating).toMatchObject({
      list: [
        { name: 'datasource' },
        {
          name: 'job',
          query: 'label_values(rollcall_info{namespace="prod"}, job)',
          current: { value: 'acme-rollcall-metrics' },
        },
      ],
    });
  });

  it.skipIf(promtool === undefined)('asks in words that Prometheus understands', async () => {
    const asRules = queries.map(({ expr }, i) => ({
      record: `panel:${i}`,
      expr: expr.replaceAll(/\$__(?:rate_)?interval/g, '5m').replaceAll('$job', '.*'),
    }));
    expect(asRules.some(({ expr }) => expr.includes('$'))).toBe(false);
    expect(await ask(['check', 'rules'], stringify({ groups: [{ name: 'dashboard', rules: asRules }] }), '')).toBe('');
  });
});
