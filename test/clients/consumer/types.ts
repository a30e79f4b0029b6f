// Requests that the package's types must allow or refuse. This file is compiled and not run.
import {
  type CreatePost,
  type Event,
  type EventOf,
  isCode,
  isEvent,
  type KnownPlatform,
  type Post,
  type PostStatus,
  SocialPublisher,
  type UpdatePost
} from "social-publisher-client"
import { verify } from "social-publisher-client/webhooks"

const client = new SocialPublisher({ baseUrl: "https://posts.example", apiKey: "sps_key" })

// Optional members may be absent, null or undefined, and lists may be read-only.
const platforms: ReadonlyArray<KnownPlatform> = ["twitter"]
export const bodies: Array<CreatePost> = [
  { content: "", platforms },
  { content: "", platforms, schedule_at: null, tags: null, status: null },
  { content: "", platforms, schedule_at: undefined, tags: undefined, status: "draft" }
]
export const changes: Array<UpdatePost> = [{}, { content: "Other" }, { media: undefined }]

// @ts-expect-error A platform that the service does not know is a mistake in a request.
void client.posts.create({ content: "", platforms: ["twiter"] })
// @ts-expect-error So is a member.
void client.posts.create({ content: "", platforms: ["twitter"], scheduled: true })
// @ts-expect-error So is a filter's value.
void client.posts.list({ status: "done" })
// @ts-expect-error The body of a post is needed.
void client.posts.create()
// @ts-expect-error Reading takes no condition.
void client.posts.get("", { ifMatch: '"1"' })
// @ts-expect-error Operations for sessions are not for keys.
void client.keys
// @ts-expect-error The key is needed.
void new SocialPublisher({ baseUrl: "https://posts.example" })

// A status, a platform, an event or a code that is added later breaks no client.
export const laterStatus: PostStatus = "archived"
export const later: Event = { type: "post.later", timestamp: "", data: {} }
export const describe = (post: Post): string => {
  switch (post.status) {
    case "published":
      return post.post_targets[0]?.platform_post_url ?? ""
    default:
      return post.status
  }
}

export const failed: EventOf<"post.failed">["type"] = "post.failed"
// @ts-expect-error There is no such event.
export const misspelled: EventOf<"post.faild">["type"] = "post.faild"

export const receive = async (body: Uint8Array, headers: Record<string, string | Array<string> | undefined>) => {
  const event = await verify(body, headers, ["whsec_one", "whsec_two"], { toleranceSeconds: 60 })
  if (!isEvent(event, "post.target.failed")) return undefined
  const { post_id: id }: { post_id: string } = event.data
  return id
}

export const recorded = async (): Promise<Array<string>> => {
  const types: Array<string> = []
  for await (const { event } of client.events.list({ limit: 1 })) types.push(event.type)
  return types
}

export const explain = (error: unknown): number | undefined => {
  // @ts-expect-error There is no such code.
  if (isCode(error, "content_to_long")) return 0
  if (!isCode(error, "content_too_long")) return undefined
  return error.problem.violations[0]?.limit
}

export const pages = async (): Promise<Array<Post>> => {
  const { data, next_cursor: cursor } = await client.posts.list({ limit: 2, cursor: undefined }).page()
  const next: string | null = cursor
  return next === null ? data : []
}

export const whole = async (): Promise<[Post, string | null]> => {
  const { data, etag } = await client.posts.get("").withResponse()
  return [data, etag]
}
