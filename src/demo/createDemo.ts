import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { DateTime, Duration, Effect, Option, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { Scope } from "../domain/people/apiKey.ts"
import { adminAuthority } from "../domain/people/authority.ts"
import type { UserId, WorkspaceId } from "../domain/ids.ts"
import { enabledPlatforms } from "../domain/enabled.ts"
import { CurrentRules } from "../platforms/rules.ts"
import { Repo } from "../repo/Repo.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"
import { findDemo } from "./clearExamples.ts"
import { makeExamples } from "./makeExamples.ts"
import { atTime } from "./pastTime.ts"
import { readPictures, removeExamplePictures, sandboxFileId, uploadPictures } from "./pictures.ts"
import { demoSeed } from "./timelinePosts.ts"

interface DemoOptions {
  readonly baseUrl: string
  /** True if people may continue as the demo's user, without a password. */
  readonly offersDemo: boolean
  /** Has no effect without `offersDemo`. */
  readonly examples: boolean
}

const createWorkspace = Effect.gen(function* () {
  const sandbox = yield* Sandbox
  const { integrations, transaction, workspaces } = yield* Repo
  if ((yield* workspaces.list).length > 0) return
  const create = Effect.gen(function* () {
    const { id } = yield* workspaces.create("Demo")
    yield* Effect.forEach(enabledPlatforms(yield* CurrentRules), (platform) =>
      Effect.flatMap(sandbox.connect(platform, demoSeed), (account) =>
        integrations.connect(id, { platform, ...account })
      )
    )
    yield* sandbox.recordDemo({ workspaceId: id, postIds: [], mediaIds: [], keyIds: [] }, [])
  })
  yield* transaction(create)
})

/** An admin, whose password nobody knows. */
export const demoEmail = "demo@sandbox.test"

const createUser = Effect.gen(function* () {
  const { users, workspaces } = yield* Repo
  const random = yield* SecureRandom.SecureRandom
  const [workspace] = yield* workspaces.list
  if (workspace === undefined || Option.isSome(yield* users.find(demoEmail))) return
  const password = Redacted.make(Base64Url.encode(yield* random.randomBytes(32)))
  // Members are not notified of events before they joined, so the user has to have joined before the first example.
  const joined = DateTime.subtract(yield* DateTime.now, { weeks: 8 })
  const create = atTime(joined)(users.create(workspace.id, demoEmail, password, "admin"))
  // Another process may create the user at the same time.
  yield* Effect.catchTag(create, "EmailTaken", () => Effect.void)
})

const createKey = Effect.fnUntraced(function* (workspaceId: WorkspaceId) {
  const { apiKeys } = yield* Repo
  const { key } = yield* apiKeys.create({
    workspaceId,
    name: "Demo",
    scopes: Scope.literals,
    requiresApproval: false,
    expiresIn: null
  })
  return Redacted.value(key)
})

const uploadOrLeaveOut = (workspaceId: WorkspaceId, userId: UserId) =>
  uploadPictures(adminAuthority({ workspaceId, userId })).pipe(
    Effect.tapError((error) => Effect.logWarning("The example posts have no pictures", error)),
    Effect.orElseSucceed(() => new Map<never, never>())
  )

/** Makes the key and the examples in one transaction. If it is interrupted, the next start makes both. */
const makeKeyAndExamples = Effect.fnUntraced(function* (workspaceId: WorkspaceId, userId: UserId, baseUrl: string) {
  const sandbox = yield* Sandbox
  const { transaction } = yield* Repo
  yield* Effect.logInfo("Filling the demo's workspace with examples")
  const files = yield* uploadOrLeaveOut(workspaceId, userId)
  const make = Effect.gen(function* () {
    const made = yield* makeExamples({ workspaceId, userId }, files, sandbox.platforms(baseUrl))
    const key = yield* createKey(workspaceId)
    yield* sandbox.recordDemo(made.demo, made.shown)
    return { ...made, key }
  })
  const { demo, key, shown } = yield* transaction(make, Duration.seconds(30))
  // The demo is recorded again, because a page that was requested before the commit found no examples, and made the
  // sandbox forget the demo.
  yield* sandbox.recordDemo(demo, shown)
  return key
})

/**
 * If the examples fail, makes only the key, because the demo works without them. Keeps the sandbox's record, because
 * the commit may have succeeded although its response was lost. If not, the next `countExamples` clears the record.
 */
const makeKeyAtLeast = (workspaceId: WorkspaceId, userId: UserId, baseUrl: string) =>
  makeKeyAndExamples(workspaceId, userId, baseUrl).pipe(
    Effect.catchCause((cause) =>
      Effect.logWarning("The examples could not be made", cause).pipe(
        Effect.andThen(Effect.ignore(removeExamplePictures(workspaceId))),
        Effect.andThen(createKey(workspaceId))
      )
    )
  )

/** Runs at each start, because the sandbox forgets the bytes of files when its process ends. */
const putPictures = Effect.gen(function* () {
  const sandbox = yield* Sandbox
  yield* Effect.forEach(yield* readPictures, ([name, bytes]) =>
    sandbox.putFile(sandboxFileId(name), { bytes, contentType: "image/webp" })
  )
}).pipe(Effect.catch((error) => Effect.logWarning("The example posts have no pictures on the timelines", error)))

/** Returns the API key if it is new. */
export const createDemo = Effect.fn("createDemo")(
  function* ({ baseUrl, examples, offersDemo }: DemoOptions) {
    const { apiKeys, users } = yield* Repo
    yield* createWorkspace
    if (offersDemo) yield* createUser
    const demo = yield* findDemo
    if (demo === undefined) return Option.none<string>()
    const isFinished = (yield* apiKeys.list(demo.workspaceId)).length > 0
    const user = Option.getOrUndefined(yield* users.find(demoEmail))
    const key = isFinished
      ? undefined
      : yield* examples && offersDemo && user !== undefined
          ? makeKeyAtLeast(demo.workspaceId, user.id, baseUrl)
          : createKey(demo.workspaceId)
    if (((yield* findDemo)?.postIds ?? []).length > 0) yield* putPictures
    return Option.fromUndefinedOr(key)
  },
  Effect.provide([SecureRandom.layerWebCrypto, NodeFileSystem.layer])
)
