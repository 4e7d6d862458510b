import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../api/schema.d.ts';
import { usePage } from '../state/page-context.tsx';
import { Link, pathTo } from '../state/router.tsx';
import { wordOf } from '../texts/plural.ts';
import { Box, Button, CopyButton, ProblemBox } from '../ui/actions.tsx';
import { Badge, type Look } from '../ui/badges.tsx';
import { Loaded, PageHead, Section } from '../ui/frame.tsx';
import { PreviewProgress, Report, usePreview } from './preview-page.tsx';

type SetUp = Schemas['SetUp'];
type Card = SetUp['cards'][number];
type Answers = Readonly<Record<string, string>>;

/** What each field and status of a sync is, what speaks for it, and what each answer does to people. */
export function SetUpPage({ sync }: { readonly sync: string }) {
  const { api, t } = usePage();
  const words = t.setUp;
  const [answers, setAnswers] = useState<Answers>({});
  const [isRevealed, setRevealed] = useState(false);
  const order = { answers, isRevealed };
  const query = useQuery({
    queryKey: ['set-up', sync, order],
    queryFn: ({ signal }) => api.post('/api/syncs/{sync}/set-up', { sync }, order, signal),
    placeholderData: keepPreviousData,
    // The server keeps what it read, and refuses to read again for a window that gets the focus.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <>
      <p className="crumbs">
        <Link to={pathTo('syncs', sync)}>{sync}</Link>
      </p>
      <PageHead title={words.title(sync)} />
      <Loaded query={query}>
        {(data) => (
          <>
            <p className="why faint">
              {words.means} {data.users === null ? '' : words.read(data.rows, data.users)} {t.reason(data.people ?? '')}
            </p>
            <p role="status">
              <Badge look={openIn(data) === 0 ? looks.proven : looks.open}>{words.open(openIn(data))}</Badge>
            </p>
            {data.notes.map((note) => (
              <Box key={note} look="warn" icon="warn">
                {t.reason(note)}
              </Box>
            ))}
            <label className="reveal">
              <input type="checkbox" checked={isRevealed} onChange={(event) => setRevealed(event.target.checked)} />{' '}
              {words.reveal}
            </label>
            <div className="set-up">
              {data.cards.map((card) => (
                <Question
                  key={card.about}
                  card={card}
                  onAnswer={(key) => setAnswers((before) => ({ ...before, [card.about]: key }))}
                />
              ))}
            </div>
            <End key={data.yaml} setUp={data} answers={answers} />
          </>
        )}
      </Loaded>
    </>
  );
}

const openIn = ({ cards }: SetUp): number => cards.filter(({ state }) => state === 'open').length;

const looks: Readonly<Record<Card['state'], Look>> = {
  proven: ['good', 'ok'],
  said: ['busy', 'user'],
  open: ['warn', 'warn'],
  unfilled: ['quiet', 'none'],
};

/** One question: one click or arrow key answers it. */
function Question({ card, onAnswer }: { readonly card: Card; readonly onAnswer: (key: string) => void }) {
  const { t } = usePage();
  const { about, chosen, state, evidence, choices, samples } = card;
  const words = t.setUp;
  const value = about.startsWith('status ') ? about.slice('status '.length) : undefined;
  const title = value === undefined ? wordOf({ ...t.words.field, ...words.abouts }, about) : words.status(value);
  return (
    <fieldset className="card question">
      <legend>{title}</legend>
      <p>
        <Badge look={looks[state]}>{wordOf(words.states, state)}</Badge>
      </p>
      {evidence === '' ? null : <p className="faint break">{t.reason(evidence)}</p>}
      {choices.map(({ key, effect }) => (
        <label key={key}>
          <input
            type="radio"
            name={about}
            value={key}
            checked={state !== 'open' && key === chosen}
            onChange={() => onAnswer(key)}
          />
          <span className="break">
            {value === undefined && key !== '-' ? <Rule text={key} /> : wordOf(words.choices, key)}{' '}
            <small className="faint">{t.reason(effect)}</small>
          </span>
        </label>
      ))}
      {samples.length === 0 ? null : (
        <details className="stretch">
          <summary>{words.samples}</summary>
          <ul className="break small">
            {samples.map(({ ours, theirs }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: masked samples can be equal, and keep their order.
              <li key={i}>
                {ours} → {theirs}
              </li>
            ))}
          </ul>
        </details>
      )}
    </fieldset>
  );
}

/** A rule as the configuration has it. The column comes before how it is read. */
function Rule({ text }: { readonly text: string }) {
  const [, column = text, how = ''] = /^\{ from: ("[^"]*"|[^,"]+)(?:, (.*))? \}$/.exec(text) ?? [];
  return (
    <>
      <code>{column}</code> {how === '' ? null : <small className="faint">{how}</small>}
    </>
  );
}

/** The plan of the answers, and the configuration. Nothing is written before the last button. */
function End({
  setUp: { sync, users, yaml, canWrite },
  answers,
}: {
  readonly setUp: SetUp;
  readonly answers: Answers;
}) {
  const { api, t } = usePage();
  const words = t.setUp;
  const plan = useMutation({
    mutationFn: () => api.post('/api/syncs/{sync}/mapping/preview', { sync }, { mapping: yaml }),
  });
  const end = useMutation({
    mutationFn: () => api.post('/api/syncs/{sync}/set-up', { sync }, { answers, isFinal: true }),
  });
  const written = end.data?.written ?? undefined;
  return (
    <Section name="end" title={words.yaml}>
      <pre className="wrapped">{yaml}</pre>
      {plan.data === undefined ? null : <Planned id={plan.data.id} />}
      <ProblemBox error={plan.error ?? end.error} onDismiss={() => (plan.error === null ? end : plan).reset()} />
      <div className="actions">
        <CopyButton text={yaml} />
        {users === null ? (
          <span className="faint">{words.noPlan}</span>
        ) : (
          <Button isBusy={plan.isPending} title={words.planMeans} onClick={() => plan.mutate()}>
            {words.plan}
          </Button>
        )}
        {canWrite && written === undefined ? (
          <Button look="main" isBusy={end.isPending} onClick={() => end.mutate()}>
            {words.write}
          </Button>
        ) : null}
      </div>
      {written === undefined ? null : (
        <Box look="good" icon="ok" role="status">
          {words.written(written)}
        </Box>
      )}
    </Section>
  );
}

function Planned({ id }: { readonly id: string }) {
  const { t } = usePage();
  return (
    <Loaded query={usePreview(id)}>
      {(preview) => (
        <>
          {preview.state === 'waiting' ? null : <PreviewProgress preview={preview} />}
          {preview.report === null ? null : <Report report={preview.report} />}
          <Link to={pathTo('previews', id)}>{t.previews.open}</Link>
        </>
      )}
    </Loaded>
  );
}
