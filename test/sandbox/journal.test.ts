import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Option } from "effect"
import { sendPost } from "../../src/platforms/carryOut.ts"
import { nextPostId, nextWorkspaceId, TargetId } from "../../src/domain/ids.ts"
import { PlatformClient } from "../../src/platforms/PlatformClient.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import { readAddress } from "../../src/sandbox/address.ts"
import { SandboxPost } from "../../src/sandbox/state/entry.ts"
import { connected, storedAccount, targetId, world } from "../platforms/world.ts"

const inDirectory = <A, E, R>(test: (directory: string) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    return yield* test(yield* files.makeTempDirectoryScoped({ prefix: "sandbox-" }))
  }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))

const texts = Effect.flatMap(Sandbox, (sandbox) => Effect.map(sandbox.posts, (posts) => posts.map((post) => post.text)))

describe("A sandbox with a directory", () => {
  it.effect("Posts and tokens survive a restart", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        const before = yield* Effect.gen(function* () {
          const { account, publish, sandbox } = yield* connected("twitter")
          yield* publish("Before")
          return { account, posts: yield* sandbox.posts, accepted: yield* sandbox.accepted }
        }).pipe(Effect.provide(world({ directory })))
        yield* Effect.gen(function* () {
          const sandbox = yield* Sandbox
          assert.deepStrictEqual(yield* sandbox.posts, before.posts)
          assert.deepStrictEqual(yield* sandbox.accepted, before.accepted)
          const { twitter } = yield* PlatformClient
          const prepared = yield* twitter.prepare({ targetId, text: "After", settings: {} }, before.account)
          yield* sendPost(twitter, prepared, before.account)
          assert.deepStrictEqual(yield* texts, ["After", "Before"])
        }).pipe(Effect.provide(world({ directory })))
      })
    )
  )

  it.effect("Examples that were recorded again meanwhile are not forgotten with those from before", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      const account = yield* sandbox.connect("twitter", "acme")
      const example = (text: string) =>
        SandboxPost.make({
          platform: "twitter",
          accountId: account.accountId,
          username: account.username,
          displayName: account.username,
          id: text,
          at: 0,
          text,
          replySettings: null,
          record: null,
          example: true
        })
      const ids = { mediaIds: [], keyIds: [] }
      const workspaceId = yield* nextWorkspaceId
      const record = Effect.fnUntraced(function* (text: string) {
        yield* sandbox.recordDemo({ workspaceId, postIds: [yield* nextPostId], ...ids }, [example(text)])
        return yield* Effect.flatMap(sandbox.demo, Effect.fromNullishOr)
      })
      const former = yield* record("First")
      const current = yield* record("Second")
      yield* sandbox.forgetExamples(former)
      assert.deepStrictEqual([yield* texts, yield* sandbox.demo], [["Second"], current])
      yield* sandbox.forgetExamples(current)
      assert.deepStrictEqual([yield* texts, yield* sandbox.demo], [[], { ...current, postIds: [] }])
    }).pipe(Effect.provide(world()))
  )

  it.effect("The account of a seed is in the journal once", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        const connect = Effect.flatMap(Sandbox, (sandbox) => sandbox.connect("bluesky", "acme"))
        const first = yield* connect.pipe(Effect.provide(world({ directory })))
        const second = yield* connect.pipe(Effect.provide(world({ directory })))
        assert.strictEqual(second.accountId, first.accountId)
        const files = yield* FileSystem.FileSystem
        const journal = yield* files.readFileString(`${directory}/sandbox.jsonl`)
        assert.lengthOf(journal.split('"Account"'), 2)
      })
    )
  )

  it.effect("An incomplete last line is dropped, and the next entry starts on a line of its own", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const path = `${directory}/sandbox.jsonl`
        const post = (text: string) =>
          Effect.gen(function* () {
            const sandbox = yield* Sandbox
            const { account } = yield* storedAccount(yield* sandbox.connect("bluesky", "acme"))
            const { bluesky } = yield* PlatformClient
            const ownTargetId = TargetId.make(`01a1fc17-0000-7000-8000-${text.length.toString().padStart(12, "0")}`)
            yield* sendPost(
              bluesky,
              yield* bluesky.prepare({ targetId: ownTargetId, text, settings: {} }, account),
              account
            )
          }).pipe(Effect.provide(world({ directory })))
        yield* post("One")
        yield* post("Second")
        const complete = yield* files.readFileString(path)
        yield* files.writeFileString(path, complete.slice(0, -20))
        assert.deepStrictEqual(yield* texts.pipe(Effect.provide(world({ directory }))), ["One"])
        yield* post("Third one")
        assert.deepStrictEqual(yield* texts.pipe(Effect.provide(world({ directory }))), ["Third one", "One"])
      })
    )
  )

  it.effect(
    "The address file names the running sandbox, also after another one was started in the directory and has ended",
    () =>
      inDirectory((directory) =>
        Effect.gen(function* () {
          const { apiUrls } = yield* Sandbox
          const another = Effect.map(Sandbox, (sandbox) => sandbox.apiUrls.twitter)
          const address = Effect.map(readAddress(directory), Option.getOrNull)
          assert.strictEqual(yield* address, apiUrls.twitter)
          assert.notStrictEqual(yield* another.pipe(Effect.provide(world({ directory }))), apiUrls.twitter)
          assert.strictEqual(yield* address, apiUrls.twitter)
        }).pipe(Effect.provide(world({ directory })))
      )
  )

  it.effect("Other users of the machine can't read the journal", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        yield* texts.pipe(Effect.provide(world({ directory })))
        const files = yield* FileSystem.FileSystem
        const { mode } = yield* files.stat(`${directory}/sandbox.jsonl`)
        assert.strictEqual(mode & 0o077, 0)
      })
    )
  )
})
