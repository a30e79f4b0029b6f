import { assert, layer } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Layer, Logger, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ChatDeliverer } from "../../src/chat/ChatDeliverer.ts"
import { channelKinds } from "../../src/domain/plain/chat.ts"
import { dispatchNotifications } from "../../src/mail/deliveryFibers.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { makeWorkspace } from "../support/database/fixtures.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { deliveriesOf, failPosts, forgetDeliveries } from "../mail/world.ts"
import { type Answer, makeChatReceiver, type ReceivedMessage } from "./chatReceiver.ts"
import { makeChannel, sendDueChat, withChat } from "./world.ts"

/** Gathered notifications are due after this. */
const gathered = TestClock.adjust("5 seconds")
const sendGathered = Effect.andThen(dispatchNotifications, Effect.andThen(gathered, sendDueChat))

const start = Effect.fn("start")(function* (answerTo?: (message: ReceivedMessage) => Answer) {
  yield* forgetDeliveries
  const workspaceId = yield* makeWorkspace([])
  const receiver = yield* makeChatReceiver(answerTo)
  return { workspaceId, ...receiver }
})

const lines: Array<string> = []
const recordingLogger = Logger.layer([
  Logger.make(({ cause, message }) => void lines.push(`${JSON.stringify(message)} ${JSON.stringify(cause)}`))
])

// The service sends no mail.
layer(Layer.merge(repoLayer, recordingLogger))("Notifications in channels", (it) => {
  it.effect("A failure reaches a channel of each kind, without mail, with a link to the post", () =>
    Effect.gen(function* () {
      const { origin, received, workspaceId } = yield* start()
      for (const kind of channelKinds) yield* makeChannel(workspaceId, { kind })
      const [post] = yield* failPosts(workspaceId)
      yield* withChat(origin, sendGathered)
      const messages = yield* Queue.takeN(received, 3)
      assert.sameMembers(
        messages.map(({ path }) => path),
        [
          "/services/T0canary/B0canary/canarysecretofslack",
          "/api/webhooks/4711/canarysecretofdiscord?wait=true",
          "/hooks/canarysecretofmattermost"
        ]
      )
      for (const { body } of messages) {
        assert.include(body, "Not published on X")
        assert.include(body, `https://posts.example/posts/${post}`)
        assert.notInclude(body, "canary")
      }
      assert.deepStrictEqual(
        yield* deliveriesOf(workspaceId),
        Array.from({ length: 3 }, () => ({ status: "sent", attempts: 1, count: 1, type: "post.failed", error: null }))
      )
      yield* withChat(origin, Effect.andThen(TestClock.adjust("1 day"), sendDueChat))
      assert.strictEqual(yield* Queue.size(received), 0)
    })
  )

  it.effect("A channel gets only its types", () =>
    Effect.gen(function* () {
      const { origin, received, workspaceId } = yield* start()
      yield* makeChannel(workspaceId, { types: ["post.published"] })
      yield* failPosts(workspaceId)
      yield* withChat(origin, sendGathered)
      assert.strictEqual(yield* Queue.size(received), 0)
      assert.deepStrictEqual(yield* deliveriesOf(workspaceId), [])
    })
  )

  it.effect("5,000 failed posts are two messages: the first one, and five minutes later the number of all others", () =>
    Effect.gen(function* () {
      const { origin, received, workspaceId } = yield* start()
      yield* makeChannel(workspaceId)
      yield* failPosts(workspaceId)
      yield* withChat(
        origin,
        Effect.gen(function* () {
          yield* sendGathered
          yield* failPosts(workspaceId, 4_999)
          yield* sendGathered
          yield* TestClock.adjust("294 seconds")
          yield* sendDueChat
          assert.strictEqual(yield* Queue.size(received), 1)
          yield* TestClock.adjust("1 second")
          yield* sendDueChat
        })
      )
      const [, second] = yield* Queue.takeN(received, 2)
      assert.include(second?.body, "4,999 posts were not published")
      assert.strictEqual(yield* Queue.size(received), 0)
    })
  )

  it.effect.each(["cut", { status: 500, body: "rollup_error" }] as const)(
    "A message is sent again after a minute if the server's answer is %j",
    (fault) =>
      Effect.gen(function* () {
        let faults = 1
        const { origin, received, workspaceId } = yield* start(() => (faults-- > 0 ? fault : { status: 200 }))
        yield* makeChannel(workspaceId)
        yield* failPosts(workspaceId)
        yield* withChat(
          origin,
          Effect.gen(function* () {
            yield* sendGathered
            assert.deepInclude((yield* deliveriesOf(workspaceId))[0], { status: "pending", attempts: 1 })
            yield* TestClock.adjust("59 seconds")
            yield* sendDueChat
            assert.strictEqual(yield* Queue.size(received), 1)
            yield* TestClock.adjust("1 second")
            yield* sendDueChat
          })
        )
        assert.strictEqual(yield* Queue.size(received), 2)
        assert.deepInclude((yield* deliveriesOf(workspaceId))[0], { status: "sent", attempts: 2, error: null })
      })
  )

  it.effect("A server that fails gets a message six times within nine hours, and then it was given up", () =>
    Effect.gen(function* () {
      const { origin, received, workspaceId } = yield* start(() => ({ status: 503, body: "away" }))
      yield* makeChannel(workspaceId)
      yield* failPosts(workspaceId)
      yield* withChat(
        origin,
        Effect.gen(function* () {
          yield* sendGathered
          for (const [index, minutes] of [1, 5, 30, 120, 360].entries()) {
            yield* TestClock.adjust(Duration.seconds(minutes * 60 - 1))
            yield* sendDueChat
            assert.strictEqual(yield* Queue.size(received), index + 1)
            yield* TestClock.adjust("1 second")
            yield* sendDueChat
          }
        })
      )
      assert.strictEqual(yield* Queue.size(received), 6)
      assert.deepInclude((yield* deliveriesOf(workspaceId))[0], {
        status: "failed",
        attempts: 6,
        error: "Slack answered 503: away"
      })
    })
  )

  it.effect("A server that hangs has failed after fifteen seconds", () =>
    Effect.gen(function* () {
      const { origin, received, workspaceId } = yield* start(() => "hang")
      yield* makeChannel(workspaceId)
      yield* failPosts(workspaceId)
      yield* withChat(
        origin,
        Effect.gen(function* () {
          yield* dispatchNotifications
          yield* gathered
          const deliverer = yield* ChatDeliverer
          yield* deliverer.tick
          yield* Queue.take(received)
          yield* TestClock.adjust("15 seconds")
          yield* deliverer.idle
        })
      )
      const [waiting] = yield* deliveriesOf(workspaceId)
      assert.deepInclude(waiting, { status: "pending", attempts: 1 })
      assert.match(waiting?.error ?? "", /did not answer within 15 seconds$/)
    })
  )

  it.effect.each([
    ["slack", { status: 429, body: "rate_limited", headers: { "retry-after": "600" } }],
    ["discord", { status: 429, body: '{"retry_after": 599.5}', headers: { "retry-after": "1" } }]
  ] as const)("%s gets nothing for as long as it asks, whatever else waits", ([kind, refusal]) =>
    Effect.gen(function* () {
      let refusals = 1
      const { origin, received, workspaceId } = yield* start(() => (refusals-- > 0 ? refusal : { status: 200 }))
      yield* makeChannel(workspaceId, { kind })
      yield* failPosts(workspaceId)
      yield* withChat(
        origin,
        Effect.gen(function* () {
          yield* sendGathered
          yield* failPosts(workspaceId)
          yield* sendGathered
          yield* TestClock.adjust("594 seconds")
          yield* sendDueChat
          assert.strictEqual(yield* Queue.size(received), 1)
          yield* TestClock.adjust("1 second")
          yield* sendDueChat
          assert.strictEqual(yield* Queue.size(received), 2)
          yield* TestClock.adjust("1 second")
          yield* sendDueChat
        })
      )
      assert.strictEqual(yield* Queue.size(received), 3)
    })
  )

  it.effect("A channel gets one message a second", () =>
    Effect.gen(function* () {
      const { origin, received, workspaceId } = yield* start()
      yield* makeChannel(workspaceId)
      const sql = yield* SqlClient.SqlClient
      yield* failPosts(workspaceId)
      yield* withChat(
        origin,
        Effect.gen(function* () {
          yield* sendGathered
          yield* sql`INSERT INTO notification_deliveries (id, workspace_id, kind, channel_id, type, notification_ids, count, status,
              sealed, due_at, next_at, created_at)
            SELECT gen_random_uuid(), workspace_id, kind, channel_id, type, notification_ids, count, 'pending', true, due_at,
              due_at, created_at
            FROM notification_deliveries, generate_series(1, 2) WHERE workspace_id = ${workspaceId}::uuid`
          yield* sendDueChat
          assert.strictEqual(yield* Queue.size(received), 1)
          for (const count of [2, 3]) {
            yield* TestClock.adjust("1 second")
            yield* sendDueChat
            assert.strictEqual(yield* Queue.size(received), count)
          }
        })
      )
    })
  )

  it.effect("A revoked URL disables its channel, and what waits is dropped, until it has got another URL", () =>
    Effect.gen(function* () {
      const { origin, received, workspaceId } = yield* start(() => ({ status: 404, body: "no_service" }))
      const { id } = yield* makeChannel(workspaceId)
      const { channels, notifications } = yield* Repo
      yield* failPosts(workspaceId)
      yield* withChat(
        origin,
        Effect.gen(function* () {
          yield* dispatchNotifications
          yield* gathered
          yield* failPosts(workspaceId)
          yield* (yield* ChatDeliverer).tick
          yield* (yield* ChatDeliverer).idle
          assert.deepInclude(yield* channels.get(workspaceId, id), { enabled: false, disabled_reason: "revoked" })
          const { data } = yield* notifications.page(workspaceId, 0, 10)
          assert.deepStrictEqual(
            data.filter(({ type }) => type === "channel.disabled").map(({ message }) => message),
            ["Slack says that the URL of #social does not exist any more: give the channel another one"]
          )
          yield* failPosts(workspaceId)
          yield* sendGathered
        })
      )
      assert.strictEqual(yield* Queue.size(received), 1)
      assert.deepStrictEqual(
        (yield* deliveriesOf(workspaceId)).map(({ error, status }) => [status, error]),
        [["failed", "Slack answered 404: no_service"]]
      )
      const url = "https://hooks.slack.com/services/T0/B0/another"
      const changed = yield* channels.update(workspaceId, id, { url }, () => Effect.void)
      assert.deepInclude(changed, { enabled: true, disabled_reason: null })
    })
  )

  it.effect("A channel that was disabled, or gets the type no more, before a message was due gets nothing", () =>
    Effect.gen(function* () {
      const { origin, received, workspaceId } = yield* start()
      const { channels } = yield* Repo
      const [off, other, deleted] = [
        yield* makeChannel(workspaceId),
        yield* makeChannel(workspaceId),
        yield* makeChannel(workspaceId)
      ]
      yield* failPosts(workspaceId)
      yield* dispatchNotifications
      const check = () => Effect.void
      yield* channels.update(workspaceId, off.id, { enabled: false }, check)
      yield* channels.update(workspaceId, other.id, { types: ["post.published"] }, check)
      yield* channels.remove(workspaceId, deleted.id)
      yield* withChat(origin, Effect.andThen(gathered, sendDueChat))
      assert.strictEqual(yield* Queue.size(received), 0)
      assert.sameDeepMembers(
        (yield* deliveriesOf(workspaceId)).map(({ error, status }) => [status, error]),
        [
          ["dropped", "The channel was disabled"],
          ["dropped", "The channel does not get this any more"]
        ]
      )
    })
  )

  it.effect("A process that dies between the sending and its record sends once more", () =>
    Effect.gen(function* () {
      const { origin, received, workspaceId } = yield* start()
      yield* makeChannel(workspaceId)
      yield* failPosts(workspaceId)
      const repo = yield* Repo
      const dies: Repo["Service"] = {
        ...repo,
        deliveries: { ...repo.deliveries, settleChat: () => Effect.die("The process was killed") }
      }
      yield* withChat(origin, sendGathered).pipe(Effect.provideService(Repo, dies))
      assert.strictEqual(yield* Queue.size(received), 1)
      yield* withChat(
        origin,
        Effect.gen(function* () {
          yield* TestClock.adjust("44 seconds")
          yield* sendDueChat
          assert.strictEqual(yield* Queue.size(received), 1)
          yield* TestClock.adjust("1 second")
          yield* sendDueChat
          yield* TestClock.adjust("1 day")
          yield* sendDueChat
        })
      )
      assert.strictEqual(yield* Queue.size(received), 2)
      assert.deepInclude((yield* deliveriesOf(workspaceId))[0], { status: "sent", attempts: 2 })
    })
  )

  it.effect("A process that stops returns a message in flight to the queue", () =>
    Effect.gen(function* () {
      const { origin, received, workspaceId } = yield* start(() => "hang")
      yield* makeChannel(workspaceId)
      yield* failPosts(workspaceId)
      const sent = yield* Deferred.make<void>()
      const stopping = yield* Effect.forkChild(
        withChat(
          origin,
          Effect.gen(function* () {
            yield* dispatchNotifications
            yield* gathered
            yield* (yield* ChatDeliverer).tick
            yield* Queue.take(received)
            yield* Deferred.succeed(sent, undefined)
          })
        )
      )
      yield* Deferred.await(sent)
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(stopping)
      assert.deepInclude((yield* deliveriesOf(workspaceId))[0], { status: "pending", attempts: 0 })
      assert.lengthOf(yield* (yield* Repo).deliveries.claimChat(4, Duration.seconds(60)), 1)
    })
  )

  it.effect("A channel whose key is missing waits, and its secret is in no log, error or stored row", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const echo = ({ path }: ReceivedMessage) => ({ status: 500, body: `No webhook ${path}` })
      const { origin, received, workspaceId } = yield* start(echo)
      for (const kind of channelKinds) yield* makeChannel(workspaceId, { kind })
      yield* failPosts(workspaceId)
      yield* withChat(origin, sendGathered)
      assert.strictEqual(yield* Queue.size(received), 3)
      yield* sql`UPDATE channels SET sealed_url = set_byte(sealed_url, 20, 255 - get_byte(sealed_url, 20))
        WHERE workspace_id = ${workspaceId}::uuid`
      yield* withChat(origin, Effect.andThen(TestClock.adjust("1 minute"), sendDueChat))
      assert.strictEqual(yield* Queue.size(received), 3)
      const waiting = yield* deliveriesOf(workspaceId)
      assert.deepStrictEqual(
        waiting.map(({ attempts, status }) => [status, attempts]),
        Array.from({ length: 3 }, () => ["pending", 2])
      )
      const rows =
        yield* sql`SELECT to_json(channels)::text AS channel FROM channels WHERE workspace_id = ${workspaceId}::uuid`
      assert.notInclude(JSON.stringify([waiting, rows]), "canarysecret")
      assert.isAbove(lines.length, 0)
      assert.notInclude(lines.join("\n"), "canarysecret")
    })
  )
})
