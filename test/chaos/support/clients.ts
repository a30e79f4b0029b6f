import { type Array as Arr, Clock, DateTime, Effect, Random, Schema } from "effect"
import type { Intent, TrackedPost } from "./intents.ts"
import type { ClientRequest, Responses } from "./responses.ts"

const second = 1000
const hour = 3_600_000

/** Clients make posts due within this many milliseconds, or only in an hour. */
const soon = 15 * second

/** The longest time of a request, including retries while replicas restart. */
const longestRequest = 60 * second

const Created = Schema.fromJsonString(Schema.Struct({ id: Schema.String }))
const decodeCreated = Schema.decodeUnknownEffect(Created)

const formatTime = (millis: number) => DateTime.formatIso(DateTime.makeUnsafe(millis))

const between = (from: number, to: number) => Random.nextIntBetween(from, to + 1)

const platformChoices: Arr.NonEmptyReadonlyArray<ReadonlyArray<string>> = [
  ["twitter", "bluesky"],
  ["bluesky", "twitter"],
  ["twitter"],
  ["bluesky"]
]

/** The refusal of a change because the post is being published or is already published. */
const tooLate = "400 invalid_state"

/**
 * Sends the requests for one post, to any running replica: creates the post, reads and changes it a few times, and
 * finally publishes or deletes it. Publishes a post now only if it can't have failed yet, so that no request asks for a
 * second copy. Adds every request to `posts`.
 */
export const liveThrough = Effect.fn("liveThrough")(function* (
  { send }: Responses,
  posts: Array<TrackedPost>,
  {
    key,
    media,
    name,
    number
  }: {
    readonly key: string
    readonly name: string
    readonly number: number
    /** Only the current version creates posts with media. */
    readonly media: ReadonlyArray<{ readonly id: string }>
  }
) {
  const intents: Array<Intent> = []
  posts.push({ number, files: media.length, intents })
  let texts = 0
  const nextText = () => {
    texts += 1
    return `Post ${number} of ${name}${texts === 1 ? "" : `, text ${texts}`}`
  }

  /**
   * Sends a request that changes the text or the due time of the post. Returns true if it is known to have taken
   * effect.
   */
  const want = Effect.fnUntraced(function* (
    wanted: Pick<Intent, "due" | "text">,
    request: Omit<ClientRequest, "key" | "expected">,
    success: string
  ) {
    const at = yield* Clock.currentTimeMillis
    // A change without a response might not have taken effect, so the earlier intents might still apply.
    const known = intents.findLastIndex(({ acknowledgedAt }) => acknowledgedAt !== undefined)
    const mayBeDue = [...intents.slice(Math.max(known, 0)), wanted].some(
      ({ due }) => (due ?? at + hour) < at + longestRequest
    )
    const intent: Intent = { ...wanted, at, acknowledgedAt: undefined }
    intents.push(intent)
    const response = yield* send({ ...request, key, expected: mayBeDue ? [success, tooLate] : [success] })
    if (response.result === success) intent.acknowledgedAt = yield* Clock.currentTimeMillis
    else if (response.status >= 400 && !response.isRepeated) intents.pop()
    return response
  })

  const draw = yield* Random.next
  const now = yield* Clock.currentTimeMillis
  const due = draw < 0.2 ? null : draw < 0.45 ? now + hour : now + (yield* between(-second, soon))
  const content = nextText()
  const platforms = yield* Effect.orDie(Random.choice(platformChoices))
  const isGrouped = yield* Random.nextBoolean
  const group = `01a1fc17-0000-7000-8000-${(1 + (number % 20)).toString(16).padStart(12, "0")}`
  const creation = {
    operation: "create",
    method: "POST",
    path: "/v1/posts",
    body: {
      content,
      platforms,
      ...(media.length === 0 ? {} : { media }),
      ...(due === null ? {} : { schedule_at: formatTime(due) }),
      ...(isGrouped ? { group_id: group } : {})
    },
    idempotencyKey: `create ${number} of ${name}`,
    ...(media.length === 0 ? {} : { version: "current" })
  } as const
  const created = yield* want({ due, text: content }, creation, "201")
  if (created.status !== 201) return
  const { id } = yield* Effect.orDie(decodeCreated(created.text))
  if (yield* Random.nextBoolean) {
    const again = yield* send({ ...creation, operation: "create again", key, expected: ["201"] })
    if (again.status === 201 && again.text !== created.text) {
      return yield* Effect.die(`A repeated request created another post: ${created.text} ${again.text}`)
    }
  }
  const path = `/v1/posts/${id}`

  const current = () => intents.at(-1)
  const patch = (wanted: Pick<Intent, "due" | "text">, body: unknown) =>
    want(wanted, { operation: "change", method: "PATCH", path, body }, "200")
  const remove = Effect.suspend(() =>
    want(
      { due: null, text: null },
      { operation: "delete", method: "DELETE", path, idempotencyKey: `delete ${number} of ${name}` },
      "200"
    )
  )
  const publishNow = Effect.gen(function* () {
    const at = yield* Clock.currentTimeMillis
    const request = { operation: "publish now", method: "POST", path: `${path}/publish` } as const
    const text = current()?.text ?? null
    return yield* want({ due: at, text }, { ...request, idempotencyKey: `publish ${number} of ${name}` }, "202")
  })
  const read = (operation: string, readPath: string) =>
    send({ operation, method: "GET", path: readPath, key, expected: ["200"] })

  const change = Effect.gen(function* () {
    const before = current()
    const at = yield* Clock.currentTimeMillis
    switch (yield* between(1, 10)) {
      case 1:
      case 2: {
        const text = nextText()
        return yield* patch({ due: before?.due ?? null, text }, { content: text })
      }
      case 3: {
        const later = at + hour
        const body = { status: "scheduled", scheduled_at: formatTime(later) }
        return yield* patch({ due: later, text: before?.text ?? null }, body)
      }
      case 4: {
        const sooner = at + (yield* between(0, soon))
        const body = { status: "scheduled", scheduled_at: formatTime(sooner) }
        return yield* patch({ due: sooner, text: before?.text ?? null }, body)
      }
      case 5:
        return yield* patch({ due: null, text: before?.text ?? null }, { status: "draft" })
      case 6:
        return yield* read("list", "/v1/posts?limit=50")
      case 7:
        return yield* read("list by status", "/v1/posts?status=scheduled")
      case 8:
        return yield* read("notifications", "/v1/notifications?limit=20")
      case 9:
        return yield* read("group", `/v1/posts/group/${group}`)
      default:
        return yield* read("integrations", "/v1/integrations")
    }
  })

  const changes = yield* between(0, 4)
  for (let made = 0; made < changes; made++) {
    yield* Effect.sleep(yield* between(0, 2 * second))
    const { status } = yield* change
    if (status === 0) return
    yield* read("get", path)
  }
  const last = current()
  const fate = yield* Random.next
  const isFar = (last?.due ?? Number.POSITIVE_INFINITY) > (yield* Clock.currentTimeMillis) + longestRequest
  if (last?.acknowledgedAt === undefined || fate < 0.15) yield* remove
  else if (isFar && fate < 0.9) yield* publishNow
  else if (last.due !== null && isFar) yield* remove
})
