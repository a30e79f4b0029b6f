import { assert } from "@effect/vitest"
import { Context, DateTime, Effect, Layer, Redacted, Ref, Semaphore } from "effect"
import { TestClock } from "effect/testing"
import { sendPost } from "../../src/platforms/carryOut.ts"
import { IntegrationId, TargetId } from "../../src/domain/ids.ts"
import type { LivePlatform } from "../../src/domain/platform.ts"
import type { PlatformSettings } from "../../src/domain/posts/platformSettings.ts"
import { platformClientLayer } from "../../src/platforms/layer.ts"
import type { ConnectedAccount, RenewedAccess } from "../../src/domain/accounts/integration.ts"
import { noFiles } from "../../src/platforms/MediaFiles.ts"
import {
  type Account,
  type PlatformAdapter,
  PlatformClient,
  type PlatformFile,
  type UploadProgress,
  type Uploads
} from "../../src/platforms/PlatformClient.ts"
import { Sandbox, type SandboxOptions } from "../../src/sandbox/Sandbox.ts"
import type { Fault, CallKind } from "../../src/sandbox/state/faults.ts"
import { platformHttpLayer } from "../support/http/platformHttpLayer.ts"

export const baseUrl = "https://posts.example"

/** The start of the tests' clock: not a whole second. */
export const start = DateTime.makeUnsafe("2030-01-31T12:00:00.250Z")

/** The adapters, which use a sandbox over HTTP. */
export const world = (options: SandboxOptions = {}, http = platformHttpLayer) =>
  Layer.effectContext(
    Effect.gen(function* () {
      yield* TestClock.setTime(DateTime.toEpochMillis(start))
      const context = yield* Layer.build(Sandbox.layer(options))
      const platforms = Context.get(context, Sandbox).platforms(baseUrl)
      return Context.merge(context, yield* Layer.build(platformClientLayer(platforms)))
    })
  ).pipe(Layer.provideMerge(http))

export const targetId = TargetId.make("01a1fc17-0000-7000-8000-0000000a1b2c")

/**
 * An account whose credentials are stored as in the Repo: renewed under a lock, and only if they are still stale.
 * `renewed` has the result of the last renewal.
 */
export const storedAccount = Effect.fn(function* (connected: ConnectedAccount) {
  const stored = yield* Ref.make(connected.credentials)
  const renewed = yield* Ref.make<RenewedAccess | undefined>(undefined)
  const lock = yield* Semaphore.make(1)
  const account: Account = {
    integrationId: IntegrationId.make("01a1fc17-0000-7000-8000-000000000003"),
    accountId: connected.accountId,
    username: connected.username,
    serviceUrl: connected.serviceUrl,
    others: { published: () => Effect.succeed(new Set()), unresolved: () => Effect.succeed([]) },
    credentials: {
      current: Ref.get(stored),
      refresh: (stale, renew) =>
        Effect.gen(function* () {
          const current = yield* Ref.get(stored)
          if (Redacted.value(current) !== Redacted.value(stale)) return current
          const access = yield* renew
          yield* Ref.set(stored, access.credentials)
          yield* Ref.set(renewed, access)
          return access.credentials
        }).pipe(lock.withPermits(1))
    },
    files: noFiles
  }
  return { account, stored, renewed }
})

/** A connected account with the operations that tests need. */
export const connected = Effect.fn(function* (platform: LivePlatform) {
  const sandbox = yield* Sandbox
  const adapter = (yield* PlatformClient)[platform]
  const { account, renewed, stored } = yield* storedAccount(yield* sandbox.connect(platform, "acme"))
  const prepare = (text: string, settings: PlatformSettings = {}) =>
    adapter.prepare({ targetId, text, settings }, account)
  const publish = (text: string, settings?: PlatformSettings) =>
    Effect.flatMap(prepare(text, settings), (prepared) => sendPost(adapter, prepared, account))
  /** Makes the next calls fail, of `publish` by default. */
  const injectFault = (fault: Fault, call?: CallKind, times = 1) =>
    sandbox.faults.add({ platform, fault, times, ...(call === undefined ? {} : { call }) })
  const posts = Effect.map(sandbox.posts, (all) => all.filter((post) => post.platform === platform))
  return { sandbox, adapter, account, stored, renewed, prepare, publish, injectFault, posts }
})

/** Uploads files, and asks again while the platform processes them. */
export const uploadThrough = Effect.fn(function* (
  { upload = () => Effect.die("The platform takes no files") }: PlatformAdapter,
  files: ReadonlyArray<PlatformFile>,
  account: Account
) {
  let begun: Uploads | null = null
  while (true) {
    const progress: UploadProgress = yield* upload(files, account, begun)
    if (progress._tag === "Uploaded") return progress.uploads
    begun = progress.begun
    yield* Effect.sleep(progress.askAfter)
  }
})

/** The tag of an error, or "success". */
export const outcome = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onFailure: (error): string => error._tag, onSuccess: () => "success" })

/** A response with a status, in place of the sandbox's response. */
export const statusFault = (
  status: number,
  more: Omit<Extract<Fault, { kind: "status" }>, "kind" | "status"> = {}
): Fault => ({ kind: "status", status, ...more })

/** The outcome of publishing with an expired session if `fault` prevents its renewal. Nothing may be sent or stored. */
export const publishWithoutRenewal = Effect.fn(function* (platform: LivePlatform, fault: Fault) {
  const { account, injectFault, posts, publish, sandbox } = yield* connected(platform)
  const before = yield* account.credentials.current
  yield* sandbox.endAccess(platform)
  yield* injectFault(fault, "session")
  const result = yield* outcome(publish("Hello"))
  assert.lengthOf(yield* posts, 0)
  assert.strictEqual(Redacted.value(yield* account.credentials.current), Redacted.value(before))
  return result
})
