import { assert, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { connectAccount } from "../../src/accounts/connectAccount.ts"
import { decideAccountChange } from "../../src/accounts/decideAccountChange.ts"
import { revokeAccess } from "../../src/accounts/revokeAccess.ts"
import { nextUserId, nextWorkspaceId } from "../../src/domain/ids.ts"
import { adminAuthority } from "../../src/domain/people/authority.ts"
import type { LivePlatform } from "../../src/domain/platform.ts"
import { AccountLinking } from "../../src/platforms/AccountLinking.ts"
import type { FormerAccess } from "../../src/repo/integrations/Integrations.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import { makeWorkspace } from "../support/database/fixtures.ts"
import { makeKey, makeMember } from "../support/http/team.ts"
import { linkingWorld } from "./linkingWorld.ts"

/** What a person has given access to on a platform. */
const consent = Effect.fnUntraced(function* (platform: LivePlatform, name: string) {
  return { platform, ...(yield* (yield* Sandbox).connect(platform, name)) }
})

const givesAccess = (access: FormerAccess) =>
  Effect.flatMap(AccountLinking, ({ profile }) => Effect.map(Effect.exit(profile(access)), Exit.isSuccess))

/** A workspace with somebody who may connect no account, or not any more. */
const makeRefused = Effect.fnUntraced(function* (who: "a viewer" | "nobody" | "a revoked key" | "no workspace") {
  const { apiKeys } = yield* Repo
  const workspaceId = yield* makeWorkspace([])
  switch (who) {
    case "a viewer":
      return { workspaceId, by: adminAuthority({ userId: (yield* makeMember(workspaceId, "viewer")).id, workspaceId }) }
    case "nobody":
      return { workspaceId, by: adminAuthority({ userId: yield* nextUserId, workspaceId }) }
    case "a revoked key": {
      const { id } = yield* makeKey(workspaceId)
      yield* apiKeys.revoke(id)
      return { workspaceId, by: { author: { type: "key" as const, id }, workspaceId, roles: [] } }
    }
    case "no workspace":
      return { workspaceId: yield* nextWorkspaceId }
  }
})

layer(linkingWorld)("Somebody who may connect no account, or not any more", (it) => {
  it.effect.each([
    ["a viewer", "RoleLost"],
    ["nobody", "NotMember"],
    ["a revoked key", "KeyEnded"],
    ["no workspace", "NotFound"]
  ] as const)("Access that %s brings is ended, and nothing is connected", ([who, expected]) =>
    Effect.gen(function* () {
      const { integrations } = yield* Repo
      const { workspaceId, ...connecting } = yield* makeRefused(who)
      const account = yield* consent("twitter", `guest of ${who}`)
      assert.isTrue(yield* givesAccess(account))
      const refused = yield* Effect.flip(connectAccount(workspaceId, account, connecting))
      assert.strictEqual(refused._tag, expected)
      assert.isFalse(yield* givesAccess(account))
      assert.deepStrictEqual(yield* integrations.list(workspaceId), [])
    })
  )

  it.effect(
    "A decision of somebody who lost the right meanwhile changes nothing, and can be made by another person",
    () =>
      Effect.gen(function* () {
        const { accountChanges, integrations } = yield* Repo
        const { by, workspaceId } = yield* makeRefused("a viewer")
        if (by === undefined) return assert.fail("There is nobody")
        const before = yield* consent("twitter", "before")
        const next = yield* consent("twitter", "next")
        yield* integrations.connect(workspaceId, before)
        const token = yield* accountChanges.keep({ workspaceId, account: next }, {})
        const decide = (authority: typeof by) =>
          decideAccountChange(token, "replace", before.accountId, { authorize: () => Effect.succeed(authority) })
        assert.strictEqual((yield* Effect.flip(decide(by)))._tag, "RoleLost")
        assert.strictEqual((yield* integrations.list(workspaceId))[0]?.username, before.username)
        yield* decide(adminAuthority({ userId: (yield* makeMember(workspaceId)).id, workspaceId }))
        assert.strictEqual((yield* integrations.list(workspaceId))[0]?.username, next.username)
      })
  )
})

layer(linkingWorld)("Access that is not needed any more", (it) => {
  it.effect.each([
    ["twitter", true],
    ["bluesky", false]
  ] as const)("Of an account on %s that another workspace has connected, it stays open: %s", ([platform, stays]) =>
    Effect.gen(function* () {
      const { integrations } = yield* Repo
      const elsewhere = yield* consent(platform, "shared")
      yield* integrations.connect(yield* makeWorkspace([]), elsewhere)
      const former = yield* consent(platform, "shared")
      yield* revokeAccess(former)
      assert.strictEqual(yield* givesAccess(former), stays)
      assert.isTrue(yield* givesAccess(elsewhere))
    })
  )
})
