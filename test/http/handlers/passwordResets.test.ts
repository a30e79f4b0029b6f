import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger, Option, Queue, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { CurrentMailer } from "../../../src/mail/CurrentMailer.ts"
import { type Mail, Mailer, MailFailed } from "../../../src/mail/Mailer.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { sendJson, sessionHeaders } from "../../support/http/client.ts"
import { isOpen, logIn } from "../../support/http/logIn.ts"
import { baseUrl, ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeMember, makeTeam } from "../../support/http/team.ts"

const sent = Effect.runSync(Queue.unbounded<Mail>())

let isMailServerAway = false
const refused = Effect.runSync(Queue.unbounded<Mail>())

/** Keeps each message instead of sending it. */
const mailer = Mailer.of({
  domain: "publisher.example",
  send: (mail) =>
    Effect.suspend(() =>
      isMailServerAway
        ? Effect.andThen(
            Queue.offer(refused, mail),
            Effect.fail(new MailFailed({ message: "The mail server could not be used", isFinal: false }))
          )
        : Effect.as(Queue.offer(sent, mail), "250 OK")
    )
})

const mailingLayer = Layer.merge(
  databaseServerLayer().pipe(Layer.provide(Layer.succeed(CurrentMailer, Option.some(mailer)))),
  Logger.layer([])
)

const request = Effect.fnUntraced(function* (email: unknown) {
  return yield* sendJson(`${yield* ServerUrl}/v1/password-resets`, "POST", {}, { email })
})

const use = Effect.fnUntraced(function* (token: string, password = "another long sentence") {
  return yield* sendJson(`${yield* ServerUrl}/v1/password-resets/use`, "POST", {}, { token, password })
})

const tokenOf = ({ text }: Mail) => /\/password#([\w-]+)/.exec(text)?.[1] ?? ""

/** A new minute, in which addresses may ask again. */
const nextMinute = TestClock.adjust("1 minute")

layer(mailingLayer)("forgotten passwords", (it) => {
  it.effect("A mailed link changes the password once, and ends all sessions", () =>
    Effect.gen(function* () {
      yield* nextMinute
      const { cookie, user } = yield* makeTeam
      const asked = yield* request(user.email.toUpperCase())
      assert.deepStrictEqual([asked.status, asked.body], [202, { data: { accepted: true } }])
      const mail = yield* Queue.take(sent)
      assert.deepInclude(mail, { to: user.email, subject: "Social Publisher: choose another password" })
      assert.include(mail.text, `${baseUrl}/password#`)
      const token = tokenOf(mail)
      assert.strictEqual((yield* use(token, "short")).status, 400)
      const done = yield* use(token)
      assert.deepStrictEqual([done.status, done.body], [200, { data: { changed: true } }])
      const url = yield* ServerUrl
      assert.isFalse(yield* isOpen(url, cookie))
      assert.strictEqual((yield* logIn(url, { email: user.email, password: "another long sentence" })).status, 200)
      const again = yield* use(token)
      assert.deepStrictEqual([again.status, again.body.code], [404, "not_found"])
    })
  )

  it.effect("A link that the mail server refuses for now is mailed once it takes it, with the same Message-ID", () =>
    Effect.gen(function* () {
      yield* nextMinute
      const { user } = yield* makeTeam
      isMailServerAway = true
      yield* request(user.email)
      const first = yield* Queue.take(refused)
      isMailServerAway = false
      yield* TestClock.adjust("30 seconds")
      const mail = yield* Queue.take(sent)
      assert.deepStrictEqual(mail, first)
    })
  )

  it.effect("An unknown address gets the same response, and no mail", () =>
    Effect.gen(function* () {
      yield* nextMinute
      const asked = yield* request("nobody@example.com")
      assert.deepStrictEqual([asked.status, asked.body], [202, { data: { accepted: true } }])
      const { user } = yield* makeTeam
      yield* request(user.email)
      assert.strictEqual((yield* Queue.take(sent)).to, user.email)
      assert.strictEqual(yield* Queue.size(sent), 0)
    })
  )

  it.effect("A link ends after an hour, with another change of the password, and with another link's use", () =>
    Effect.gen(function* () {
      const { passwordResets, users } = yield* Repo
      const { user, workspaceId } = yield* makeTeam
      const link = Effect.flatMap(passwordResets.request(user.email), Effect.fromOption)
      const { token: old } = yield* link
      yield* TestClock.adjust("1 hour")
      assert.isTrue(yield* Effect.isFailure(passwordResets.check(old)))
      const [first, second] = [yield* link, yield* link]
      yield* passwordResets.use(first.token, "hash")
      assert.isTrue(yield* Effect.isFailure(passwordResets.check(second.token)))
      const other = yield* makeMember(workspaceId)
      const third = yield* Effect.flatMap(passwordResets.request(other.email), Effect.fromOption)
      yield* users.setPassword(other.email, Redacted.make("another long sentence"))
      assert.isTrue(yield* Effect.isFailure(passwordResets.check(third.token)))
    })
  )

  it.effect("Two links that are used at the same moment change the password once", () =>
    Effect.gen(function* () {
      const { passwordResets } = yield* Repo
      const { user } = yield* makeTeam
      const link = Effect.flatMap(passwordResets.request(user.email), Effect.fromOption)
      const links = [yield* link, yield* link]
      const results = yield* Effect.forEach(
        links,
        ({ token }, index) => Effect.isSuccess(passwordResets.use(token, `hash ${index}`)),
        { concurrency: 2 }
      )
      assert.sameMembers(results, [true, false])
    })
  )

  it.effect("A user gets one link a minute and three an hour, and an address may ask five times a minute", () =>
    Effect.gen(function* () {
      yield* nextMinute
      const { passwordResets } = yield* Repo
      const { user } = yield* makeTeam
      yield* request(user.email)
      yield* Queue.take(sent)
      for (let index = 0; index < 4; index++) assert.strictEqual((yield* request(user.email)).status, 202)
      const refused = yield* request(user.email)
      assert.strictEqual(refused.status, 429)
      assert.isAbove(Number(refused.headers.get("retry-after")), 0)
      yield* passwordResets.request(user.email)
      yield* passwordResets.request(user.email)
      assert.isTrue(Option.isNone(yield* passwordResets.request(user.email)))
      assert.strictEqual(yield* Queue.size(sent), 0)
    })
  )
})

layer(mailingLayer)("invitations by mail", (it) => {
  const invite = Effect.fnUntraced(function* (cookie: string, email: string) {
    const url = `${yield* ServerUrl}/v1/invites`
    return yield* sendJson(url, "POST", sessionHeaders(cookie), { email, role: "editor" })
  })

  it.effect("The invited person gets the link, with which they join", () =>
    Effect.gen(function* () {
      const { cookie } = yield* makeTeam
      const { body, status } = yield* invite(cookie, "grace@example.com")
      assert.deepStrictEqual([status, body.mailed], [201, true])
      const mail = yield* Queue.take(sent)
      assert.deepInclude(mail, { to: "grace@example.com", subject: "A team: you are invited" })
      assert.include(mail.text, body.url)
      assert.include(mail.text, "has invited you as editor")
    })
  )

  it.effect("If the mail server is away, or too many are invited, the link is shown without mail", () =>
    Effect.gen(function* () {
      const { cookie } = yield* makeTeam
      isMailServerAway = true
      const { body, status } = yield* invite(cookie, "grace@example.com")
      isMailServerAway = false
      assert.deepStrictEqual([status, body.mailed], [201, false])
      assert.match(body.url, /\/invite#/)
      for (let index = 0; index < 4; index++) {
        assert.isTrue((yield* invite(cookie, `grace${index}@example.com`)).body.mailed)
        yield* Queue.take(sent)
      }
      assert.isFalse((yield* invite(cookie, "grace5@example.com")).body.mailed)
      const { cookie: another } = yield* makeTeam
      assert.isTrue((yield* invite(another, "grace@example.com")).body.mailed)
      yield* Queue.take(sent)
    })
  )
})

layer(databaseServerLayer())("a service without mail", (it) => {
  it.effect("It says that an operator has to set a forgotten password, and shows an invitation's link", () =>
    Effect.gen(function* () {
      const { cookie, user } = yield* makeTeam
      const asked = yield* request(user.email)
      assert.deepStrictEqual([asked.status, asked.body.code], [400, "invalid_state"])
      const url = `${yield* ServerUrl}/v1/invites`
      const invited = yield* sendJson(url, "POST", sessionHeaders(cookie), {
        email: "grace@example.com",
        role: "viewer"
      })
      assert.isFalse(invited.body.mailed)
    })
  )
})
