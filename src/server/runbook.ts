import type { AlertTopic } from '../ports/alerts.ts';
import { htmlPage } from './dashboard/html-page.ts';

/** What to do about a topic of alerts. `look` are commands. */
interface Entry {
  readonly title: string;
  readonly look: readonly string[];
  readonly steps: readonly string[];
}

const entries: Readonly<Record<AlertTopic, Entry>> = {
  run: {
    title: 'A run failed, or did a part of its work',
    look: ['rollcall runs SYNC', 'rollcall show RUN', 'rollcall show RUN --failed', 'rollcall show RUN --findings'],
    steps: [
      'The reason names the HR system or the platform: mend it there, then run "rollcall resync SYNC".',
      'People failed: the reason is beside each of them. Correct them in HR.',
      'A file failed while the run goes on: do nothing. Its rows are read back, and what is missing is sent again in halves.',
      'An outcome is not known: do nothing. Later runs look first whether the change was applied.',
      'The same reason three times: run "rollcall pause SYNC", and ask the operators of the other system.',
    ],
  },
  held: {
    title: 'Changes wait for approval, or the source looks wrong',
    look: ['rollcall holds', 'rollcall show RUN --held', 'rollcall why SYNC PERSON'],
    steps: [
      'They are meant: run "rollcall approve RUN". The next run delivers them.',
      'They are not meant: run "rollcall reject RUN", and correct HR.',
      'You are not sure: do nothing. Nothing happens without you, and the next run asks again.',
    ],
  },
  freshness: {
    title: 'A sync has had no success for too long',
    look: ['rollcall runs SYNC', 'rollcall status'],
    steps: [
      'Runs were tried and failed: see the reason of the newest one.',
      'No run was tried: check that the schedule had a slot, and that a process of the role scheduler (or all) runs. Its log says why not.',
      'Then run "rollcall resync SYNC".',
    ],
  },
  token: {
    title: 'The tokens of a connection need an operator',
    look: ['rollcall token status CONNECTION'],
    steps: [
      'reauth-required: put a new first refresh token into the configuration, then restart, or run "rollcall token refresh CONNECTION".',
      'sealed: configure the former encryptionKey again, or do as above.',
      'revoked: run "rollcall token refresh CONNECTION" when the connection is to work again.',
      'The token endpoint does not answer as it should: the refresh token is kept and presented again. Repair the endpoint, proxy or network policy; "rollcall token refresh CONNECTION" tries at once.',
    ],
  },
};

/** Returns the page to which alerts link: one section for each topic. It contains no data. */
export function renderRunbook(): string {
  const sections = Object.entries(entries).map(([topic, { title, look, steps }]) => {
    const commands = look.map((command) => `<li><code>${escapeHtml(command)}</code></li>`).join('');
    const items = steps.map((step) => `<li>${escapeHtml(step)}</li>`).join('');
    return `<section id="${topic}"><h2>${escapeHtml(title)}</h2><p>Look:</p><ul>${commands}</ul><p>Then:</p><ul>${items}</ul></section>`;
  });
  return htmlPage(
    'Rollcall: what to do',
    `<header><h1>What to do</h1><a href="/">Overview</a></header>
<main>
<p>Nothing here is urgent for the data. The next run does what was not done, and nothing is sent twice.</p>
${sections.join('\n')}
</main>`,
  );
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
