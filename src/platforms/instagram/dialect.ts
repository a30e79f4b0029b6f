import { Option, Result, Schema } from "effect"
import type { Access, Dialect } from "../meta/dialect.ts"
import { containerPosts } from "../meta/prepared.ts"
import { listedFields, listedText, makePlaceOf, nullable } from "../meta/timeline.ts"
import type { InstagramConfig } from "./config.ts"
import { stateIn } from "./container.ts"
import { isOfPage, keepPageAccess, readAccess } from "./credentials.ts"
import { instagram as facts } from "./facts.ts"
import * as limits from "./limits.ts"
import { tokens } from "./tokens.ts"

const kinds = ["IMAGE", "CAROUSEL", "REEL", "STORY"] as const
export type Kind = (typeof kinds)[number]

/** Instagram's names of the kinds on timelines: of the place where a post is shown, then of its files. */
const shownKinds: Readonly<Record<string, Kind>> = {
  "FEED IMAGE": "IMAGE",
  "FEED CAROUSEL_ALBUM": "CAROUSEL",
  "REELS VIDEO": "REEL",
  "STORY IMAGE": "STORY",
  "STORY VIDEO": "STORY"
}

const stored = containerPosts(facts.name, "InstagramPost", kinds)
export const { encodePost } = stored

const decodeListed = Schema.decodeUnknownOption(
  Schema.Struct({ ...listedFields, caption: listedText, media_product_type: nullable(Schema.String) })
)

export const instagramDialect = (config: InstagramConfig): Dialect => ({
  name: facts.name,
  containerHours: limits.containerHours,
  paths: {
    create: ({ accountId }) => `/${accountId}/media`,
    publish: ({ accountId }) => `/${accountId}/media_publish`,
    list: ({ accountId }, { kind }) => `/${accountId}/${kind === "STORY" ? "stories" : "media"}`,
    lists: ({ accountId }) => [`/${accountId}/media`, `/${accountId}/stories`]
  },
  stateFields: "id,status_code,status",
  stateIn,
  listFields: "id,permalink,timestamp,caption,media_type,media_product_type",
  readListed: (item) =>
    Option.map(decodeListed(item), ({ caption, media_product_type, media_type, ...post }) => ({
      ...post,
      text: caption ?? "",
      kind: shownKinds[`${media_product_type ?? ""} ${media_type ?? ""}`],
      repliedTo: undefined
    })),
  placeOf: makePlaceOf(facts, config),
  childForm: ({ alt, kind }, url) =>
    kind === "VIDEO"
      ? { media_type: "VIDEO", video_url: url }
      : { image_url: url, ...(alt === "" ? {} : { alt_text: alt }) },
  readPost: stored.readPost,
  readAccess: (credentials) =>
    Result.map(readAccess(credentials), ({ accessToken, login }): Access => {
      if (login === "instagram") return { accessToken, baseUrl: `${config.apiUrl}/${config.version}` }
      const { apiUrl, uploadUrl, version } = config.meta
      return {
        accessToken,
        baseUrl: `${apiUrl}/${version}`,
        api: login,
        uploadUrl: `${uploadUrl}/ig-api-upload/${version}`
      }
    }),
  renew: (call, stale) =>
    isOfPage(stale) ? keepPageAccess(config.meta, call, stale) : tokens.renewAccess(config, call, stale)
})
