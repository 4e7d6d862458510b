/** The style of pages without a script, for light and dark mode, wide and narrow screens. */
export const pageStyle = `
:root { color-scheme: light dark; --ink: light-dark(#1a1d23, #e8eaed); --dim: light-dark(#5b6370, #9aa3af);
  --paper: light-dark(#fff, #101215); --card: light-dark(#f1f3f7, #20242a); --line: light-dark(#e3e6eb, #2a2e35);
  --link: light-dark(#1f54c7, #84a9ff); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 0 1.25rem 3rem; font: 15px/1.5 system-ui, sans-serif; color: var(--ink);
  background: var(--paper); }
header { display: flex; align-items: center; gap: 1rem; padding: .9rem 0; border-bottom: 1px solid var(--line); }
h1 { font-size: 1.15rem; margin: 0; } h2 { font-size: 1rem; margin: 1.75rem 0 .6rem; }
a { color: var(--link); }
code { font: 13px/1.45 ui-monospace, 'DejaVu Sans Mono', monospace; padding: 1px 5px; border-radius: 4px;
  background: var(--card); overflow-wrap: anywhere; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
:target h2 { color: var(--link); }
`;
