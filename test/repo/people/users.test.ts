import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"

layer(repoLayer)("users", (it) => {
  it.effect("A user logs in with their own password only, and the case of the email address does not matter", () =>
    Effect.gen(function* () {
      const { users } = yield* Repo
      const workspace = yield* makeWorkspace([])
      const created = yield* users.create(workspace, "Ada@Example.com", Redacted.make("correct horse"))
      const user = yield* users.authenticate("ada@example.COM", Redacted.make("correct horse"))
      assert.deepStrictEqual([user.id, user.email, user.workspaceIds], [created.id, "ada@example.com", [workspace]])
      for (const [email, password] of [
        ["ada@example.com", "wrong"],
        ["nobody@example.com", "correct horse"]
      ] as const) {
        assert.strictEqual(
          (yield* Effect.flip(users.authenticate(email, Redacted.make(password))))._tag,
          "WrongCredentials"
        )
      }
      const again = yield* Effect.flip(users.create(workspace, "ADA@example.com", Redacted.make("other")))
      assert.strictEqual(again._tag, "EmailTaken")
    })
  )
})
