import { Effect, Schedule, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Dashboard } from "./dashboard.ts"

const Post = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  scheduled_at: Schema.NullOr(Schema.String),
  revision: Schema.Int
})
const OnePost = Schema.Struct({ data: Post })
const Created = Schema.Struct({ id: Schema.String })

const send = Effect.fnUntraced(function* (method: string, path: string, body?: object) {
  const { key, url } = yield* Dashboard
  return yield* Effect.promise(async (): Promise<unknown> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) })
    })
    return response.status === 204 ? undefined : response.json()
  })
})

const List = Schema.Struct({ data: Schema.Array(Post) })

const listPosts = Effect.flatMap(send("GET", "/v1/posts?limit=100"), Schema.decodeUnknownEffect(List))

/** Removes all posts, so that a test sees only its own. */
export const removePosts = Effect.flatMap(listPosts, ({ data }) =>
  Effect.forEach(data, ({ id }) => send("DELETE", `/v1/posts/${id}`))
)

/** A post of each status. */
export const idsByStatus = Effect.map(listPosts, ({ data }) =>
  Object.fromEntries(data.map(({ id, status }) => [status, id]))
)

/** Creates a post for X and Bluesky. Without a time it is a draft. */
export const createPost = (
  content: string,
  rest: { readonly schedule_at?: string; readonly status?: string; readonly tags?: Array<string> } = {}
) =>
  Effect.flatMap(
    send("POST", "/v1/posts", { content, platforms: ["twitter", "bluesky"], ...rest }),
    Schema.decodeUnknownEffect(Created)
  )

const CheckedPost = Schema.Struct({ id: Schema.String, state: Schema.String })
const Outlook = Schema.Struct({ data: Schema.Struct({ posts: Schema.Array(CheckedPost) }) })

/**
 * Waits until a check has seen a post in a state. The service returns its last check for four times as long as that
 * took, which is long on a busy machine.
 */
export const untilChecked = (id: string, state: "fine" | "needs_you") =>
  Effect.flatMap(send("GET", "/v1/outlook"), Schema.decodeUnknownEffect(Outlook)).pipe(
    Effect.repeat({
      until: ({ data }) => data.posts.some((post) => post.id === id && post.state === state),
      schedule: Schedule.spaced("50 millis")
    }),
    TestClock.withLive,
    Effect.asVoid
  )

export const getPost = (id: string) =>
  Effect.map(Effect.flatMap(send("GET", `/v1/posts/${id}`), Schema.decodeUnknownEffect(OnePost)), ({ data }) => data)

export const changePost = (id: string, body: object) =>
  Effect.flatMap(send("PATCH", `/v1/posts/${id}`, body), Schema.decodeUnknownEffect(OnePost))

/** Posts in the form of an API list, one every hour from a start time. */
export const makeList = (count: number, from: Date) =>
  Array.from({ length: count }, (_, index) => {
    const at = new Date(from.getTime() + index * 40 * 60_000).toISOString()
    return {
      id: `01990000-0000-7000-8000-${String(index).padStart(12, "0")}`,
      status: "scheduled",
      content: `Post number ${index}`,
      scheduled_at: at,
      published_at: null,
      tags: [],
      platform_overrides: {},
      platform_settings: {},
      media: [],
      card: null,
      approval: null,
      group_id: null,
      copied_from: null,
      reply_to: null,
      thread: [],
      revision: 1,
      created_by: null,
      post_targets: [
        {
          status: "pending",
          platform_post_url: null,
          published_at: null,
          error: null,
          account_id: "1",
          copied_to: null,
          parts: null,
          integrations: { platform: "twitter" }
        }
      ],
      created_at: at
    }
  })
