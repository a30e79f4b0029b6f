import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import { GroupId } from "../../../src/domain/ids.ts"
import type { PostStatus } from "../../../src/domain/posts/post.ts"
import type { Settlement } from "../../../src/domain/publishing/settlement.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { plan } from "../../support/database/fixtures.ts"
import { keyHeaders, sendJson } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeTeam, type Team } from "../../support/http/team.ts"

// Not policed: other files run all of its statements.

const group = GroupId.make("01a1fc17-dc2e-777d-ad63-5a461a1bba45")
const lease = Duration.minutes(3)
const later = "1970-01-01T01:00:00.000Z"

const create = Effect.fn("create")(function* ({ workspaceId }: Team, due: boolean) {
  const { posts } = yield* Repo
  return yield* posts.create(workspaceId, { ...plan(due ? yield* DateTime.now : null), groupId: group })
})

/** Creates a post that is due, and claims it. */
const claim = Effect.fn("claim")(function* (team: Team) {
  const { targets } = yield* Repo
  const { id } = yield* create(team, true)
  const claims = yield* targets.claim(100, lease)
  const own = claims.find((claimed) => claimed.postId === id)
  return own ?? (yield* Effect.die(`The post ${id} was not claimed`))
})

/** Creates a post, claims it and settles the attempt. */
const settle = (settlement: (now: DateTime.Utc) => Settlement) => (team: Team) =>
  Effect.gen(function* () {
    const { targets } = yield* Repo
    const { postId: id } = yield* targets.settle(yield* claim(team), settlement(yield* DateTime.now))
    return { id }
  })

const unavailable = { code: "unavailable", message: "503", retryable: true } as const

/** For each state, a function that creates such a post. */
const states = {
  draft: (team) => create(team, false),
  scheduled: (team) => create(team, true),
  "publishing, between attempts": settle((now) => ({
    _tag: "Retry",
    at: DateTime.addDuration(now, "1 minute"),
    error: unavailable
  })),
  "publishing, in flight": (team) => Effect.map(claim(team), ({ postId }) => ({ id: postId })),
  published: settle(() => ({ _tag: "Published", publication: { platformPostId: "1", url: "https://x.test/1" } })),
  failed: settle(() => ({ _tag: "Failed", error: { ...unavailable, code: "gave_up" } }))
} satisfies Readonly<Record<string, (team: Team) => Effect.Effect<{ readonly id: string }, unknown, Repo>>>

type State = keyof typeof states

/** The response to a request, and the post's status after it (undefined if it was deleted). */
interface Outcome {
  readonly status: number
  readonly code?: string
  readonly after: PostStatus | undefined
}

const returns = (status: number, after: PostStatus): Outcome => ({ status, after })
const refused = (after: PostStatus): Outcome => ({ status: 400, code: "invalid_state", after })
const deleted: Outcome = { status: 200, after: undefined }

/** The responses to a change that is allowed only before publishing. */
const onlyBeforePublishing = (draft: PostStatus, scheduled: PostStatus) => ({
  draft: returns(200, draft),
  scheduled: returns(200, scheduled),
  "publishing, between attempts": refused("publishing"),
  "publishing, in flight": refused("publishing"),
  published: refused("published"),
  failed: refused("failed")
})

/** The responses to a deletion, which is refused while the post is in flight. */
const unlessInFlight = {
  draft: deleted,
  scheduled: deleted,
  "publishing, between attempts": deleted,
  "publishing, in flight": refused("publishing"),
  published: deleted,
  failed: deleted
}

interface Operation {
  readonly name: string
  readonly request: (id: string) => readonly [method: string, path: string, body?: unknown]
  readonly outcomes: Readonly<Record<State, Outcome>>
}

const operations: ReadonlyArray<Operation> = [
  {
    name: "reading it",
    request: (id) => ["GET", `/v1/posts/${id}`],
    outcomes: {
      draft: returns(200, "draft"),
      scheduled: returns(200, "scheduled"),
      "publishing, between attempts": returns(200, "publishing"),
      "publishing, in flight": returns(200, "publishing"),
      published: returns(200, "published"),
      failed: returns(200, "failed")
    }
  },
  {
    name: "changing its content",
    request: (id) => ["PATCH", `/v1/posts/${id}`, { content: "Changed" }],
    outcomes: onlyBeforePublishing("draft", "scheduled")
  },
  {
    name: "making it a draft",
    request: (id) => ["PATCH", `/v1/posts/${id}`, { status: "draft" }],
    outcomes: onlyBeforePublishing("draft", "draft")
  },
  {
    name: "scheduling it",
    request: (id) => ["PATCH", `/v1/posts/${id}`, { status: "scheduled", scheduled_at: later }],
    outcomes: onlyBeforePublishing("scheduled", "scheduled")
  },
  {
    name: "publishing it",
    request: (id) => ["POST", `/v1/posts/${id}/publish`],
    outcomes: {
      draft: returns(202, "scheduled"),
      scheduled: returns(202, "scheduled"),
      "publishing, between attempts": returns(202, "publishing"),
      "publishing, in flight": returns(202, "publishing"),
      published: refused("published"),
      failed: returns(202, "scheduled")
    }
  },
  { name: "deleting it", request: (id) => ["DELETE", `/v1/posts/${id}`], outcomes: unlessInFlight },
  { name: "deleting its group", request: () => ["DELETE", `/v1/posts/group/${group}`], outcomes: unlessInFlight }
]

const pairs = Object.entries(states).flatMap(([state, make]) =>
  operations.map((operation) => ({ state, make, ...operation, outcome: operation.outcomes[state as State] }))
)

layer(databaseServerLayer())("post states", (it) => {
  for (const { state, make, name, outcome, request } of pairs) {
    const { after, code, status } = outcome
    it.effect(`With a post in state ${state}, ${name} gets a ${status} and leaves the post ${after ?? "deleted"}`, () =>
      Effect.gen(function* () {
        const url = yield* ServerUrl
        const team = yield* makeTeam
        const { id } = yield* make(team)
        const [method, path, body] = request(id)
        const response = yield* sendJson(`${url}${path}`, method, keyHeaders(team.key), body)
        assert.deepStrictEqual([response.status, response.body.code], [status, code])
        const remaining = yield* sendJson(`${url}/v1/posts/${id}`, "GET", keyHeaders(team.key))
        assert.deepStrictEqual(
          [remaining.status, remaining.body.data?.status],
          [after === undefined ? 404 : 200, after]
        )
        const isChanged = name === "changing its content" && status === 200
        if (after !== undefined) assert.strictEqual(remaining.body.data.content, isChanged ? "Changed" : "Hello")
        const isPostponed = after === "scheduled" && remaining.body.data.scheduled_at === later
        if (after !== undefined && after !== "draft" && !isPostponed) return
        // A post that was deleted, unscheduled or postponed is not claimed.
        const { targets } = yield* Repo
        const claims = yield* targets.claim(100, lease)
        assert.notInclude(
          claims.map((claimed) => claimed.postId),
          id
        )
      })
    )
  }

  it.effect("All 42 combinations of a state and an operation are tested", () =>
    Effect.sync(() => assert.lengthOf(pairs, 42))
  )

  it.effect("A post in flight keeps its whole group from being deleted, including drafts", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const team = yield* makeTeam
      yield* claim(team)
      yield* create(team, false)
      const path = `${url}/v1/posts/group/${group}`
      assert.strictEqual((yield* sendJson(path, "DELETE", keyHeaders(team.key))).status, 400)
      assert.lengthOf((yield* sendJson(path, "GET", keyHeaders(team.key))).body.data, 2)
    })
  )

  it.effect("Publishing a post twice returns the same response, and keeps its time", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const team = yield* makeTeam
      const { id } = yield* create(team, false)
      const publish = sendJson(`${url}/v1/posts/${id}/publish`, "POST", keyHeaders(team.key))
      const first = yield* publish
      assert.deepStrictEqual((yield* publish).body, first.body)
    })
  )
})
