import { findEntities } from "../../../domain/posts/text/entities.ts"
import { bluesky as facts } from "../facts.ts"
import { postText } from "./richText.ts"

/** Something that a post can quote. */
export interface LinkedRecord {
  /** A handle or a DID. */
  readonly account: string
  readonly collection: string
  readonly key: string
}

const collections: Readonly<Record<string, string>> = {
  post: "app.bsky.feed.post",
  feed: "app.bsky.feed.generator",
  lists: "app.bsky.graph.list"
}
const starterPack = "app.bsky.graph.starterpack"

/** Undefined for a link to anything else. */
export const recordOfLink = (link: string): LinkedRecord | undefined => {
  const url = URL.parse(link)
  const groups =
    url !== null && facts.hosts.includes(url.hostname) ? facts.card.quotedPath.exec(url.pathname)?.groups : undefined
  const { account, creator, key, kind } = groups ?? {}
  const owner = account ?? creator
  if (owner === undefined || key === undefined) return undefined
  const collection = kind === undefined ? starterPack : collections[kind]
  // A browser's address bar may show the colons of a DID encoded.
  return collection === undefined
    ? undefined
    : { account: owner.replaceAll(/%3a/gi, ":").replace(/^@/, ""), collection, key }
}

/** Bluesky's app shortens links to starter packs. */
export const shortLinks = "https://go.bsky.app"

/** The code of a short link. Undefined for every other link. */
export const shortLinkCode = (link: string): string | undefined => {
  const url = URL.parse(link)
  return url?.origin === shortLinks ? /^\/([A-Za-z0-9]{1,32})\/?$/.exec(url.pathname)?.[1] : undefined
}

const linksOf = (text: string): ReadonlyArray<string> =>
  findEntities(postText(text)).flatMap(({ feature }) => (feature._tag === "Link" ? [feature.uri] : []))

export const firstLink = (text: string): string | undefined => linksOf(text)[0]

export const quoteLink = (text: string): string | undefined =>
  linksOf(text).find((link) => recordOfLink(link) !== undefined)
