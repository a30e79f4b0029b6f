import { type ChannelKind, channelKindNames } from "../plain/chat.ts"

interface Form {
  /** Null for servers of one's own. */
  readonly hosts: ReadonlySet<string> | null
  readonly path: RegExp
  readonly search: RegExp
  readonly example: string
}

const forms: Readonly<Record<ChannelKind, Form>> = {
  slack: {
    // The second one is Slack for governments.
    hosts: new Set(["hooks.slack.com", "hooks.slack-gov.com"]),
    path: /^\/services\/\w+\/\w+\/\w+$/,
    search: /^$/,
    example: "https://hooks.slack.com/services/T…/B…/…"
  },
  discord: {
    hosts: new Set(["discord.com", "discordapp.com"]),
    path: /^\/api\/(v\d{1,2}\/)?webhooks\/\d+\/[\w-]+$/,
    search: /^(\?thread_id=\d+)?$/,
    example: "https://discord.com/api/webhooks/…/…"
  },
  mattermost: {
    hosts: null,
    path: /\/hooks\/\w+$/,
    search: /^$/,
    example: "https://chat.example.com/hooks/…"
  }
}

/** Undefined for the URL of an incoming webhook. Whether its host may be reached is for the client to decide. */
export const explainWrongUrl = (kind: ChannelKind, text: string): string | undefined => {
  const { example, hosts, path, search } = forms[kind]
  const url = URL.parse(text)
  const isRight =
    url !== null &&
    // The parser would leave these out, but the stored text keeps them.
    !/[\s\p{Cc}]/u.test(text) &&
    (hosts === null || (url.protocol === "https:" && hosts.has(url.host))) &&
    path.test(url.pathname) &&
    search.test(url.search) &&
    url.hash === ""
  return isRight
    ? undefined
    : `This is not the URL of an incoming webhook of ${channelKindNames[kind]}, such as ${example}; copy it from there in full`
}

/** Discord then responds after it has stored the message, and says if it could not. */
export const withConfirmation = (kind: ChannelKind, url: string): string =>
  kind === "discord" ? `${url}${url.includes("?") ? "&" : "?"}wait=true` : url
