/** The dashboard's style, for light and dark mode, wide and narrow screens. */
export const dashboardStyle = `
:root { color-scheme: light dark; --ink: light-dark(#1c2330, #e6e9ef); --dim: light-dark(#5b6575, #9aa4b5);
  --paper: light-dark(#fff, #14181f); --card: light-dark(#f6f7f9, #1c222c); --line: light-dark(#d9dee6, #323a47);
  --link: light-dark(#1257b0, #7fb4ff); --good: light-dark(#17713a, #6fd08f); --bad: light-dark(#a3211d, #ff9089);
  --warn: light-dark(#8a5a00, #f0c063); --idle: light-dark(#aeb6c2, #566173); }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0 auto; max-width: 72rem; padding: 0 1.25rem 3rem; font: 15px/1.5 system-ui, sans-serif; color: var(--ink);
  background: var(--paper); }
header { display: flex; align-items: center; gap: 1rem; padding: .9rem 0; border-bottom: 1px solid var(--line); }
h1 { font-size: 1.15rem; margin: 0; } h2 { font-size: 1rem; margin: 1.75rem 0 .6rem; } h3 { font-size: 1rem; margin: 0; }
#notice { flex: 1; min-width: 0; margin: 0; color: var(--dim); overflow-wrap: anywhere; } #notice.bad { color: var(--bad); }
a { color: var(--link); }
footer { margin-top: 3rem; color: var(--dim); font-size: .8rem; }
code, .id { font: 13px/1.45 ui-monospace, 'DejaVu Sans Mono', monospace; overflow-wrap: anywhere; }
button, input, select { font: inherit; color: inherit; border: 1px solid var(--line); border-radius: 5px; padding: .35rem .8rem;
  background: var(--card); max-width: 100%; }
button { cursor: pointer; } button:hover { border-color: var(--link); } button:disabled { opacity: .5; cursor: default; }
button.act { background: var(--link); border-color: var(--link); color: var(--paper); font-weight: 600; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
#enter { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; margin: 3rem auto; max-width: 30rem; }
#enter input { flex: 1; min-width: 12rem; } .hint { width: 100%; margin: 0; color: var(--dim); font-size: .85rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr)); gap: .9rem; }
.card, .hold { border: 1px solid var(--line); border-radius: 8px; background: var(--card); padding: .9rem 1rem; }
.card header, .hold header { border: 0; padding: 0; flex-wrap: wrap; gap: .5rem; }
.hold { border-left: 4px solid var(--warn); margin-bottom: .75rem; } .hold p { margin: .3rem 0; }
.badge { font-size: .78rem; font-weight: 600; padding: .05rem .55rem; border: 1px solid currentColor; border-radius: 99px; }
.good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); } .dim { color: var(--dim); }
dl { display: grid; grid-template-columns: auto 1fr; gap: .1rem .9rem; margin: .6rem 0; } dt { color: var(--dim); } dd { margin: 0; overflow-wrap: anywhere; }
.actions { display: flex; gap: .5rem; flex-wrap: wrap; margin-top: .6rem; }
.legend { color: var(--dim); font-size: .82rem; margin: 0 0 .5rem; } .dot { display: inline-block; width: .7rem; height: .7rem; border-radius: 2px; margin: 0 .2rem 0 .6rem; }
.dot:first-child { margin-left: 0; }
.dot.applied { background: var(--good); } .dot.held { background: var(--warn); } .dot.failed { background: var(--bad); } .dot.planned { background: var(--idle); }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: middle; padding: .35rem .75rem .35rem 0; border-top: 1px solid var(--line); }
th { color: var(--dim); font-weight: 500; } td.began { white-space: nowrap; } td.reason { color: var(--dim); } td svg { display: block; width: 11rem; height: .8rem; }
svg .applied { fill: var(--good); } svg .held { fill: var(--warn); } svg .failed { fill: var(--bad); } svg .planned { fill: var(--idle); }
svg .none { fill: var(--line); }
#ask { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; } #ask input, #ask select, #ask button { height: 2.2rem; } #ask label { display: grid; gap: .15rem; font-size: .85rem; color: var(--dim); }
#person > * { margin-top: .9rem; } #person p { max-width: 60rem; }
details summary { cursor: pointer; color: var(--link); } pre { background: var(--card); border: 1px solid var(--line); padding: .6rem .8rem;
  overflow: auto; max-height: 26rem; font-size: 12px; white-space: pre-wrap; overflow-wrap: anywhere; }
dialog { border: 1px solid var(--line); border-radius: 8px; color: inherit; background: var(--paper); max-width: min(34rem, 92vw); padding: 1.2rem 1.4rem; }
dialog::backdrop { background: rgb(0 0 0 / .45); } dialog p { margin: 0 0 .5rem; } dialog ul { margin: 0; padding-left: 1.2rem; max-height: 14rem; overflow: auto; }
menu { display: flex; justify-content: end; gap: .6rem; margin: 1rem 0 0; padding: 0; }
@media (max-width: 44rem) { body { padding: 0 .9rem 2rem; } body > header { flex-wrap: wrap; } #notice { order: 9; flex-basis: 100%; }
  thead { display: none; } tr { display: grid; grid-template-columns: 1fr auto; gap: 0 .75rem; padding: .5rem 0; border-top: 1px solid var(--line); }
  td { border: 0; padding: .05rem 0; } td.reason, td.picture { grid-column: 1 / -1; } td svg { width: 100%; } td:empty { display: none; } }
`;
