import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import { GroupId } from "../../../src/domain/ids.ts"
import type { PostStatus } from "../../../src/domain/post.ts"
import type { Settlement } from "../../../src/domain/settlement.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { plan } from "../../support/database/fixtures.ts"
import { sendJson, keyHeaders } from "../../support/http/client.ts"
import { makeTeam, startOnDatabase } from "../../support/http/team.ts"

const group = GroupId.make("01a1fc17-dc2e-777d-ad63-5a461a1bba45")
const lease = Duration.minutes(3)
const later = "1970-01-01T01:00:00.000Z"

type Team = Effect.Success<typeof makeTeam>

const create = Effect.fn("create")(function* ({ workspaceId }: Team, due: boolean) {
  const { posts } = yield* Repo
  return yield* posts.create(workspaceId, { ...plan(due ? yield* DateTime.now : null), groupId: group })
})

/** Claims a post that is due. */
const claim = Effect.fn("claim")(function* (team: Team) {
  const { targets } = yield* Repo
  const { id } = yield* create(team, true)
  const claims = yield* targets.claim(100, lease)
  const own = claims.find((claimed) => claimed.postId === id)
  return own ?? (yield* Effect.die(`The post ${id} was not claimed`))
})

/** A post after an attempt that came to something. */
const settled = (outcome: (now: DateTime.Utc) => Settlement) => (team: Team) =>
  Effect.gen(function* () {
    const { targets } = yield* Repo
    const { postId: id } = yield* targets.settle(yield* claim(team), outcome(yield* DateTime.now))
    return { id }
  })

const unavailable = { code: "unavailable", message: "503", retryable: true } as const

interface State {
  readonly name: string
  readonly status: PostStatus
  readonly make: (team: Team) => Effect.Effect<{ readonly id: string }, unknown, Repo>
}

const states: ReadonlyArray<State> = [
  { name: "draft", status: "draft", make: (team) => create(team, false) },
  { name: "scheduled", status: "scheduled", make: (team) => create(team, true) },
  {
    name: "publishing, between attempts",
    status: "publishing",
    make: settled((now) => ({
      _tag: "Retry",
      at: DateTime.addDuration(now, "1 minute"),
      error: unavailable
    }))
  },
  {
    name: "publishing, in flight",
    status: "publishing",
    make: (team) => Effect.map(claim(team), ({ postId }) => ({ id: postId }))
  },
  {
    name: "published",
    status: "published",
    make: settled(() => ({ _tag: "Published", publication: { platformPostId: "1", url: "https://x.test/1" } }))
  },
  {
    name: "failed",
    status: "failed",
    make: settled(() => ({ _tag: "Failed", error: { ...unavailable, code: "gave_up" } }))
  }
]

/** What each operation comes to in each state: the answer's status, and the post's after it (none once it is gone). */
type Outcome = readonly [status: number, code: string | undefined, after: PostStatus | undefined]

const refused = (after: PostStatus): Outcome => [400, "invalid_state", after]
const gone: Outcome = [200, undefined, undefined]

const outcomes: Readonly<Record<string, Readonly<Record<string, Outcome>>>> = {
  "GET it": {
    draft: [200, undefined, "draft"],
    scheduled: [200, undefined, "scheduled"],
    "publishing, between attempts": [200, undefined, "publishing"],
    "publishing, in flight": [200, undefined, "publishing"],
    published: [200, undefined, "published"],
    failed: [200, undefined, "failed"]
  },
  "PATCH it": {
    draft: [200, undefined, "draft"],
    scheduled: [200, undefined, "scheduled"],
    "publishing, between attempts": refused("publishing"),
    "publishing, in flight": refused("publishing"),
    published: refused("published"),
    failed: refused("failed")
  },
  "PATCH it to a draft": {
    draft: [200, undefined, "draft"],
    scheduled: [200, undefined, "draft"],
    "publishing, between attempts": refused("publishing"),
    "publishing, in flight": refused("publishing"),
    published: refused("published"),
    failed: refused("failed")
  },
  "PATCH it to a time": {
    draft: [200, undefined, "scheduled"],
    scheduled: [200, undefined, "scheduled"],
    "publishing, between attempts": refused("publishing"),
    "publishing, in flight": refused("publishing"),
    published: refused("published"),
    failed: refused("failed")
  },
  "POST publish": {
    draft: [202, undefined, "scheduled"],
    scheduled: [202, undefined, "scheduled"],
    "publishing, between attempts": refused("publishing"),
    "publishing, in flight": refused("publishing"),
    published: refused("published"),
    failed: [202, undefined, "scheduled"]
  },
  "DELETE it": {
    draft: gone,
    scheduled: gone,
    "publishing, between attempts": gone,
    "publishing, in flight": refused("publishing"),
    published: gone,
    failed: gone
  },
  "DELETE its group": {
    draft: gone,
    scheduled: gone,
    "publishing, between attempts": gone,
    "publishing, in flight": refused("publishing"),
    published: gone,
    failed: gone
  }
}

const requests: Readonly<Record<string, (id: string) => readonly [method: string, path: string, body?: unknown]>> = {
  "GET it": (id) => ["GET", `/v1/posts/${id}`],
  "PATCH it": (id) => ["PATCH", `/v1/posts/${id}`, { content: "Changed" }],
  "PATCH it to a draft": (id) => ["PATCH", `/v1/posts/${id}`, { status: "draft" }],
  "PATCH it to a time": (id) => ["PATCH", `/v1/posts/${id}`, { status: "scheduled", scheduled_at: later }],
  "POST publish": (id) => ["POST", `/v1/posts/${id}/publish`],
  "DELETE it": (id) => ["DELETE", `/v1/posts/${id}`],
  "DELETE its group": () => ["DELETE", `/v1/posts/group/${group}`]
}

const pairs = states.flatMap((state) =>
  Object.entries(outcomes).flatMap(([operation, byState]) => {
    const outcome = byState[state.name]
    const request = requests[operation]
    return outcome === undefined || request === undefined ? [] : [{ state, operation, outcome, request }]
  })
)

layer(repoLayer)("a post", (it) => {
  for (const { state, operation, outcome, request } of pairs) {
    const [status, code, after] = outcome
    it.effect(`that is ${state.name} answers ${operation} with ${status}, and is ${after ?? "gone"} after that`, () =>
      Effect.gen(function* () {
        const url = yield* startOnDatabase()
        const team = yield* makeTeam
        const { id } = yield* state.make(team)
        const [method, path, body] = request(id)
        const answer = yield* sendJson(`${url}${path}`, method, keyHeaders(team.key), body)
        assert.deepStrictEqual([answer.status, answer.body.code], [status, code])
        const left = yield* sendJson(`${url}/v1/posts/${id}`, "GET", keyHeaders(team.key))
        assert.deepStrictEqual([left.status, left.body.data?.status], [after === undefined ? 404 : 200, after])
        const changed = operation === "PATCH it" && status === 200
        if (after !== undefined) assert.strictEqual(left.body.data.content, changed ? "Changed" : "Hello")
        const isPutOff = after === "scheduled" && left.body.data.scheduled_at === later
        if (after !== undefined && after !== "draft" && !isPutOff) return
        // What was deleted, made a draft or put off is not sent.
        const { targets } = yield* Repo
        const claims = yield* targets.claim(100, lease)
        assert.notInclude(
          claims.map((claimed) => claimed.postId),
          id
        )
      })
    )
  }

  it.effect("of every state and operation there is a test", () =>
    Effect.sync(() => assert.lengthOf(pairs, states.length * Object.keys(requests).length))
  )

  it.effect("that is in flight keeps the whole of its group, drafts as well", () =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase()
      const team = yield* makeTeam
      yield* claim(team)
      yield* create(team, false)
      const path = `${url}/v1/posts/group/${group}`
      assert.strictEqual((yield* sendJson(path, "DELETE", keyHeaders(team.key))).status, 400)
      assert.lengthOf((yield* sendJson(path, "GET", keyHeaders(team.key))).body.data, 2)
    })
  )

  it.effect("that is published now answers the same again, and keeps its time", () =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase()
      const team = yield* makeTeam
      const { id } = yield* create(team, false)
      const publish = sendJson(`${url}/v1/posts/${id}/publish`, "POST", keyHeaders(team.key))
      const first = yield* publish
      assert.deepStrictEqual((yield* publish).body, first.body)
    })
  )
})
