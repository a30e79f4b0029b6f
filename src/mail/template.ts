import { html, type Html } from "../domain/html.ts"
import { withoutInvisible } from "../domain/plain/invisible.ts"

export interface MailItem {
  readonly title: string
  readonly message: string
  /** Null without a page. */
  readonly url: string | null
}

export interface MailLink {
  readonly label: string
  readonly url: string
}

export interface MailContent {
  readonly workspaceName: string
  readonly heading: string
  readonly items: ReadonlyArray<MailItem>
  /** After the items, such as how many others there are. */
  readonly note: string | null
  readonly action: MailLink
  /** Why the person gets this, and what they can do about it. */
  readonly footer: string
  /** In the footer. */
  readonly links: ReadonlyArray<MailLink>
}

const styles = `body{margin:0;padding:24px 16px;background:#fafafb;color:#1a1a1f;font:15px/22px system-ui,-apple-system,"Segoe UI",sans-serif}
.card{max-width:560px;margin:0 auto;padding:24px;border:1px solid #e5e5ea;border-radius:12px;background:#fff}
.workspace,.footer{color:#5a5a66;font-size:13px;line-height:18px}
h1{margin:4px 0 16px;font-size:19px;line-height:26px;overflow-wrap:anywhere}
.item{white-space:pre-line;margin:0 0 16px;padding:0 0 0 12px;border-left:3px solid #e5e5ea;overflow-wrap:anywhere}
.item strong{display:block}
.action{display:inline-block;margin:4px 0 20px;padding:9px 16px;border-radius:8px;background:#4b54d6;color:#fff;font-weight:600;text-decoration:none}
a{color:#434bc6}
.footer{margin:0;padding-top:16px;border-top:1px solid #e5e5ea}
@media (prefers-color-scheme:dark){body{background:#0f0f12!important;color:#ededf1!important}
.card{background:#17171c!important;border-color:#28282f!important}.workspace,.footer{color:#a2a2ae!important}
.item,.footer{border-color:#28282f!important}.action{background:#5a62e2!important;color:#fff!important}a{color:#a3a9ff}}`

const markup = (text: string): Html => ({ markup: text })

const itemHtml = ({ message, title, url }: MailItem, hasOwnTitle: boolean): Html =>
  html`<div class="item">${
    hasOwnTitle ? html`<strong>${title}</strong>` : ""
  }${message}${url === null || !hasOwnTitle ? "" : html`<br><a href="${url}">Open</a>`}</div>`

const itemText = ({ message, title, url }: MailItem, hasOwnTitle: boolean): string =>
  [...(hasOwnTitle ? [title] : []), message, ...(url === null || !hasOwnTitle ? [] : [url])].join("\n")

/**
 * Names and texts of people can have characters that change the direction of what follows, or can't be seen. A mail has
 * none of them.
 */
const asWritten = ({ footer, heading, items, workspaceName, ...others }: MailContent): MailContent => ({
  ...others,
  workspaceName: withoutInvisible(workspaceName),
  heading: withoutInvisible(heading),
  items: items.map(({ message, title, url }) => ({
    title: withoutInvisible(title),
    message: withoutInvisible(message),
    url
  })),
  footer: withoutInvisible(footer)
})

/** A single item's title is the heading, and its page the action. */
export const renderMail = (content: MailContent) => {
  const { action, footer, heading, items, links, note, workspaceName } = asWritten(content)
  const isList = items.length > 1
  const text = [
    workspaceName,
    heading,
    ...items.map((item) => itemText(item, isList)),
    ...(note === null ? [] : [note]),
    `${action.label}: ${action.url}`,
    // Mail programs show what follows as a signature.
    ["-- ", footer, ...links.map(({ label, url }) => `${label}: ${url}`)].join("\n")
  ].join("\n\n")
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>${heading}</title><style>${markup(styles)}</style></head>
<body><div class="card"><div class="workspace">${workspaceName}</div><h1>${heading}</h1>
${items.map((item) => itemHtml(item, isList))}${note === null ? "" : html`<p>${note}</p>`}
<a class="action" href="${action.url}">${action.label}</a>
<p class="footer">${footer}${links.map(({ label, url }) => html`<br><a href="${url}">${label}</a>`)}</p></div></body></html>`
  return { text: `${text}\n`, html: page.markup }
}
