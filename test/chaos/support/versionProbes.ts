import { DateTime, Effect, Redacted, Schema } from "effect"
import { call } from "./calls.ts"
import { resultOf, type VersionedReplica } from "./responses.ts"

/** The data of a workspace that a probe needs. */
export interface ProbeTeam {
  readonly key: string
  /** A key that requires approval. */
  readonly agentKey: string
  readonly email: string
  readonly password: Redacted.Redacted
}

const post = { content: "A probe", platforms: ["twitter"] }

const decodeCreated = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({ id: Schema.String })))
const decodePage = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ data: Schema.Array(Schema.Struct({ read: Schema.Boolean })) }))
)

interface Sent {
  readonly key?: string | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

type Probe = (url: string, other: string) => Effect.Effect<string>

/** Requests that compare the two versions, including requests for what the other version has stored. */
const makeProbes = ({ agentKey, email, key, password }: ProbeTeam, later: string): Readonly<Record<string, Probe>> => {
  const send = (url: string, method: string, path: string, sent: Sent = {}) =>
    call(`${url}${path}`, { key, ...sent, method })
  const create = (url: string, more: object = {}, sender = key) =>
    send(url, "POST", "/v1/posts", { key: sender, body: { ...post, ...more } })
  const creating =
    (more: object): Probe =>
    (url) =>
      Effect.map(create(url, more), resultOf)
  /** Creates a post, and then sends a request for this post. */
  const withPost =
    (more: object, method: string, sent: Sent): Probe =>
    (url) =>
      Effect.gen(function* () {
        const { id } = yield* Effect.orDie(decodeCreated((yield* create(url, more)).text))
        return resultOf(yield* send(url, method, `/v1/posts/${id}`, sent))
      })
  /** Opens a session; returns its cookie. */
  const logIn = (url: string) =>
    Effect.map(
      send(url, "POST", "/v1/session", { key: undefined, body: { email, password: Redacted.value(password) } }),
      ({ headers }) => headers.getSetCookie()[0]?.split(";")[0] ?? ""
    )
  const listAs = (url: string, cookie: string) =>
    send(url, "GET", "/v1/notifications?limit=100", { key: undefined, headers: { cookie } })

  return {
    "creates a post at a time in the basic format": creating({
      schedule_at: later.replaceAll(/[-:]|\.\d+/g, "")
    }),
    "creates a post with null in an optional member": creating({ tags: null }),
    "changes an override": withPost({}, "PATCH", { body: { platform_overrides: { twitter: "For X" } } }),
    "changes a post whose revision is not the one in If-Match": withPost({}, "PATCH", {
      body: { content: "Changed" },
      headers: { "if-match": '"7"' }
    }),
    "deletes what another key scheduled, with a key that requires approval": withPost(
      { schedule_at: later },
      "DELETE",
      {
        key: agentKey
      }
    ),
    "lists posts by page": (url) => Effect.map(send(url, "GET", "/v1/posts?page=2"), resultOf),
    "lists a hundred notifications of both versions": (url) =>
      Effect.map(send(url, "GET", "/v1/notifications?limit=100"), resultOf),
    "opens a session that the other version knows": (url, other) =>
      Effect.map(
        Effect.flatMap(logIn(url), (cookie) => listAs(other, cookie)),
        resultOf
      ),
    "marks notifications as read that the other version shows as read": (url, other) =>
      Effect.gen(function* () {
        yield* create(url, { schedule_at: later }, agentKey)
        const cookie = yield* logIn(url)
        const headers = { cookie, origin: url }
        const marked = yield* send(url, "POST", "/v1/notifications/read-all", { key: undefined, headers })
        const { data } = yield* Effect.orDie(decodePage((yield* listAs(other, cookie)).text))
        const unread = data.filter(({ read }) => !read).length
        return unread === 0 ? resultOf(marked) : `${resultOf(marked)}, but ${unread} of ${data.length} are unread there`
      })
  }
}

/** Sends each probe to a replica of each version, and returns one line for each result. */
export const probeVersions = Effect.fn("probeVersions")(function* (
  replicas: ReadonlyArray<VersionedReplica>,
  team: ProbeTeam
) {
  const later = DateTime.formatIso(DateTime.add(yield* DateTime.now, { days: 30 }))
  const lines: Array<string> = []
  for (const [name, probe] of Object.entries(makeProbes(team, later))) {
    const results: Array<string> = []
    for (const { url, version } of replicas) {
      const other = replicas.find((replica) => replica.version !== version)?.url ?? url
      results.push(`${version}: ${yield* probe(url, other)}`)
    }
    lines.push(`${name}: ${results.join("; ")}`)
  }
  return lines
})
