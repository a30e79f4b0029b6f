import { assert, describe, layer } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { Repo } from "../../src/repo/Repo.ts"
import {
  after,
  dueInAMinute,
  html,
  over,
  problem,
  ScriptedX,
  scriptedX,
  type ScriptedAnswer,
  stateOf
} from "./scriptedX.ts"
import { part } from "./threadWorld.ts"
import { planPublish } from "../support/plans.ts"

const lagging = Duration.seconds(50)

/** An answer to a post that X has kept. */
const keptBy = (
  status: number,
  body: string | null = html,
  shownAfter: Duration.Duration = lagging
): ScriptedAnswer => ({
  status,
  body,
  shownAfter
})

/** A gateway's answers, which X itself would not give. */
const gateways = [
  ["HTML", html],
  ["an empty body", ""],
  ["a body that was cut off", null],
  ["the JSON of a gateway", JSON.stringify({ message: "Forbidden" })],
  ["a detail alone", JSON.stringify({ detail: "duplicate content" })],
  ["a title without a type", JSON.stringify({ title: "Forbidden", status: 403 })],
  ["an OAuth error", JSON.stringify({ error: "invalid_token", error_description: "Expired" })],
  ["errors without codes", JSON.stringify({ errors: [{ message: "duplicate content" }] })],
  ["errors beside a lack of success", JSON.stringify({ success: false, errors: [{ code: 10000, message: "No" }] })],
  [
    "a problem with the path of its request",
    JSON.stringify({ type: "about:blank", title: "Forbidden", status: 403, instance: "/2/tweets" })
  ]
] as const

const statuses = [400, 401, 402, 403, 404, 407, 413, 418, 429, 302] as const

describe("What something between the service and X answers to a post", () => {
  layer(scriptedX)((it) => {
    it.effect.each(statuses)("%i in HTML after X kept the post: one copy, which a later look finds", (status) =>
      Effect.gen(function* () {
        const x = yield* ScriptedX
        const post = yield* dueInAMinute(`Kept before ${status}`)
        x.posts.push(keptBy(status))
        yield* after("1 minute")
        const { code, message } = yield* stateOf(post)
        assert.strictEqual(code, "outcome_unknown")
        assert.include(message, `Something between this service and X answered ${status}`)
        yield* over("6 minutes")
        assert.deepStrictEqual(x.takeKept(), [`Kept before ${status}`])
        assert.deepStrictEqual(x.takeRequests(), [`post Kept before ${status}`, "look", "look"])
        assert.strictEqual((yield* stateOf(post)).status, "published")
        const found = yield* (yield* Repo).integrations.list(post.workspace)
        assert.deepStrictEqual(
          found.map((each) => each.status),
          ["connected"]
        )
      })
    )

    it.effect.each(gateways)("403 with %s says nothing about the post", ([, body]) =>
      Effect.gen(function* () {
        const x = yield* ScriptedX
        const post = yield* dueInAMinute("Foreign")
        x.posts.push(keptBy(403, body))
        yield* after("1 minute")
        yield* over("6 minutes")
        assert.deepStrictEqual(x.takeKept(), ["Foreign"])
        assert.deepStrictEqual(x.takeRequests(), [`post Foreign`, "look", "look"])
        assert.strictEqual((yield* stateOf(post)).status, "published")
      })
    )

    it.effect.each([429, 401])(
      "%i in HTML without the post reaching X: three looks, and then a person is asked",
      (status) =>
        Effect.gen(function* () {
          const x = yield* ScriptedX
          const post = yield* dueInAMinute("Not kept")
          x.posts.push({ status, body: html })
          yield* after("1 minute")
          yield* over("1 hour", "2 minutes")
          assert.deepStrictEqual(x.takeKept(), [])
          assert.deepStrictEqual(x.takeRequests(), [`post Not kept`, "look", "look", "look"])
          const { code, message, status: state } = yield* stateOf(post)
          assert.deepStrictEqual([state, code], ["failed", "outcome_unknown"])
          assert.include(message, "Check the account before you publish this again")
        })
    )

    it.effect("What X itself refuses is refused at once, and not looked for", () =>
      Effect.gen(function* () {
        const x = yield* ScriptedX
        const post = yield* dueInAMinute("Refused")
        x.posts.push({ status: 403, body: problem(403, "Forbidden", "You are not permitted to perform this action.") })
        yield* after("1 minute")
        yield* over("6 minutes")
        assert.deepStrictEqual(x.takeRequests(), [`post Refused`])
        assert.strictEqual((yield* stateOf(post)).code, "rejected")
      })
    )

    it.effect.each([403, 429])("A thread's second part that X kept before a foreign %i goes out once", (status) =>
      Effect.gen(function* () {
        const x = yield* ScriptedX
        const post = yield* dueInAMinute("One", [part("Two"), part("Three")])
        yield* after("1 minute")
        x.posts.push(keptBy(status))
        yield* over("6 minutes")
        assert.deepStrictEqual(x.takeKept(), ["One", "Two", "Three"])
        assert.deepStrictEqual(x.takeRequests(), ["post One", "post Two", "look", "look", "post Three"])
        assert.strictEqual((yield* stateOf(post)).status, "published")
      })
    )

    it.effect.each([
      ["a 429 in HTML", { status: 429, body: html }],
      ["a 429 that was cut off", { status: 429, body: null, headers: { "x-rate-limit-remaining": "0" } }],
      ["a 403 in HTML", { status: 403, body: html }],
      ["a 401 in HTML", { status: 401, body: html }],
      ["a 200 in HTML", { status: 200, body: html }]
    ] satisfies Array<[string, ScriptedAnswer]>)("%s to a look is no look", ([, answer]) =>
      Effect.gen(function* () {
        const x = yield* ScriptedX
        const post = yield* dueInAMinute("Looked for")
        x.posts.push({ status: 502, body: html, shownAfter: Duration.minutes(20) })
        x.looks.push(answer, answer, answer, answer)
        yield* after("1 minute")
        yield* over("1 hour", "2 minutes")
        assert.deepStrictEqual(x.takeKept(), ["Looked for"])
        assert.strictEqual((yield* stateOf(post)).status, "published", JSON.stringify(yield* stateOf(post)))
        x.takeRequests()
      })
    )
  })
})

const overload = (shownAfter?: Duration.Duration): ScriptedAnswer => ({
  status: 503,
  body: problem(503, "Service Unavailable"),
  ...(shownAfter === undefined ? {} : { shownAfter })
})

describe("After X answered that it is overloaded to a post", () => {
  layer(scriptedX)((it) => {
    it.effect.each([40, 60, 200])(
      "a post that X kept and shows %i seconds later is found, and goes out once",
      (seconds) =>
        Effect.gen(function* () {
          const x = yield* ScriptedX
          const post = yield* dueInAMinute("Kept")
          x.posts.push(overload(Duration.seconds(seconds)))
          yield* after("1 minute")
          yield* over("10 minutes")
          assert.deepStrictEqual(x.takeKept(), ["Kept"])
          assert.notInclude(x.takeRequests().slice(1), "post Kept")
          assert.strictEqual((yield* stateOf(post)).status, "published")
        })
    )

    it.effect("a post that X did not keep is sent again after three looks, about five minutes later", () =>
      Effect.gen(function* () {
        const x = yield* ScriptedX
        const post = yield* dueInAMinute("Again")
        x.posts.push(overload())
        yield* after("1 minute")
        yield* over("5 minutes")
        assert.deepStrictEqual(x.takeRequests(), [`post Again`, "look", "look"])
        yield* over("1 minute")
        assert.deepStrictEqual(x.takeRequests(), ["look", "post Again"])
        assert.deepStrictEqual(x.takeKept(), ["Again"])
        assert.strictEqual((yield* stateOf(post)).status, "published")
      })
    )

    it.effect("another overload of the repeated send begins the three looks again", () =>
      Effect.gen(function* () {
        const x = yield* ScriptedX
        yield* dueInAMinute("Twice")
        x.posts.push(overload(), overload(Duration.seconds(50)))
        yield* after("1 minute")
        yield* over("20 minutes")
        assert.deepStrictEqual(x.takeKept(), ["Twice"])
        const looks = ["look", "look", "look"]
        assert.deepStrictEqual(x.takeRequests(), [`post Twice`, ...looks, "post Twice", "look"])
      })
    )

    it.effect("a look that could not read the timeline counts as none", () =>
      Effect.gen(function* () {
        const x = yield* ScriptedX
        yield* dueInAMinute("Unread")
        x.posts.push(overload(Duration.minutes(4)))
        const unread = { status: 503, body: html }
        x.looks.push(unread, { status: 429, body: problem(429, "Too Many Requests") }, { ...unread, body: null })
        yield* after("1 minute")
        yield* over("1 hour", "2 minutes")
        assert.deepStrictEqual(x.takeKept(), ["Unread"])
      })
    )

    it.effect.each([{ data: [] }, { meta: {} }, { errors: [] }, { status: "ok", data: [], message: "maintenance" }])(
      "a look that a gateway answered with %j counts as none",
      (body) =>
        Effect.gen(function* () {
          const x = yield* ScriptedX
          yield* dueInAMinute("Unseen")
          x.posts.push(overload(Duration.minutes(6)))
          x.looks.push(...Array.from({ length: 3 }, () => ({ status: 200, body: JSON.stringify(body) })))
          yield* after("1 minute")
          yield* over("1 hour", "2 minutes")
          assert.deepStrictEqual(x.takeKept(), ["Unseen"])
          x.takeRequests()
        })
    )

    it.effect("a thread's second part that X kept goes out once, and the thread goes on", () =>
      Effect.gen(function* () {
        const x = yield* ScriptedX
        const post = yield* dueInAMinute("One", [part("Two"), part("Three")])
        yield* after("1 minute")
        x.posts.push(overload(lagging))
        yield* over("8 minutes")
        assert.deepStrictEqual(x.takeKept(), ["One", "Two", "Three"])
        assert.strictEqual((yield* stateOf(post)).status, "published")
        x.takeRequests()
      })
    )

    it.effect("a post whose overload lasts is given up after 12 attempts, with the warning", () =>
      Effect.gen(function* () {
        const x = yield* ScriptedX
        const post = yield* dueInAMinute("Never")
        x.posts.push(...Array.from({ length: 12 }, () => overload()))
        yield* after("1 minute")
        yield* over("3 hours", "2 minutes")
        const { code, message } = yield* stateOf(post)
        assert.strictEqual(code, "gave_up")
        assert.include(message, "Check the account before you publish this again")
        const requests = x.takeRequests()
        assert.lengthOf(
          requests.filter((each) => each.endsWith("Never")),
          4
        )
        x.posts.splice(0)
        // A person has checked the account, so only one look precedes the send.
        yield* (yield* Repo).posts.publish(post.workspace, post.id, planPublish)
        yield* after("1 second")
        assert.deepStrictEqual(x.takeRequests(), ["look", "post Never"])
        assert.deepStrictEqual(x.takeKept(), ["Never"])
      })
    )
  })
})
