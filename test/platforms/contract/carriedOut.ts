import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { HttpClientRequest } from "effect/http"
import { DatabaseUnavailable } from "../../../src/domain/errors.ts"
import { NeedsReauthorization, Unavailable } from "../../../src/domain/publishing/platformError.ts"
import { sendPost, type Watch } from "../../../src/platforms/carryOut.ts"
import type { AccountAccess, Prepared } from "../../../src/platforms/PlatformClient.ts"
import { accountOf, adapterOf, type Conformance, strangers } from "./conformance.ts"
import { everyRun } from "./everyRun.ts"
import { afterAnswer, beginning, makeJudge } from "./judge.ts"

const unavailable = new DatabaseUnavailable({ operation: "a test", cause: "unavailable" })
const renewals = [
  new Unavailable({ message: "Not renewed" }),
  new NeedsReauthorization({ message: "Refused" }),
  unavailable
]

/**
 * Carries out a send in every way to which responses and the engine's own failures can lead: an ended lease, access
 * that can't be read or renewed, and a failed upload. Judges each run, and returns the number of runs.
 */
export const carryOutEveryWay = (platform: Conformance, kind: string, prepared: Prepared): number => {
  const judge = makeJudge(platform)
  const answers = [...judge.all, ...strangers.slice(0, 2)]
  return everyRun((choose) => {
    let conversation = beginning(kind)
    let isAnnounced = false
    let isLeased = false
    const orElse = <A, E>(value: A, failures: ReadonlyArray<E>): Effect.Effect<A, E> =>
      Effect.suspend(() =>
        choose([Effect.succeed(value), ...failures.map((failure): Effect.Effect<A, E> => Effect.fail(failure))])
      )
    const call = (request: HttpClientRequest.HttpClientRequest) =>
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
    const [references = []] = platform.references
    const adapter = {
      ...adapterOf(platform, call),
      repeatUpload: () => orElse(references, [new Unavailable({ message: "Not uploaded" })])
    }
    const result = Effect.runSync(Effect.result(sendPost(adapter, prepared, account, watch)))
    judge.checkEnd(conversation, result)
    if (judge.mayBeOut(conversation)) assert.isTrue(isAnnounced, "Nobody was told that the post may be out")
  })
}
