import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import type { LivePlatform } from "../../src/domain/platform.ts"
import type { ThreadPart } from "../../src/domain/posts/thread.ts"
import { OutcomeUnknown, TooEarly, Unavailable } from "../../src/domain/publishing/platformError.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { deletePosts } from "../support/database/duePosts.ts"
import { plan } from "../support/database/fixtures.ts"
import { after, part, published, type Stored, threadInAMinute, ThreadScript, threadWorld, tick } from "./threadWorld.ts"

const backlog = 120
const five = ["two", "three", "four", "five"].map((each) => part(each))

/** Other posts of a thread's account, which fall due with it. */
const addBacklog = Effect.fnUntraced(function* ({ workspace }: Stored, platform: LivePlatform) {
  const { posts } = yield* Repo
  const at = DateTime.addDuration(yield* DateTime.now, "1 minute")
  yield* Effect.forEach(
    Array.from({ length: backlog }, (_, index) => `post ${index}`),
    (content) => posts.create(workspace, { ...plan(at, [platform]), content }),
    { concurrency: 8, discard: true }
  )
})

/** A thread due in a minute, an optional second thread, and their account's backlog. Nothing else is due. */
const threadBeforeBacklog = Effect.fnUntraced(function* (
  platform: LivePlatform,
  parts = five,
  otherParts: ReadonlyArray<ThreadPart> = []
) {
  yield* deletePosts
  const thread = yield* threadInAMinute("one", parts, { platforms: [platform] })
  if (otherParts.length > 0) {
    const { posts } = yield* Repo
    const at = DateTime.addDuration(yield* DateTime.now, "1 minute")
    yield* posts.create(thread.workspace, { ...plan(at, [platform]), content: "other one", thread: otherParts })
  }
  yield* addBacklog(thread, platform)
})

const step = Duration.millis(250)

/** Publishes one post each quarter of a second. Returns the sends with their times. */
const publishFor = Effect.fnUntraced(function* (time: Duration.Input) {
  const { takeCalls } = yield* ThreadScript
  takeCalls()
  const sent: Array<readonly [number, string]> = []
  const end = Duration.toMillis(Duration.fromInputUnsafe(time))
  for (let at = 0; at <= end; at += Duration.toMillis(step)) {
    if (at > 0) yield* after(step, 0)
    yield* tick
    sent.push(...takeCalls().map((call) => [at / 1000, call] as const))
  }
  return sent
})

const ofBacklog = ([, call]: readonly [number, string]) => call.includes("post ")
const ofThread = (each: readonly [number, string]) => !ofBacklog(each)

layer(threadWorld)("The turns of threads", (it) => {
  it.effect("On X the parts go out two seconds after each other, and 120 due posts of the account in between", () =>
    Effect.gen(function* () {
      yield* threadBeforeBacklog("twitter")
      yield* after("1 minute", 0)
      const sent = yield* publishFor("8 seconds")
      assert.deepStrictEqual(sent.filter(ofThread), [
        [0, "twitter publish one"],
        [2, "twitter publish two <- twitter-one"],
        [4, "twitter publish three <- twitter-two"],
        [6, "twitter publish four <- twitter-three"],
        [8, "twitter publish five <- twitter-four"]
      ])
      // One post each quarter of a second, except the thread's five parts.
      assert.lengthOf(sent.filter(ofBacklog), 28)
    })
  )

  it.effect("On Bluesky all parts go out before 120 due posts of the account", () =>
    Effect.gen(function* () {
      yield* threadBeforeBacklog("bluesky")
      yield* after("1 minute", 0)
      const sent = yield* publishFor("1 second")
      assert.deepStrictEqual(
        sent.map(([, call]) => call),
        [
          "bluesky publish one",
          "bluesky publish two <- bluesky-one",
          "bluesky publish three <- bluesky-two",
          "bluesky publish four <- bluesky-three",
          "bluesky publish five <- bluesky-four"
        ]
      )
    })
  )

  it.effect("A reply that X refuses as too early goes out five seconds later, before the account's due posts", () =>
    Effect.gen(function* () {
      const { sends } = yield* ThreadScript
      yield* threadBeforeBacklog("twitter", [part("two")])
      yield* after("1 minute", 0)
      sends.twitter.push(Effect.succeed(published("twitter-one")))
      const first = yield* publishFor("1.75 seconds")
      sends.twitter.push(Effect.fail(new TooEarly({ message: "Not there yet" })))
      yield* after(step, 0)
      const second = yield* publishFor("5 seconds")
      assert.deepStrictEqual([...first, ...second].filter(ofThread), [
        [0, "twitter publish one"],
        [0, "twitter publish two <- twitter-one"],
        [5, "twitter publish two <- twitter-one"]
      ])
      assert.isAbove(second.filter(ofBacklog).length, 15)
    })
  )

  for (const platform of ["twitter", "bluesky"] as const) {
    it.effect(
      `On ${platform} a part that is tried again goes before the account's due posts once its delay is over`,
      () =>
        Effect.gen(function* () {
          const { sends } = yield* ThreadScript
          yield* threadBeforeBacklog(platform, [part("two")])
          yield* after("1 minute", 0)
          sends[platform].push(
            Effect.succeed(published(`${platform}-one`)),
            Effect.fail(new Unavailable({ message: "Down" }))
          )
          yield* tick
          yield* after("2 seconds")
          // The first retry comes after 30 s plus at most a fifth.
          yield* after("36 seconds", 0)
          const [first, second] = yield* publishFor("0.25 seconds")
          assert.deepStrictEqual(first, [0, `${platform} publish two <- ${platform}-one`])
          assert.isTrue(second !== undefined && ofBacklog(second))
        })
    )

    it.effect(`On ${platform} a first part that may be out is looked for before the account's due posts`, () =>
      Effect.gen(function* () {
        const { sends } = yield* ThreadScript
        yield* threadBeforeBacklog(platform, [part("two")])
        yield* after("1 minute", 0)
        sends[platform].push(Effect.fail(new OutcomeUnknown({ message: "The connection was lost" })))
        yield* tick
        yield* after("15 seconds", 0)
        const sent = yield* publishFor("2.25 seconds")
        assert.deepStrictEqual(sent.filter(ofThread), [
          [0, `${platform} reconcile one`],
          [platform === "twitter" ? 2 : 0.25, `${platform} publish two <- ${platform}-one`]
        ])
      })
    )
  }

  for (const [platform, when, expected] of [
    [
      "twitter",
      "in the pauses of the first",
      [
        [0, "one"],
        [0.25, "other one"],
        [2, "two <- twitter-one"],
        [2.25, "other two <- twitter-other one"],
        [4, "three <- twitter-two"]
      ]
    ],
    [
      "bluesky",
      "after the first",
      [
        [0, "one"],
        [0.25, "two <- bluesky-one"],
        [0.5, "three <- bluesky-two"],
        [0.75, "other one"],
        [1, "other two <- bluesky-other one"]
      ]
    ]
  ] as const) {
    it.effect(`On ${platform} a second thread of the account goes out ${when}`, () =>
      Effect.gen(function* () {
        yield* threadBeforeBacklog(platform, [part("two"), part("three")], [part("other two")])
        yield* after("1 minute", 0)
        const sent = yield* publishFor("4 seconds")
        assert.deepStrictEqual(
          sent.filter(ofThread),
          expected.map(([at, what]): readonly [number, string] => [at, `${platform} publish ${what}`])
        )
      })
    )
  }
})
