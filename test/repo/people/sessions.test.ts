import { assert, layer } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { sessionLifetime } from "../../../src/domain/people/session.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { makeMember } from "../../support/http/team.ts"

layer(repoLayer)("Repo.sessions", (it) => {
  it.effect("A session lasts until it is ended or expires", () =>
    Effect.gen(function* () {
      const { sessions, users } = yield* Repo
      const workspace = yield* makeWorkspace([])
      const { id } = yield* users.create(workspace, "grace@example.com", Redacted.make("password"))
      const member = { userId: id, workspaceId: workspace }
      const { token: first } = yield* sessions.open(member)
      const { token: second } = yield* sessions.open(member)
      assert.deepInclude(Option.getOrThrow(yield* sessions.find(first)), { ...member, role: "viewer" })
      yield* sessions.end(first)
      yield* sessions.end(first)
      assert.isTrue(Option.isNone(yield* sessions.find(first)))
      assert.isTrue(Option.isSome(yield* sessions.find(second)))
      yield* TestClock.adjust(sessionLifetime)
      assert.isTrue(Option.isNone(yield* sessions.find(second)))
    })
  )

  it.effect("A session does not become another person's", () =>
    Effect.gen(function* () {
      const { sessions } = yield* Repo
      const workspaceId = yield* makeWorkspace([])
      const own = { userId: (yield* makeMember(workspaceId)).id, workspaceId }
      const others = { userId: (yield* makeMember(workspaceId)).id, workspaceId }
      const { token } = yield* sessions.open(own)
      assert.strictEqual((yield* Effect.flip(sessions.move(token, others)))._tag, "SessionEnded")
      assert.deepInclude(Option.getOrThrow(yield* sessions.find(token)), { ...own, role: "admin" })
    })
  )
})
