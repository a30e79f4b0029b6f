import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, Queue } from "effect"
import { TestClock } from "effect/testing"
import { ChannelTests } from "../../src/chat/ChannelTests.ts"
import type { WorkspaceId } from "../../src/domain/ids.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { makeWorkspace } from "../support/database/fixtures.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { makeChatReceiver } from "./chatReceiver.ts"
import { channelTestsAt, makeChannel } from "./world.ts"

const openChannel = Effect.fn("openChannel")(function* (workspaceId: WorkspaceId, url: string) {
  const { channels } = yield* Repo
  const { id } = yield* makeChannel(workspaceId, { kind: "mattermost", url })
  return yield* channels.open(workspaceId, id)
})

layer(Layer.merge(repoLayer, Logger.layer([])))("Tests of channels", (it) => {
  it.effect("A workspace whose server hangs keeps no other workspace from a test, and waits for its own turns", () =>
    Effect.gen(function* () {
      const { origin, received } = yield* makeChatReceiver(({ path }) =>
        path.endsWith("hangs") ? "hang" : { status: 200 }
      )
      const tests = yield* Layer.build(channelTestsAt(origin))
      const [slow, other] = [yield* makeWorkspace([]), yield* makeWorkspace([])]
      const hanging = yield* openChannel(slow, "https://chat.example/hooks/hangs")
      const answering = yield* openChannel(other, "https://chat.example/hooks/answers")
      yield* Effect.gen(function* () {
        const { send } = yield* ChannelTests
        const waiting = yield* Effect.replicateEffect(Effect.forkChild(send(hanging)), 10)
        yield* Queue.takeN(received, 2)
        const quick = yield* send(answering)
        assert.deepStrictEqual(quick, { delivered: true, answer: "Mattermost answered 200" })
        yield* TestClock.adjust("5 seconds")
        yield* TestClock.adjust("10 seconds")
        const answers = (yield* Fiber.joinAll(waiting)).map(({ answer }) => answer)
        assert.lengthOf(
          answers.filter((answer) => answer.endsWith("did not answer within 15 seconds")),
          2
        )
        assert.lengthOf(
          answers.filter((answer) => answer === "Other tests have to end first; try again in a few seconds"),
          8
        )
      }).pipe(Effect.provideContext(tests))
    })
  )
})
