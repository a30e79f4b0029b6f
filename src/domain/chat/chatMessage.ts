import type { DeliveredContent } from "../mail/deliveredContent.ts"
import type { ChannelKind } from "../plain/chat.ts"

/** How a chat program writes text that comes from people, and what the service adds to it. */
interface Dialect {
  /** In UTF-16 code units, of the whole message. */
  readonly limit: number
  /** Text that is shown as it is, and pings nobody. */
  readonly escape: (text: string) => string
  readonly bold: (escaped: string) => string
  /** `label` is plain. The URL is the service's own. */
  readonly link: (label: string, url: string) => string
  readonly body: (text: string) => unknown
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

/** Separates the characters of a mention without being seen. */
const separator = "\u200b"

const inLink = (url: string): string => url.replaceAll("(", "%28").replaceAll(")", "%29").replaceAll(">", "%3E")

const dialects: Readonly<Record<ChannelKind, Dialect>> = {
  slack: {
    // A section's text is shorter than a message.
    limit: 3_000,
    escape: (text) => text.replaceAll(/[&<>]/g, (character) => entities[character] ?? character),
    bold: (escaped) => `*${escaped}*`,
    link: (label, url) => `<${url.replaceAll("|", "%7C").replaceAll(">", "%3E")}|${label}>`,
    body: (text) => ({
      text,
      blocks: [{ type: "section", text: { type: "mrkdwn", text, verbatim: true } }],
      unfurl_links: false,
      unfurl_media: false
    })
  },
  discord: {
    limit: 2_000,
    escape: (text) => text.replaceAll(/[\\*_~`|[\]()<>@#:-]/g, "\\$&"),
    bold: (escaped) => `**${escaped}**`,
    link: (label, url) => `[${label}](<${inLink(url)}>)`,
    // 4 suppresses previews of links.
    body: (text) => ({ content: text, allowed_mentions: { parse: [] }, flags: 4 })
  },
  mattermost: {
    limit: 4_000,
    escape: (text) =>
      text
        .replaceAll(/[\\`*_{}[\]()#+\-.!>~|]/g, "\\$&")
        .replaceAll(/&(?=#?\w+;)/g, "&amp;")
        // Mattermost reads `<!channel>` as Slack does, also after a backslash.
        .replaceAll("<", "&lt;")
        .replaceAll("@", `@${separator}`),
    bold: (escaped) => `**${escaped}**`,
    link: (label, url) => `[${label}](${inLink(url)})`,
    body: (text) => ({ text })
  }
}

/** In characters, before they are escaped. */
const maxHeading = 200
const maxItem = 300

/** One line without line breaks and control characters, because both can mean something at the start of a line. */
const lineOf = (text: string, most: number): string => {
  const line = Array.from(text.replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim())
  return line.length <= most ? line.join("") : `${line.slice(0, most - 1).join("")}…`
}

/** The body of the request to the chat program. Lists as many notifications as fit, and counts all. */
export const chatMessage = (
  kind: ChannelKind,
  workspaceName: string,
  { action, countOthers, heading, items }: DeliveredContent
): unknown => {
  const { body, bold, escape, limit, link } = dialects[kind]
  const isList = items.length > 1
  const first = bold(escape(lineOf(`${workspaceName}: ${heading}`, maxHeading)))
  const last = link(action.label, action.url)
  const lines = isList
    ? items.map(
        ({ message, title, url }) =>
          `• ${escape(lineOf(`${title}: ${message}`, maxItem))}${url === null ? "" : ` ${link("Open", url)}`}`
      )
    : items.flatMap((item) => item.lines.map((line) => escape(lineOf(line, maxItem))))
  const describeRest = (shown: number) => {
    if (isList) return countOthers(shown)
    return shown < lines.length ? "…" : countOthers(items.length)
  }
  const compose = (shown: number) =>
    [first, ...lines.slice(0, shown), describeRest(shown), last].filter((line) => line !== null).join("\n")
  let shown = lines.length
  while (shown > 0 && compose(shown).length > limit) shown--
  const text = compose(shown)
  return body(text.length <= limit ? text : first)
}

const testText = "It gets notifications of Social Publisher from now on. Somebody has sent this test."

export const testMessage = (kind: ChannelKind, workspaceName: string, baseUrl: string): unknown =>
  chatMessage(kind, workspaceName, {
    heading: "This channel works",
    subject: "This channel works",
    items: [
      {
        title: "Test",
        message: testText,
        lines: [testText],
        url: null
      }
    ],
    countOthers: () => null,
    action: { label: "Open the dashboard", url: `${baseUrl}/` }
  })
