import { Result, Schema } from "effect"
import {
  type Endpoint,
  endpoint,
  type RespondTo,
  type StandInRequest,
  type StandInResponse,
  strictBody
} from "../../../sandbox/endpoint.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import type { SandboxAccount } from "../../../sandbox/state/entry.ts"
import * as limits from "../limits.ts"
import { type Job, type Jobs, makeJobs } from "./jobs.ts"
import { makeAuthorized, tiktokError, tiktokOk, withIds } from "./responses.ts"
import { type Pace, takeChunks } from "./uploads.ts"

const day = 24 * 60 * 60_000

/** In bytes. A chunk may not be larger, but for the last one, which takes the rest. */
const largestChunk = 64_000_000
const largestLastChunk = 128_000_000

const Count = Schema.Int.check(Schema.isGreaterThan(0))

const readInit = strictBody(
  Schema.Struct({
    post_info: Schema.Struct({
      title: Schema.String.check(Schema.isMaxLength(limits.text)),
      privacy_level: Schema.String,
      disable_comment: Schema.Boolean,
      disable_duet: Schema.Boolean,
      disable_stitch: Schema.Boolean,
      brand_content_toggle: Schema.Boolean,
      brand_organic_toggle: Schema.Boolean,
      is_aigc: Schema.Boolean
    }),
    source_info: Schema.Struct({
      source: Schema.Literal("FILE_UPLOAD"),
      video_size: Count.check(Schema.isLessThanOrEqualTo(limits.videoBytes)),
      chunk_size: Count,
      total_chunk_count: Count.check(Schema.isLessThanOrEqualTo(limits.chunks))
    })
  })
)
type Source = Result.Result.Success<ReturnType<typeof readInit>>["source_info"]

const readQuestion = strictBody(Schema.Struct({ publish_id: Schema.String }))

/** Accounts whose names end like this are private. */
const isPrivate = ({ username }: SandboxAccount) => username.endsWith("private")

const optionsOf = (account: SandboxAccount): ReadonlyArray<string> => [
  isPrivate(account) ? "FOLLOWER_OF_CREATOR" : "PUBLIC_TO_EVERYONE",
  "MUTUAL_FOLLOW_FRIENDS",
  "SELF_ONLY"
]

const areChunks = ({ chunk_size: size, total_chunk_count: count, video_size: total }: Source): boolean => {
  if (total < limits.chunkBytes) return count === 1 && size === total
  const isSize = size >= limits.chunkBytes && size <= largestChunk
  return isSize && count === Math.floor(total / size) && total - (count - 1) * size <= largestLastChunk
}

const stateOf = ({ privacy, received, sent, size }: Job, now: number) => {
  const bytes = { uploaded_bytes: received }
  const readyAt = sent === undefined ? Infinity : sent.at + (sent.processing.ms ?? 0)
  if (sent === undefined || now < readyAt) return { ...bytes, status: "PROCESSING_UPLOAD" }
  if (sent.processing.error !== undefined) {
    return { uploaded_bytes: size, status: "FAILED", fail_reason: sent.processing.error }
  }
  const isNamed = privacy === "PUBLIC_TO_EVERYONE" && now >= readyAt + sent.idAfter
  return {
    uploaded_bytes: size,
    status: "PUBLISH_COMPLETE",
    ...(isNamed ? { publicaly_available_post_id: "ids" } : {})
  }
}

const creator: RespondTo = (account) =>
  tiktokOk({
    creator_avatar_url: "https://p16.tiktokcdn.example/avatar.jpeg",
    creator_username: account.username,
    creator_nickname: account.displayName,
    privacy_level_options: optionsOf(account),
    comment_disabled: false,
    duet_disabled: isPrivate(account),
    stitch_disabled: isPrivate(account),
    max_video_post_duration_sec: limits.longestVideo / 1000
  })

/** `keys` has the uploads by the keys of their addresses. */
export const tiktokPosts = (memory: StandInMemory, pace: Pace, keys: Jobs): ReadonlyArray<Endpoint> => {
  const authorized = makeAuthorized(memory)
  /** By publish_id. */
  const jobs = makeJobs()

  const init: RespondTo = (account, request): StandInResponse => {
    const { body, fresh, headers, now, oddity } = request
    const read = readInit(body)
    if (Result.isFailure(read)) {
      const [issue] = read.failure
      return tiktokError(400, "invalid_param", `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}`)
    }
    const { post_info, source_info } = read.success
    if (!areChunks(source_info)) return tiktokError(400, "invalid_param", "The chunk size or count is invalid")
    if (!optionsOf(account).includes(post_info.privacy_level)) {
      return tiktokError(403, "privacy_level_option_mismatch")
    }
    if (post_info.brand_content_toggle && post_info.privacy_level === "SELF_ONLY") {
      return tiktokError(400, "invalid_param", "Branded content can't be private")
    }
    if (jobs.sentSince(account.id, now - day) >= memory.limit(limits.postsPerDay)) {
      return tiktokError(403, "spam_risk_too_many_posts")
    }
    const publishId = `v_pub_file~v2-1.${fresh.refresh.slice(0, 24)}`
    const job: Job = {
      publishId,
      account,
      title: post_info.title,
      privacy: post_info.privacy_level,
      size: source_info.video_size,
      chunk: source_info.chunk_size,
      count: source_info.total_chunk_count,
      begunAt: now,
      chunks: [],
      received: 0
    }
    jobs.put(publishId, job)
    keys.put(fresh.access, job)
    const host = oddity?.kind === "nulls" ? "uploads.example" : (headers["host"] ?? "")
    return tiktokOk({ publish_id: publishId, upload_url: `http://${host}/tiktok/upload/${fresh.access}` })
  }

  const state: RespondTo = (account, { body, now }: StandInRequest) => {
    const read = readQuestion(body)
    const job = Result.isSuccess(read) ? jobs.get(read.success.publish_id) : undefined
    if (job === undefined) return tiktokError(400, "invalid_publish_id")
    if (job.account.id !== account.id) return tiktokError(403, "token_not_authorized_for_specified_publish_id")
    return withIds(tiktokOk(stateOf(job, now)), job.sent === undefined ? [] : [job.sent.postId])
  }

  const under = "/tiktok/v2/post/publish"
  return [
    endpoint("identity", "POST", `${under}/creator_info/query/`, authorized(limits.creatorsPerMinute, creator)),
    endpoint("upload", "POST", `${under}/video/init/`, authorized(limits.beginningsPerMinute, init)),
    endpoint("timeline", "POST", `${under}/status/fetch/`, authorized(limits.statesPerMinute, state)),
    endpoint("publish", "PUT", "/tiktok/upload/:key", takeChunks(memory, keys, pace))
  ]
}
