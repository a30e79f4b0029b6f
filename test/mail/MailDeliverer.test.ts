import { assert, layer } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Layer, Logger, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { MailDeliverer } from "../../src/mail/MailDeliverer.ts"
import { dispatchNotifications } from "../../src/mail/deliveryFibers.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { makeWorkspace } from "../support/database/fixtures.ts"
import { makeMember } from "../support/http/team.ts"
import { headerOf, makeSmtpReceiver, password, refusal } from "./smtpReceiver.ts"
import { deliveriesOf, failPosts, forgetDeliveries, mailRepoLayer, sendDue, withDeliverer } from "./world.ts"

/** A workspace with one admin. */
const start = Effect.gen(function* () {
  yield* forgetDeliveries
  const workspaceId = yield* makeWorkspace([])
  const admin = yield* makeMember(workspaceId)
  return { workspaceId, admin }
})

/** Gathered notifications are due after this. */
const gathered = TestClock.adjust("5 seconds")

const sendGathered = Effect.andThen(dispatchNotifications, Effect.andThen(gathered, sendDue))

layer(Layer.merge(mailRepoLayer, Logger.layer([])))("Mail about notifications", (it) => {
  it.effect("A failure reaches an admin's mailbox, with the excerpt and a link, and no secret", () =>
    Effect.gen(function* () {
      const { admin, workspaceId } = yield* start
      const { received, settings } = yield* makeSmtpReceiver()
      const [post] = yield* failPosts(workspaceId)
      yield* withDeliverer(settings, sendGathered)
      const mail = yield* Queue.take(received)
      assert.deepStrictEqual([mail.from, mail.to], ["posts@publisher.example", [admin.email]])
      assert.strictEqual(headerOf(mail, "From"), "Social Publisher <posts@publisher.example>")
      assert.strictEqual(headerOf(mail, "Auto-Submitted"), "auto-generated")
      const text = mail.raw.replaceAll("=\r\n", "").replaceAll("=3D", "=")
      assert.include(text, "Not published on X")
      assert.include(text, `https://posts.example/posts/${post}`)
      assert.notInclude(mail.raw, password)
      assert.notInclude(mail.raw, Buffer.from(password).toString("base64"))
      assert.deepStrictEqual(yield* deliveriesOf(workspaceId), [
        { status: "sent", attempts: 1, count: 1, type: "post.failed", error: null }
      ])
      yield* withDeliverer(settings, Effect.andThen(TestClock.adjust("1 day"), sendDue))
      assert.strictEqual(yield* Queue.size(received), 0)
    })
  )

  it.effect("A message whose connection ends after DATA is sent again after a minute, with the same Message-ID", () =>
    Effect.gen(function* () {
      const { workspaceId } = yield* start
      let cuts = 1
      const { arrived, received, settings } = yield* makeSmtpReceiver({ afterData: () => (cuts-- > 0 ? "cut" : "ok") })
      yield* failPosts(workspaceId)
      yield* withDeliverer(
        settings,
        Effect.gen(function* () {
          yield* sendGathered
          assert.strictEqual(yield* Queue.size(received), 0)
          const [pending] = yield* deliveriesOf(workspaceId)
          assert.deepInclude(pending, { status: "pending", attempts: 1 })
          assert.match(pending?.error ?? "", /^The mail server could not be used: /)
          yield* TestClock.adjust("59 seconds")
          yield* sendDue
          assert.strictEqual(yield* Queue.size(arrived), 1)
          yield* TestClock.adjust("1 second")
          yield* sendDue
        })
      )
      const [first, second] = yield* Queue.takeN(arrived, 2)
      assert.strictEqual(yield* Queue.size(received), 1)
      const id = first && headerOf(first, "Message-ID")
      assert.match(id ?? "", /^<notification\.[0-9a-f-]{36}@publisher\.example>$/)
      assert.strictEqual(second && headerOf(second, "Message-ID"), id)
    })
  )

  it.effect(
    "A server that answers 451 gets the message after 1, 5 and 30 minutes, 2 and 6 hours, and then it failed",
    () =>
      Effect.gen(function* () {
        const { workspaceId } = yield* start
        const { arrived, settings } = yield* makeSmtpReceiver({ afterData: () => refusal(451, "Try again later") })
        yield* failPosts(workspaceId)
        yield* withDeliverer(
          settings,
          Effect.gen(function* () {
            yield* sendGathered
            for (const [index, minutes] of [1, 5, 30, 120, 360].entries()) {
              const [waiting] = yield* deliveriesOf(workspaceId)
              assert.deepInclude(waiting, { status: "pending", attempts: index + 1 })
              yield* TestClock.adjust(Duration.seconds(minutes * 60 - 1))
              yield* sendDue
              assert.strictEqual(yield* Queue.size(arrived), index + 1)
              yield* TestClock.adjust("1 second")
              yield* sendDue
              assert.strictEqual(yield* Queue.size(arrived), index + 2)
            }
          })
        )
        const [failed] = yield* deliveriesOf(workspaceId)
        assert.deepInclude(failed, { status: "failed", attempts: 6 })
        assert.strictEqual(failed?.error, "The mail server answered: 451 Try again later")
      })
  )

  it.effect("An address that the server refuses gets no second attempt, and others get their mail", () =>
    Effect.gen(function* () {
      const { admin, workspaceId } = yield* start
      const other = yield* makeMember(workspaceId, "editor")
      const { received, settings } = yield* makeSmtpReceiver({
        atRecipient: (address) => (address === admin.email ? refusal(550, "No such user here") : null)
      })
      yield* failPosts(workspaceId)
      yield* withDeliverer(settings, sendGathered)
      assert.deepStrictEqual((yield* Queue.take(received)).to, [other.email])
      const results = yield* deliveriesOf(workspaceId)
      assert.sameDeepMembers(
        results.map(({ attempts, error, status }) => [status, attempts, error]),
        [
          ["failed", 1, "The mail server answered: 550 No such user here"],
          ["sent", 1, null]
        ]
      )
    })
  )

  it.effect("An admin who turns failures off before they are sent gets none while another admin does", () =>
    Effect.gen(function* () {
      const { admin, workspaceId } = yield* start
      const other = yield* makeMember(workspaceId)
      const sql = yield* SqlClient.SqlClient
      const { received, settings } = yield* makeSmtpReceiver()
      yield* failPosts(workspaceId)
      yield* withDeliverer(
        settings,
        Effect.gen(function* () {
          yield* dispatchNotifications
          yield* sql`INSERT INTO notification_preferences (workspace_id, user_id, type, mode)
            VALUES (${workspaceId}::uuid, ${other.id}::uuid, 'post.failed', 'off')`
          yield* gathered
          yield* sendDue
        })
      )
      assert.deepStrictEqual((yield* Queue.take(received)).to, [admin.email])
      assert.strictEqual(yield* Queue.size(received), 0)
      assert.sameMembers(
        (yield* deliveriesOf(workspaceId)).map(({ status }) => status),
        ["sent", "dropped"]
      )
    })
  )

  it.effect("A wrong password is not final, because an operator can correct it", () =>
    Effect.gen(function* () {
      const { workspaceId } = yield* start
      const { settings } = yield* makeSmtpReceiver()
      const wrong = { ...settings, server: { ...settings.server, login: null } }
      yield* failPosts(workspaceId)
      yield* withDeliverer(wrong, sendGathered)
      const [waiting] = yield* deliveriesOf(workspaceId)
      assert.deepInclude(waiting, { status: "pending", attempts: 1 })
    })
  )

  it.effect("A server that never answers has failed after the time for a command", () =>
    Effect.gen(function* () {
      const { workspaceId } = yield* start
      const { arrived, settings } = yield* makeSmtpReceiver({ afterData: () => "hang" })
      yield* failPosts(workspaceId)
      // Long enough for the commands before, however busy the machine is.
      yield* withDeliverer(settings, sendGathered, Duration.seconds(3))
      assert.strictEqual(yield* Queue.size(arrived), 1)
      const [waiting] = yield* deliveriesOf(workspaceId)
      assert.deepInclude(waiting, { status: "pending", attempts: 1 })
      assert.match(waiting?.error ?? "", /timeout/i)
    })
  )

  it.effect("A process that dies between the sending and its record sends once more, with the same Message-ID", () =>
    Effect.gen(function* () {
      const { workspaceId } = yield* start
      const { received, settings } = yield* makeSmtpReceiver()
      yield* failPosts(workspaceId)
      const repo = yield* Repo
      const dies: Repo["Service"] = {
        ...repo,
        deliveries: { ...repo.deliveries, settleMail: () => Effect.die("The process was killed") }
      }
      yield* withDeliverer(settings, sendGathered).pipe(Effect.provideService(Repo, dies))
      const first = yield* Queue.take(received)
      yield* withDeliverer(
        settings,
        Effect.gen(function* () {
          yield* TestClock.adjust("59 seconds")
          yield* sendDue
          assert.strictEqual(yield* Queue.size(received), 0)
          yield* TestClock.adjust("1 second")
          yield* sendDue
          yield* TestClock.adjust("1 day")
          yield* sendDue
        })
      )
      const second = yield* Queue.take(received)
      assert.strictEqual(headerOf(second, "Message-ID"), headerOf(first, "Message-ID"))
      assert.strictEqual(yield* Queue.size(received), 0)
      assert.deepInclude((yield* deliveriesOf(workspaceId))[0], { status: "sent", attempts: 2 })
    })
  )

  it.effect("A process that stops returns a message in flight to the queue", () =>
    Effect.gen(function* () {
      const { workspaceId } = yield* start
      const { arrived, settings } = yield* makeSmtpReceiver({ afterData: () => "hang" })
      yield* failPosts(workspaceId)
      const stops = yield* Deferred.make<void>()
      const stopping = yield* Effect.forkChild(
        withDeliverer(
          settings,
          Effect.gen(function* () {
            yield* dispatchNotifications
            yield* gathered
            yield* (yield* MailDeliverer).tick
            yield* Queue.take(arrived)
            yield* Deferred.succeed(stops, undefined)
          })
        )
      )
      yield* Deferred.await(stops)
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(stopping)
      const [waiting] = yield* deliveriesOf(workspaceId)
      assert.deepInclude(waiting, { status: "pending", attempts: 0 })
      assert.lengthOf(yield* (yield* Repo).deliveries.claimMail(4, Duration.seconds(60)), 1)
    })
  )

  it.effect(
    "5,000 failed posts are two messages: the first failures, and five minutes later the number of all others",
    () =>
      Effect.gen(function* () {
        const { workspaceId } = yield* start
        const { received, settings } = yield* makeSmtpReceiver()
        yield* withDeliverer(
          settings,
          Effect.gen(function* () {
            yield* failPosts(workspaceId)
            yield* sendGathered
            assert.strictEqual(headerOf(yield* Queue.take(received), "Subject")?.includes("Not_published_on_X"), true)
            yield* failPosts(workspaceId, 4999)
            yield* sendGathered
            yield* TestClock.adjust("294 seconds")
            yield* sendDue
            assert.strictEqual(yield* Queue.size(received), 0)
            yield* TestClock.adjust("1 second")
            yield* sendDue
          })
        )
        const mail = yield* Queue.take(received)
        assert.strictEqual(headerOf(mail, "Subject"), "A team: 4,999 posts were not published")
        assert.include(mail.raw.replaceAll("=\r\n", ""), "And 4,979 other notifications.")
        assert.strictEqual(yield* Queue.size(received), 0)
      })
  )
})
