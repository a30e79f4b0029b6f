import { Duration, Effect, Option, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { Did, RecordUri, Cid, isHandle } from "./syntax.ts"
import type { LinkCard } from "../../domain/posts/linkCard.ts"
import { type Call, type PlatformResponse, readResponse } from "../call.ts"
import { displayName, shownText } from "../platformText.ts"
import { type LinkedRecord, recordOfLink, shortLinkCode } from "./rules/quoteLink.ts"
import { query } from "./xrpc.ts"

/** Less than the time that a link's page gets, so that the page can still be read. */
const timeout = Duration.seconds(5)

const maxText = 1000

const optional = Schema.optionalKey(Schema.Unknown)
const found = { uri: RecordUri, cid: Cid }
const Creator = Schema.Struct({ handle: Schema.String, displayName: optional })
const Post = Schema.Struct({ ...found, author: Creator, record: Schema.Struct({ text: optional }) })
const Named = Schema.Struct({
  ...found,
  creator: Creator,
  displayName: optional,
  name: optional,
  description: optional
})
const Pack = Schema.Struct({
  ...found,
  creator: Creator,
  record: Schema.Struct({ name: optional, description: optional })
})

interface Shown {
  readonly uri: string
  readonly cid: string
  readonly title: string
  readonly description: unknown
}

const person = ({ displayName: name, handle }: typeof Creator.Type): string => {
  const shown = isHandle(handle) ? `@${handle}` : "an account"
  const known = displayName(name)
  return known === null ? shown : `${known} (${shown})`
}

const by = (kind: string, name: unknown, creator: typeof Creator.Type): string =>
  `${displayName(name) ?? kind}: ${kind.toLowerCase()} by ${person(creator)}`

const readDid = readResponse(Schema.Struct({ did: Did }))
const readPosts = readResponse(Schema.Struct({ posts: Schema.Array(Post) }))
const readFeed = readResponse(Schema.Struct({ view: Named }))
const readList = readResponse(Schema.Struct({ list: Named }))
const readShortLink = readResponse(Schema.Struct({ url: Schema.String.check(Schema.isMaxLength(2_000)) }))
const readPack = readResponse(Schema.Struct({ starterPack: Pack }))

const shownNamed =
  (kind: string) =>
  ({ cid, creator, description, displayName: title, name, uri }: typeof Named.Type): Shown => ({
    uri,
    cid,
    title: by(kind, title ?? name, creator),
    description
  })

interface View {
  readonly method: string
  readonly params: (uri: string) => Readonly<Record<string, string>>
  readonly read: (response: PlatformResponse) => Option.Option<Shown>
}

const views: Readonly<Record<string, View>> = {
  "app.bsky.feed.post": {
    method: "app.bsky.feed.getPosts",
    params: (uri) => ({ uris: uri }),
    read: (response) =>
      Option.flatMap(readPosts(response), ({ posts: [post] }) =>
        Option.map(Option.fromUndefinedOr(post), ({ author, cid, record: { text }, uri }) => ({
          uri,
          cid,
          title: person(author),
          description: text
        }))
      )
  },
  "app.bsky.feed.generator": {
    method: "app.bsky.feed.getFeedGenerator",
    params: (uri) => ({ feed: uri }),
    read: (response) => Option.map(readFeed(response), ({ view }) => shownNamed("Feed")(view))
  },
  "app.bsky.graph.list": {
    method: "app.bsky.graph.getList",
    params: (uri) => ({ list: uri, limit: "1" }),
    read: (response) => Option.map(readList(response), ({ list }) => shownNamed("List")(list))
  },
  "app.bsky.graph.starterpack": {
    method: "app.bsky.graph.getStarterPack",
    params: (uri) => ({ starterPack: uri }),
    read: (response) =>
      Option.map(readPack(response), ({ starterPack: { record, ...pack } }) =>
        shownNamed("Starter pack")({ ...pack, ...record })
      )
  }
}

/** Asks the service that shows Bluesky's records to everybody, so that no account is needed. */
export const makeFindQuoted = (call: Call, appViewUrl: string, shortLinkUrl?: string) => {
  const ask = <A>(
    method: string,
    params: Readonly<Record<string, string>>,
    read: (response: PlatformResponse) => Option.Option<A>
  ) =>
    Effect.map(call(query(appViewUrl, method, params)), (response) =>
      response.status === 200 ? read(response) : Option.none()
    )

  const didOf = ({ account }: LinkedRecord) =>
    account.startsWith("did:")
      ? Effect.succeedSome(account)
      : ask("com.atproto.identity.resolveHandle", { handle: account }, (response) =>
          Option.map(readDid(response), ({ did }) => did)
        )

  /** The link that a short link stands for; other links stay. */
  const unshorten = Effect.fnUntraced(function* (url: string) {
    const code = shortLinkUrl === undefined ? undefined : shortLinkCode(url)
    if (code === undefined) return url
    const response = yield* call(HttpClientRequest.get(`${shortLinkUrl}/${code}`, { acceptJson: true }))
    const read = response.status === 200 ? readShortLink(response) : Option.none()
    return Option.match(read, { onNone: () => url, onSome: (link) => link.url })
  })

  return Effect.fn("Bluesky.findQuoted")(
    function* (url: string) {
      const linked = recordOfLink(yield* unshorten(url))
      const view = linked && views[linked.collection]
      if (linked === undefined || view === undefined) return Option.none()
      const did = yield* didOf(linked)
      if (Option.isNone(did)) return Option.none()
      const uri = `at://${did.value}/${linked.collection}/${linked.key}`
      const shown = yield* ask(view.method, view.params(uri), view.read)
      // Another record than the asked one is no answer.
      return Option.map(
        Option.filter(shown, (record) => record.uri === uri),
        ({ cid, description, title }) => ({
          url,
          title,
          description: shownText(description, maxText),
          thumb: null,
          record: { uri, cid }
        })
      )
    },
    Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.succeedNone }),
    Effect.orElseSucceed(() => Option.none<LinkCard>())
  )
}
