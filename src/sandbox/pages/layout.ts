import { html, type Html } from "../../domain/html.ts"

/** The frame of every page of the sandbox. `refresh` is in seconds. */
export const layout = (page: { readonly title: string; readonly main: Html; readonly refresh?: number }): string => {
  const refresh = page.refresh === undefined ? [] : [html`<meta http-equiv="refresh" content="${page.refresh}">\n`]
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${refresh}<title>${page.title}</title>
<link rel="stylesheet" href="/sandbox/style.css">
</head>
<body>
<header class="top"><a class="brand" href="/sandbox">Sandbox</a>
<p>Stand-ins for X and Bluesky. Nothing that is posted here leaves this machine.</p></header>
<main>${page.main}</main>
</body>
</html>
`.markup
}
