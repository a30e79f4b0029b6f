import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { DatabaseUnavailable } from "../../../src/domain/errors.ts"
import { NeedsReauthorization, Unavailable } from "../../../src/domain/publishing/platformError.ts"
import type { Call } from "../../../src/platforms/call.ts"
import { sendPost, type Watch } from "../../../src/platforms/carryOut.ts"
import type { AccountAccess, Prepared } from "../../../src/platforms/PlatformClient.ts"
import { accessOf, accountOf, adapterOf, type Conformance, now, strangers } from "./conformance.ts"
import { everyRun } from "./everyRun.ts"
import { afterAnswer, beginning, makeJudge } from "./judge.ts"
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
 * Carries out a send in every way to which responses and the engine's own failures can lead: an ended lease, access
 * that can't be read or renewed, and a failed upload. Judges each run, and returns the number of runs.
 */
const carryOutPost = (
  platform: Conformance,
  { kind, prepared }: Post,
  outlined: ReturnType<typeof makeOutlines>,
  known: Set<string>
): number => {
  const judge = makeJudge(platform)
  let current: Call = () => Effect.die("No send is carried out")
  const adapter = adapterOf(platform, (request) => current(request))
  const { answers, name } = outlined(adapter.send(prepared, accessOf(platform), now))
  if (known.has(name)) return 0
  known.add(name)
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
    const result = Effect.runSync(Effect.result(sendPost({ ...adapter, repeatUpload }, prepared, account, watch)))
    judge.checkEnd(conversation, result)
    if (judge.mayBeOut(conversation)) assert.isTrue(isAnnounced, "Nobody was told that the post may be out")
  })
}

/**
 * Carries out each send in every way, and returns the number of runs. A send whose steps are of the same kinds as
 * another's is not carried out again.
 */
export const carryOutEveryWay = (platform: Conformance, posts: ReadonlyArray<Post>): number => {
  const outlined = makeOutlines(platform, [...makeJudge(platform).all, ...strangers.slice(0, 2)])
  const known = new Set<string>()
  return withoutStacks(() => posts.reduce((sum, post) => sum + carryOutPost(platform, post, outlined, known), 0))
}
