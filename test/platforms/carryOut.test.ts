import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import { Headers, HttpClientRequest } from "effect/http"
import { DatabaseUnavailable } from "../../src/domain/errors.ts"
import { IntegrationId } from "../../src/domain/ids.ts"
import { OutcomeUnknown, type PlatformError, Rejected, Unavailable } from "../../src/domain/publishing/platformError.ts"
import { carryOut, type Watch } from "../../src/platforms/carryOut.ts"
import { noFiles } from "../../src/platforms/MediaFiles.ts"
import type { AccountAccess } from "../../src/platforms/PlatformClient.ts"
import { afterUnknown, end, fail, type OpenAccess, type RequestStep, type Step } from "../../src/platforms/steps.ts"

type Conversation = Step<string, PlatformError | DatabaseUnavailable>

const post = (next: RequestStep<string, PlatformError | DatabaseUnavailable>["next"]): Conversation => ({
  _tag: "Request",
  request: HttpClientRequest.post("https://platform.test"),
  through: "configured",
  shows: "post",
  next
})
const published = post(() => end(Result.succeed("out")))
const files = (then: Conversation): Conversation => ({ _tag: "Files", files: [], next: () => then })
const renewal = (then: Conversation): Conversation => ({ _tag: "Renew", next: () => then })
const never = () => false

const unavailable = new DatabaseUnavailable({ operation: "a test", cause: "unavailable" })
const notRenewed = new Unavailable({ message: "Not renewed" })

interface World {
  /** The results of reading the access, one after the other. */
  readonly current: ReadonlyArray<Effect.Effect<Redacted.Redacted, DatabaseUnavailable>>
  readonly refresh: Effect.Effect<Redacted.Redacted, PlatformError>
  /** The results of the looks before posts. */
  readonly beforePost: ReadonlyArray<Effect.Effect<void, DatabaseUnavailable>>
  readonly uploaded: Effect.Effect<ReadonlyArray<string>, PlatformError>
}

const access = Effect.succeed(Redacted.make("access"))

/** Carries out a conversation whose posts are answered. Returns what it came to, how many posts were sent, and what was told of them. */
const run = (
  conversation: (access: OpenAccess) => Conversation,
  { beforePost = [], current = [], refresh = access, uploaded = Effect.succeed([]) }: Partial<World>
) =>
  Effect.gen(function* () {
    const reads = [...current]
    const looks = [...beforePost]
    const told: Array<boolean> = []
    let sent = 0
    let noted = 0
    const call = () =>
      Effect.sync(() => {
        sent += 1
        return { status: 200, headers: Headers.empty, body: null }
      })
    const account: AccountAccess = {
      integrationId: IntegrationId.make("01a1fc17-0000-7000-8000-000000000003"),
      accountId: "1",
      username: "team",
      serviceUrl: null,
      credentials: { current: Effect.suspend(() => reads.shift() ?? access), refresh: () => refresh },
      files: noFiles
    }
    const watch: Watch = {
      beforePost: Effect.suspend(() => looks.shift() ?? Effect.void),
      onMayBeOut: (is) => told.push(is),
      limitRest: (steps) => steps
    }
    const means = {
      calls: { configured: call, guarded: call },
      renew: () => Effect.die("Unexpected renewal"),
      repeatUpload: () => uploaded,
      postLimits: {
        note: () => {
          noted += 1
        },
        of: () => []
      }
    }
    const came = yield* Effect.result(carryOut(means, account, conversation, watch))
    return { came: Result.isSuccess(came) ? came.success : came.failure._tag, sent, told, noted }
  })

/** The failures of the engine itself between two posts. */
const failures = [
  ["the access that can't be read after an upload", files, { current: [access, Effect.fail(unavailable)] }],
  ["a renewal that fails", renewal, { refresh: Effect.fail(notRenewed) }],
  ["a lease that has ended", (then) => then, { beforePost: [Effect.void, Effect.fail(unavailable)] }]
] as const satisfies ReadonlyArray<readonly [string, (then: Conversation) => Conversation, Partial<World>]>

describe("carryOut", () => {
  it.effect.each(failures)("After a post that may be out, %s leaves that open", ([, between, world]) =>
    Effect.gen(function* () {
      const { came, sent } = yield* run(() => post(() => afterUnknown(between(published), never)), world)
      assert.deepStrictEqual([came, sent], ["OutcomeUnknown", 1])
    })
  )

  it.effect.each(failures)("After a post that was refused, %s says so itself", ([, between, world]) =>
    Effect.gen(function* () {
      const { came, sent } = yield* run(() => post(() => between(published)), world)
      assert.include(["DatabaseUnavailable", "Unavailable"], came)
      assert.strictEqual(sent, 1)
    })
  )

  it.effect("Who watches is told before each post, and once an answer proves that it is not out", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* run(() => published, {})).told, [true])
      assert.deepStrictEqual((yield* run(() => post(() => renewal(published)), {})).told, [true, false, true])
      const unknown = post(() => afterUnknown(files(published), never))
      assert.deepStrictEqual((yield* run(() => unknown, {})).told, [true, true, true])
      assert.deepStrictEqual((yield* run(() => files(published), {})).told, [true])
    })
  )

  it.effect("A limit of posts is learned from each answer to a post, but not from one that refuses its access", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* run(() => published, {})).noted, 1)
      assert.strictEqual((yield* run(() => post(() => fail(notRenewed)), {})).noted, 1)
      assert.strictEqual((yield* run(() => post(() => renewal(published)), {})).noted, 1)
    })
  )

  it.effect("A failed upload does not let a post out with access that another account has replaced meanwhile", () =>
    Effect.gen(function* () {
      const world = { uploaded: Effect.fail(notRenewed), current: [access, Effect.fail(unavailable)] }
      const { came, sent } = yield* run(() => files(published), world)
      assert.deepStrictEqual([came, sent], ["DatabaseUnavailable", 0])
    })
  )

  it("Only an error that judges the post ends otherwise than unknown after one that may be out", () => {
    const isRejected = ({ _tag }: { readonly _tag: string }) => _tag === "Rejected"
    const endOf = (error: PlatformError) => {
      const step = afterUnknown(fail(error), isRejected)
      return step._tag === "End" && Result.isFailure(step.result) ? step.result.failure : undefined
    }
    const rejected = new Rejected({ message: "Refused" })
    assert.strictEqual(endOf(rejected), rejected)
    assert.deepStrictEqual(endOf(notRenewed), new OutcomeUnknown({ message: "Not renewed" }))
    assert.deepStrictEqual(afterUnknown(end(Result.succeed("out")), isRejected), end(Result.succeed("out")))
  })
})
