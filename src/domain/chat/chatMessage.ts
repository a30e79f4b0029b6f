import type { DeliveredContent } from "../mail/deliveredContent.ts"
import { oneLine } from "../oneLine.ts"
import type { ChannelKind } from "../plain/chat.ts"

/** A part of a line. The URL is the service's own; its text is the service's too. */
interface Piece {
  readonly text: string
  readonly isBold?: true
  readonly url?: string
}
type Line = ReadonlyArray<Piece>

/** How a chat program writes text that comes from people, and what the service adds to it. */
interface Dialect {
  /** In UTF-16 code units, of the whole message. */
  readonly limit: number
  /** Text that is shown as it is, and pings nobody. */
  readonly escape: (text: string) => string
  readonly bold: (escaped: string) => string
  readonly link: (label: string, url: string) => string
  /** `text` is the lines as the dialect writes them. */
  readonly body: (text: string, lines: ReadonlyArray<Line>) => unknown
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

/** Separates characters that mean something together, without being seen. */
const separator = "\u200b"

const inLink = (url: string): string => url.replaceAll("(", "%28").replaceAll(")", "%29").replaceAll(">", "%3E")

const asRichText = ({ isBold, text, url }: Piece) =>
  url === undefined
    ? // Not even a program that reads the text as Slack's markup finds a mention.
      { type: "text", text: text.replaceAll(/<(?=[!#@])/g, `<${separator}`), ...(isBold && { style: { bold: true } }) }
    : { type: "link", url, text }

const dialects: Readonly<Record<ChannelKind, Dialect>> = {
  slack: {
    limit: 3_000,
    escape: (text) => text.replaceAll(/[&<>]/g, (character) => entities[character] ?? character),
    bold: (escaped) => escaped,
    link: (label, url) => `<${url.replaceAll("|", "%7C").replaceAll(">", "%3E")}|${label}>`,
    // Slack's markup can't escape *, _, ~, ` and names of emoji, so the blocks have none. Notifications of devices show
    // the text, without markup.
    body: (text, lines) => ({
      text,
      mrkdwn: false,
      blocks: [
        {
          type: "rich_text",
          elements: [
            {
              type: "rich_text_section",
              elements: lines.flatMap((line, index) => [
                ...(index === 0 ? [] : [{ type: "text", text: "\n" }]),
                ...line.map(asRichText)
              ])
            }
          ]
        }
      ],
      unfurl_links: false,
      unfurl_media: false
    })
  },
  discord: {
    limit: 2_000,
    // At the start of a line, a number with a period begins a list.
    escape: (text) => text.replaceAll(/[\\*_~`|[\]()<>@#:-]/g, "\\$&").replace(/^\d+(?=\.)/, "$&\\"),
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
        .replaceAll("@", `@${separator}`)
        // It has no escape for names of emoji.
        .replaceAll(/:(?=[^\s/])/g, `:${separator}`),
    bold: (escaped) => `**${escaped}**`,
    link: (label, url) => `[${label}](${inLink(url)})`,
    body: (text) => ({ text })
  }
}

/** In characters, before they are escaped. */
const maxHeading = 200
const maxItem = 300

/** The body of the request to the chat program. Lists as many notifications as fit, and counts all. */
export const chatMessage = (
  kind: ChannelKind,
  workspaceName: string,
  { action, countOthers, heading, items }: DeliveredContent
): unknown => {
  const { body, bold, escape, limit, link } = dialects[kind]
  const isList = items.length > 1
  const first: Line = [{ text: oneLine(`${workspaceName}: ${heading}`, maxHeading), isBold: true }]
  const last: Line = [{ text: action.label, url: action.url }]
  const lines: ReadonlyArray<Line> = isList
    ? items.map(({ message, title, url }) => [
        { text: "• " },
        { text: oneLine(`${title}: ${message}`, maxItem) },
        ...(url === null ? [] : [{ text: " " }, { text: "Open", url }])
      ])
    : items.flatMap((item) => item.lines.map((line) => [{ text: oneLine(line, maxItem) }]))
  const describeRest = (shown: number) => {
    if (isList) return countOthers(shown)
    return shown < lines.length ? "…" : countOthers(items.length)
  }
  const compose = (shown: number): ReadonlyArray<Line> => {
    const rest = describeRest(shown)
    return [first, ...lines.slice(0, shown), ...(rest === null ? [] : [[{ text: rest }]]), last]
  }
  const write = (composed: ReadonlyArray<Line>): string =>
    composed
      .map((line) =>
        line
          .map(({ isBold, text, url }) => {
            if (url !== undefined) return link(text, url)
            return isBold ? bold(escape(text)) : escape(text)
          })
          .join("")
      )
      .join("\n")
  let shown = lines.length
  while (shown > 0 && write(compose(shown)).length > limit) shown--
  const whole = compose(shown)
  const fitting = write(whole).length <= limit ? whole : [first]
  return body(write(fitting), fitting)
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
