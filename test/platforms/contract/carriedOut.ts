import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { DatabaseUnavailable } from "../../../src/domain/errors.ts"
import { NeedsReauthorization, Unavailable } from "../../../src/domain/publishing/platformError.ts"
import type { Answer, Call } from "../../../src/platforms/call.ts"
import { sendPost, type Watch } from "../../../src/platforms/carryOut.ts"
import type { AccountAccess, Prepared } from "../../../src/platforms/PlatformClient.ts"
import { accessOf, accountOf, adapterOf, type Conformance, now, strangers } from "./conformance.ts"
import { everyRun } from "./everyRun.ts"
import { afterAnswer, beginning, makeJudge, tellConversation } from "./judge.ts"
import { makeOutlines } from "./outlines.ts"
import { withoutStacks } from "../../support/withoutStacks.ts"

const unavailable = new DatabaseUnavailable({ operation: "a test", cause: "unavailable" })
const renewals = [
  new Unavailable({ message: "Not renewed" }),
  new NeedsReauthorization({ message: "Refused" }),
  unavailable
]

/** A prepared post of a kind. */
interface Post {
  readonly kind: string
  readonly prepared: Prepared
}

/**
 * Carries out a send with every combination of the outlined answers and the engine's own failures: an ended lease,
 * access that can't be read or renewed, and a failed upload. Judges each run, and returns the number of runs.
 */
const carryOutPost = (platform: Conformance, { kind, prepared }: Post, answers: ReadonlyArray<Answer>): number => {
  const judge = makeJudge(platform)
  let current: Call = () => Effect.die("No send is carried out")
  const adapter = adapterOf(platform, (request) => current(request))
  const [references = []] = platform.references
  return everyRun((choose) => {
    let conversation = beginning(kind)
    let isAnnounced = false
    let isLeased = false
    const orElse = <A, E>(value: A, failures: ReadonlyArray<E>): Effect.Effect<A, E> =>
      Effect.suspend(() =>
        choose([Effect.succeed(value), ...failures.map((failure): Effect.Effect<A, E> => Effect.fail(failure))])
      )
    current = (request) =>
      Effect.suspend(() => {
        const shows = platform.isPost(request) ? "post" : "nothing"
        if (shows === "post") {
          judge.checkPost(conversation, request)
          assert.isTrue(isLeased, "A post is sent without a look at its lease")
          assert.isTrue(isAnnounced, "A post is sent without saying that it may be out from now on")
          isLeased = false
        }
        const answer = choose(answers)
        conversation = afterAnswer(conversation, request, answer, shows)
        return Effect.fromResult(answer)
      })
    const account: AccountAccess = {
      ...accountOf(platform),
      credentials: {
        current: orElse(platform.credentials, [unavailable]),
        refresh: () => {
          const [renewed = platform.credentials] = platform.renewed
          return orElse(renewed, renewals)
        }
      }
    }
    const watch: Watch = {
      beforePost: Effect.tap(orElse(undefined, [unavailable]), () =>
        Effect.sync(() => {
          isLeased = true
        })
      ),
      onMayBeOut: (is) => {
        isAnnounced = is
      },
      limitRest: (steps) => steps
    }
    const repeatUpload = () => orElse(references, [new Unavailable({ message: "Not uploaded" })])
    tellConversation(
      () => conversation,
      () => {
        const result = Effect.runSync(Effect.result(sendPost({ ...adapter, repeatUpload }, prepared, account, watch)))
        judge.checkEnd(conversation, result)
        if (judge.mayBeOut(conversation)) assert.isTrue(isAnnounced, "Nobody was told that the post may be out")
      }
    )
  })
}

/**
 * Carries out one send of each outline, and returns the number of runs of each. The code that carries out sends can't
 * tell those of one outline apart.
 */
export const carryOutEveryWay = (platform: Conformance, posts: ReadonlyArray<Post>): ReadonlyArray<number> => {
  const outlined = makeOutlines(platform, [...makeJudge(platform).all, ...strangers.slice(0, 2)])
  const { send } = adapterOf(platform)
  return withoutStacks(() => {
    const runs = new Map<string, number>()
    for (const post of posts) {
      const { answers, name } = outlined(send(post.prepared, accessOf(platform), now))
      if (!runs.has(name)) runs.set(name, carryOutPost(platform, post, answers))
    }
    return Array.from(runs.values())
  })
}
