import { html } from "../../domain/html.ts"

/** The colors of the dashboard's tokens.css, which has not loaded yet. */
export const frameStyle = `
.frame{position:fixed;inset:0;color-scheme:light dark;background:light-dark(#fafafb,#0f0f12);color:light-dark(#5a5a66,#a2a2ae);font:14px/20px system-ui,sans-serif}
.frame b{display:block;padding:14px 16px;border-bottom:1px solid light-dark(#e5e5ea,#28282f);color:light-dark(#1a1a1f,#ededf1)}
.frame p{margin:48px 16px 0;text-align:center;animation:frame-told 1s steps(1)}
.frame p+p{margin-top:8px;animation-duration:15s}
@keyframes frame-told{from{visibility:hidden}}
@media (scripting:none){.frame{display:none}}
`

/** Shown while scripts and styles load, which takes seconds on a slow connection. */
export const loadingFrame = html`<div class="frame" role="status">
<b>Social publisher</b>
<p>Loading the dashboard…</p>
<p>This is taking longer than usual. Check the connection, or reload the page.</p>
</div>`
