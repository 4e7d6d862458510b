import { useState } from 'react';
import { answerOf } from '../api/client.ts';
import type { Schemas } from '../api/schema.ts';
import { usePage } from '../state/page-context.tsx';
import { useMay } from '../state/session.ts';
import { wordOf } from '../texts/plural.ts';
import { Box, Button, ConfirmDialog } from '../ui/actions.tsx';
import { DayField } from '../ui/filters.tsx';
import { Section } from '../ui/frame.tsx';

interface Props {
  readonly sync: string;
  readonly pair: NonNullable<Schemas['Person']['pair']>;
}

export type Way = Props['pair']['ways'][number]['way'] | 'adopt' | 'disable';

/** A person and an account that seem to be one: what can be decided about them, each way with what it does. */
export function PairSection({ sync, pair }: Props) {
  const { t } = usePage();
  const mayAct = useMay('decide', sync);
  const [way, setWay] = useState<Way>();
  const [done, setDone] = useState<string>();
  const { identification, other } = pair;
  const adopt = { way: 'adopt', effect: t.people.adoptMeans(identification, other) } as const;
  const ways: readonly { readonly way: Way; readonly effect: string }[] = [adopt, ...pair.ways];
  return (
    <Section className="card stretch" name="pair" title={t.people.pair}>
      <p className="faint">{t.people.pairMeans(identification, other)}</p>
      {done === undefined ? null : (
        <Box look="good" icon="ok" role="status">
          {done}
        </Box>
      )}
      <ul className="list">
        {ways.map((one) => (
          <li key={one.way}>
            <span className="grow break">{one.effect}</span>
            {mayAct ? <Button onClick={() => setWay(one.way)}>{wordOf(t.people.ways, one.way)}</Button> : null}
          </li>
        ))}
      </ul>
      {way === undefined ? null : (
        <WayDialog
          sync={sync}
          id={identification}
          way={way}
          title={wordOf(t.people.ways, way)}
          means={ways.find((one) => one.way === way)?.effect ?? ''}
          onClose={() => setWay(undefined)}
          onDone={(told) => {
            setWay(undefined);
            setDone(told);
          }}
        />
      )}
    </Section>
  );
}

interface DialogProps {
  readonly sync: string;
  readonly id: string;
  readonly way: Way;
  readonly title: string;
  readonly means: string;
  readonly onClose: () => void;
  readonly onDone: (told: string) => void;
}

/** Asks for the reason, and for the end where the decision has one. */
export function WayDialog({ sync, id, way, title, means, onClose, onDone }: DialogProps) {
  const { api, t } = usePage();
  const [until, setUntil] = useState<string>();
  const isOfAccount = way === 'leave' || way === 'disable';
  return (
    <ConfirmDialog
      title={title}
      means={means}
      isDanger={way === 'replace' || way === 'disable'}
      reason={isOfAccount ? 'required' : 'optional'}
      onAct={async (reason) => {
        const body = {
          ids: [id],
          ...reason,
          ...(way === 'adopt' ? {} : { way }),
          ...(until === undefined ? {} : { until }),
        };
        const asked = { params: { path: { sync } }, body };
        const { adoptions } = await answerOf(api.POST('/api/syncs/{sync}/adopt', asked));
        return adoptions[0];
      }}
      onDone={(adoption) =>
        onDone(`${adoption?.effect ?? ''}. ${adoption?.isDone === true ? t.people.nextRunActs : ''}`)
      }
      onClose={onClose}
    >
      {isOfAccount ? <DayField label={t.people.until} value={until} edge="end" onChange={setUntil} /> : null}
    </ConfirmDialog>
  );
}
