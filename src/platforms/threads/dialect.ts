import { Option, Result, Schema } from "effect"
import type { Dialect } from "../meta/dialect.ts"
import { containerPosts } from "../meta/prepared.ts"
import type { SentFile } from "../meta/sentFile.ts"
import { MetaId } from "../meta/syntax.ts"
import { listedFields, listedText, makePlaceOf, nullable } from "../meta/timeline.ts"
import type { ThreadsConfig } from "./config.ts"
import { stateIn } from "./container.ts"
import { threads as facts } from "./facts.ts"
import * as limits from "./limits.ts"
import { tokens } from "./tokens.ts"

const kinds = ["TEXT", "IMAGE", "VIDEO", "CAROUSEL"] as const
export type Kind = (typeof kinds)[number]

/** Threads' names of the kinds on timelines. */
const shownKinds: Readonly<Record<string, Kind>> = {
  TEXT_POST: "TEXT",
  IMAGE: "IMAGE",
  VIDEO: "VIDEO",
  CAROUSEL_ALBUM: "CAROUSEL"
}

const stored = containerPosts("Threads", "ThreadsPost", kinds)
export const { encodePost } = stored

const decodeListed = Schema.decodeUnknownOption(
  Schema.Struct({ ...listedFields, text: listedText, replied_to: nullable(Schema.Struct({ id: MetaId })) })
)

/** The members that name a file. */
export const fileForm = ({ alt, kind }: SentFile, url: string) => ({
  media_type: kind,
  [kind === "VIDEO" ? "video_url" : "image_url"]: url,
  ...(alt === "" ? {} : { alt_text: alt })
})

const posts = "/me/threads"
const replies = "/me/replies"

export const threadsDialect = (config: ThreadsConfig): Dialect => ({
  name: facts.name,
  containerHours: limits.containerHours,
  paths: {
    create: () => posts,
    publish: () => `${posts}_publish`,
    list: (_, { replyTo }) => (replyTo === undefined ? posts : replies),
    lists: () => [posts, replies]
  },
  stateFields: "id,status,error_message",
  stateIn,
  listFields: "id,permalink,timestamp,text,media_type,replied_to",
  readListed: (item) =>
    Option.map(decodeListed(item), ({ media_type, replied_to, text, ...post }) => ({
      ...post,
      text: text ?? "",
      kind: shownKinds[media_type ?? ""],
      repliedTo: replied_to?.id
    })),
  placeOf: makePlaceOf(facts, config),
  childForm: fileForm,
  readPost: stored.readPost,
  readAccess: (credentials) =>
    Result.map(tokens.readTokens(credentials), ({ accessToken }) => ({
      accessToken,
      baseUrl: `${config.apiUrl}/v1.0`
    })),
  renew: (call, stale) => tokens.renewAccess(config, call, stale)
})
