import { dashboardScript } from './dashboard-script.ts';
import { htmlPage } from './html-page.ts';

/**
 * Returns the page for the operators of a deployment. It contains no data: its script calls the API with the token that
 * the operator enters, which stays in the tab (sessionStorage). It loads nothing from other servers.
 */
export function renderDashboard(version: string): string {
  return htmlPage(
    'Rollcall',
    `<header>
<h1>Rollcall</h1>
<p id="notice" role="status"></p>
<a href="/runbook">What to do</a>
<a href="/docs">API</a>
<button id="leave" type="button" hidden>Forget token</button>
</header>
<main>
<form id="enter">
<label for="token">Token</label>
<input id="token" type="password" autocomplete="off" spellcheck="false" required>
<button type="submit">Open</button>
<p class="hint">One of <code>server.tokens</code>. It stays in this tab.</p>
</form>
<div id="board" hidden>
<section id="run-section" aria-labelledby="run-title" hidden><h2 id="run-title">Run</h2><div id="run"></div></section>
<section aria-labelledby="syncs-title"><h2 id="syncs-title">Syncs</h2><div id="syncs" class="cards"></div></section>
<section aria-labelledby="held-title"><h2 id="held-title">Waiting for approval</h2><div id="held"></div></section>
<section aria-labelledby="runs-title"><h2 id="runs-title">Last runs</h2>
<p class="legend"><span class="dot applied"></span> applied <span class="dot held"></span> held <span class="dot failed"></span> failed or unknown <span class="dot planned"></span> not sent</p>
<div id="runs"></div></section>
<section aria-labelledby="person-title"><h2 id="person-title">Why?</h2>
<form id="ask"><label>Sync <select id="ask-sync" required></select></label>
<label>Identification <input id="ask-person" autocomplete="off" spellcheck="false" required></label>
<button type="submit">Look up</button></form><div id="person" aria-live="polite"></div></section>
</div>
</main>
<dialog id="confirm"><form method="dialog"><p id="question"></p><ul id="examples"></ul>
<menu><button value="no">Back</button><button id="yes" value="yes" class="act">Yes</button></menu></form></dialog>
<footer>Rollcall ${version}</footer>
<script>${dashboardScript}</script>`,
  );
}
