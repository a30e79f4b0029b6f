import { HttpServerResponse } from "effect/http"
import { html, type Html } from "../../domain/html.ts"
import { contentSecurityPolicy, hashSource } from "./contentSecurity.ts"

/** The dashboard's colors and sizes. */
const style = `
:root {
  color-scheme: light dark;
  --background: #fafafb; --surface: #ffffff; --hover: #f1f1f4; --border: #e5e5ea; --border-strong: #d0d0d8;
  --text: #1a1a1f; --text-secondary: #5a5a66; --accent: #4b54d6; --accent-hover: #3f47c0; --accent-text: #434bc6;
  --on-accent: #ffffff; --focus: #4b54d6; --radius: 8px; --control: 32px;
  --font: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --background: #0f0f12; --surface: #16161a; --hover: #202026; --border: #28282f; --border-strong: #3a3a44;
    --text: #ededf1; --text-secondary: #a2a2ae; --accent: #5a62e2; --accent-hover: #4f57d9; --accent-text: #a3a9ff;
    --focus: #8b92ff;
  }
}
@media (pointer: coarse) { :root { --control: 40px; } }
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--background); color: var(--text); font: 14px/20px var(--font);
  -webkit-font-smoothing: antialiased; -webkit-text-size-adjust: 100%; text-size-adjust: 100%;
}
main { display: grid; align-content: center; justify-content: center; min-height: 100dvh; padding: 24px 16px;
  grid-template-columns: minmax(0, 440px); gap: 20px; }
.brand { display: flex; align-items: center; justify-content: center; gap: 10px; font-size: 15px; font-weight: 600; }
.ground { fill: var(--accent); }
.line { fill: none; stroke: var(--on-accent); stroke-width: 2.5; stroke-linecap: round; stroke-linejoin: round; }
.dot { fill: var(--on-accent); }
.card, form { display: grid; gap: 20px; }
.card { padding: 24px; border: 1px solid var(--border); border-radius: 12px; background: var(--surface);
  overflow-wrap: anywhere; }
h1, p { margin: 0; }
h1 { font-size: 20px; line-height: 28px; font-weight: 600; letter-spacing: -0.01em; text-wrap: balance; }
strong { font-weight: 600; }
a { color: var(--accent-text); text-decoration: none; }
a:hover { text-decoration: underline; }
.note { color: var(--text-secondary); font-size: 12px; line-height: 16px; }
.choice { display: grid; gap: 6px; }
button { width: 100%; min-height: var(--control); padding: 5px 12px; border: 1px solid var(--border-strong);
  border-radius: var(--radius); background: var(--surface); color: inherit; font: inherit; font-weight: 500;
  cursor: pointer; }
button:hover { background: var(--hover); }
.primary { border-color: transparent; background: var(--accent); color: var(--on-accent); }
.primary:hover { background: var(--accent-hover); }
.quiet { border-color: transparent; color: var(--text-secondary); }
.quiet:hover { color: var(--text); }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
`

const headers = {
  "content-security-policy": contentSecurityPolicy({
    sources: [`style-src ${hashSource(style)}`],
    formAction: "'self'"
  }),
  // With the default, no-referrer, browsers would send the form with `Origin: null`.
  "referrer-policy": "same-origin"
}

/** A page with one card and no scripts, in the style of the dashboard's pages before log-in. */
export const cardPage = (status: number, title: string, content: Html) =>
  HttpServerResponse.text(
    html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${{ markup: style }}</style>
</head>
<body>
<main>
<div class="brand">
<svg width="28" height="28" viewBox="0 0 32 32" aria-hidden="true"><rect class="ground" width="32" height="32" rx="8"/><path class="line" d="M9.500 20.500V14a3 3 0 0 1 3-3H23m0 0-4-4m4 4-4 4"/><circle class="dot" cx="9.500" cy="23.500" r="2.250"/></svg>
<span>Social publisher</span>
</div>
<section class="card" aria-labelledby="title">
<h1 id="title">${title}</h1>
${content}
</section>
</main>
</body>
</html>
`.markup,
    { status, contentType: "text/html; charset=utf-8", headers }
  )
