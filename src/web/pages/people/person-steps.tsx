import type { Schemas } from '../../api/schema.ts';
import { Link, pathTo } from '../../router/router.tsx';
import { usePage } from '../../state/page-context.tsx';
import { wordOf } from '../../texts/plural.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import type { IconName } from '../../ui/icon.tsx';

export type Step = Schemas['Person']['steps'][number];

const looks: Readonly<Record<Step['state'], readonly [Tone, IconName]>> = {
  ok: ['good', 'ok'],
  stopped: ['bad', 'bad'],
  'not-reached': ['quiet', 'none'],
};

/** The way of a person in order: where it ends is what keeps a change from the platform. */
export function PersonSteps({ steps }: { readonly steps: readonly Step[] }) {
  const { t } = usePage();
  return (
    <ol className="steps">
      {steps.map((step) => (
        <li key={step.step} className={step.state}>
          <StepLine step={step} />
          {step.details.length === 0 ? null : (
            <details open={step.state === 'stopped' || step.step === 'difference'}>
              <summary>{t.people.details(step.details.length)}</summary>
              <StepDetails step={step} />
            </details>
          )}
        </li>
      ))}
    </ol>
  );
}

function StepLine({ step: { step, state, summary, run } }: { readonly step: Step }) {
  const { t } = usePage();
  const [tone, icon] = looks[state];
  return (
    <div className="line">
      <strong>{wordOf(t.people.steps, step)}</strong>
      <Badge tone={tone} icon={icon}>
        {wordOf(t.people.stepStates, state)}
      </Badge>
      <span className="grow break">{summary}</span>
      {run === null ? null : <Link to={pathTo('runs', run)}>{t.people.run}</Link>}
    </div>
  );
}

function StepDetails({ step: { step, details } }: { readonly step: Step }) {
  const { t } = usePage();
  const isDifference = step === 'difference';
  return (
    <table className="diff">
      <tbody>
        {details.map(({ name, value, before, origin }) => (
          <tr key={`${name} ${value}`}>
            <th scope="row">{wordOf(t.words.field, name)}</th>
            {isDifference ? (
              <td>{before === undefined || before === '' ? <Blank /> : <del>{before}</del>}</td>
            ) : origin === undefined ? null : (
              <td className="faint">{origin}</td>
            )}
            <td>{value === '' ? <Blank /> : isDifference ? <ins>{value}</ins> : value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Blank() {
  const { t } = usePage();
  return <span className="faint">{t.changes.blank}</span>;
}
