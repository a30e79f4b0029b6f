import { html, type Html } from "../../domain/html.ts"
import { namePlatforms } from "../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../domain/platform.ts"
import { standIns } from "../../platforms/standIns.ts"

/** `isLive` makes the page show what is new. */
export const layout = (page: {
  readonly title: string
  readonly main: Html
  readonly isLive?: boolean
  /** The platforms whose stand-ins are named. */
  readonly enabled: ReadonlyArray<LivePlatform>
}): string => {
  const script = page.isLive === true ? [html`<script src="/sandbox/live.js" defer></script>\n`] : []
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${script}<title>${page.title}</title>
<link rel="stylesheet" href="/sandbox/style.css">
</head>
<body>
<header class="top"><a class="brand" href="/sandbox">Sandbox</a>
<p>Stand-ins for ${namePlatforms(page.enabled)}. Nothing that is posted here leaves this machine.</p>
<a class="home" href="/">Back to the dashboard</a></header>
<main>${page.main}</main>
</body>
</html>
`.markup
}

const dots = Object.values(standIns).flatMap(({ dot, platform }) => (dot === undefined ? [] : [{ platform, dot }]))

const dotColors = (scheme: "light" | "dark"): string =>
  dots.map(({ dot, platform }) => `--${platform}: ${dot[scheme]};`).join(" ")

const dotRules = dots.map(({ platform }) => `.${platform} .dot { background: var(--${platform}); }`).join("\n")

export const styleSheet = `:root {
  color-scheme: light dark;
  --page: #f3f5f8; --card: #fff; --line: #e3e8ee; --text: #16202b; --quiet: #5b6877;
  --x: #16202b; ${dotColors("light")} --link: #0a63c9; --warn-page: #fff6e0; --warn-line: #f0d9a0;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0d1218; --card: #151c25; --line: #27313d; --text: #e8edf3; --quiet: #93a1b1;
    --x: #e8edf3; ${dotColors("dark")} --link: #6db3ff; --warn-page: #2b2310; --warn-line: #5a4719;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 Inter, system-ui, "Segoe UI", Roboto, sans-serif; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 4px; }
.top, main { max-width: 1120px; margin: 0 auto; padding: 0 20px; }
.top { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 16px; padding-top: 24px; padding-bottom: 18px; }
.top p { margin: 0; color: var(--quiet); }
.home { margin-left: auto; }
.hint { margin: 0 0 20px; color: var(--quiet); }
.brand { color: var(--text); font-size: 22px; font-weight: 700; letter-spacing: -.02em; }
.timelines { display: grid; grid-template-columns: 1fr 1fr; gap: 20px; align-items: start; padding-bottom: 40px; }
.timelines.of-one { grid-template-columns: minmax(0, 620px); justify-content: center; }
@media (max-width: 760px) { .timelines { grid-template-columns: 1fr; } }
.platforms { display: flex; flex-wrap: wrap; gap: 6px; margin: 0 0 16px; }
.platforms a { padding: 4px 12px; border: 1px solid var(--line); border-radius: 999px; background: var(--card); color: var(--text); font-size: 14px; }
.platforms a[aria-current] { border-color: var(--x); background: var(--x); color: var(--card); }
.timeline { background: var(--card); border: 1px solid var(--line); border-radius: 16px; overflow: hidden; }
.timeline h2 { display: flex; align-items: center; gap: 10px; margin: 0; padding: 14px 18px; border-bottom: 1px solid var(--line); font-size: 16px; }
.dot { width: 10px; height: 10px; border-radius: 50%; background: var(--x); }
${dotRules}
.count { margin-left: auto; color: var(--quiet); font-weight: 500; font-variant-numeric: tabular-nums; }
.post { display: flex; gap: 12px; padding: 16px 18px; border-bottom: 1px solid var(--line); }
.post:last-child { border-bottom: 0; }
.timelines .reply { padding-left: 42px; }
.body { min-width: 0; flex: 1; }
.body header { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.handle, .note, .post footer, .empty, .identity, .back { color: var(--quiet); }
.text { margin: 2px 0 8px; white-space: pre-wrap; overflow-wrap: anywhere; }
.title { margin: 2px 0 0; font-weight: 600; overflow-wrap: anywhere; }
.entity { color: var(--link); }
.media { display: grid; grid-template-columns: 1fr 1fr; gap: 4px; margin: 0 0 10px; border-radius: 12px; overflow: hidden; }
.media.of-1 { grid-template-columns: 1fr; }
.media.of-3 figure:first-child { grid-row: span 2; }
.media figure { position: relative; margin: 0; min-height: 120px; background: var(--line); }
.media img, .media video { display: block; width: 100%; height: 100%; max-height: 420px; object-fit: cover; }
.media.of-1 img, .media video { object-fit: contain; }
.of-many .media img, .of-many .media video { max-height: 180px; }
.media figcaption { position: absolute; left: 8px; bottom: 8px; display: flex; gap: 4px; pointer-events: none; }
.badge { padding: 1px 6px; border-radius: 4px; background: rgb(0 0 0 / .7); color: #fff; font-size: 11px; font-weight: 700; }
.link-card { display: block; margin: 0 0 10px; border: 1px solid var(--line); border-radius: 12px; overflow: hidden; color: inherit; }
.link-card:hover { text-decoration: none; border-color: var(--quiet); }
.link-card img { display: block; width: 100%; aspect-ratio: 1.91; object-fit: cover; border-bottom: 1px solid var(--line); }
.link-card .words { display: grid; gap: 2px; padding: 10px 14px; overflow-wrap: anywhere; }
.link-card .host { color: var(--quiet); font-size: 13px; }
.link-card .about { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; color: var(--quiet); font-size: 14px; }
.note { margin: 0 0 4px; font-size: 13px; }
.post footer { font-size: 13px; font-variant-numeric: tabular-nums; }
.post footer a { color: inherit; }
.avatar { flex: none; display: grid; place-items: center; width: 42px; height: 42px; border-radius: 50%; color: #fff; font-weight: 700; font-size: 18px; }
.color-0 { background: #3b6fd4; } .color-1 { background: #8a4fd0; } .color-2 { background: #c2447c; }
.color-3 { background: #b65a1c; } .color-4 { background: #2d8557; } .color-5 { background: #2a7f92; }
.empty { margin: 0; padding: 36px 18px; text-align: center; }
.more { padding: 16px 18px; }
.single { max-width: 620px; margin: 12px auto 0; }
.single .text { font-size: 19px; }
.identity { margin: 0; padding: 12px 18px; font: 12px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
.back { margin: 16px 0 40px; text-align: center; }
.faults { margin-bottom: 20px; padding: 12px 18px; background: var(--warn-page); border: 1px solid var(--warn-line); border-radius: 16px; }
.faults h2 { margin: 0 0 4px; font-size: 15px; }
.faults ul { margin: 0; padding-left: 20px; }
.consent { display: grid; gap: 14px; padding: 24px; }
.consent p { margin: 0; }
h1 { margin: 0; font-size: 22px; line-height: 1.3; letter-spacing: -.01em; overflow-wrap: anywhere; }
.choices { display: flex; flex-wrap: wrap; gap: 10px; padding-top: 6px; }
.button { flex: 1 1 140px; padding: 9px 20px; border: 1px solid var(--x); border-radius: 999px; background: var(--x); color: var(--card); font-weight: 600; text-align: center; }
.plain { border-color: var(--line); background: none; color: var(--text); }
`
