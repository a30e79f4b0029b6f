import { DateTime, Duration, Option, Result } from "effect"
import {
  type OutcomeUnknown,
  type Publication,
  Rejected,
  TooEarly,
  Unavailable,
  UploadsGone
} from "../../domain/publishing/platformError.ts"
import type { PlatformResponse } from "../call.ts"
import { unansweredPost } from "../outcome.ts"
import type { Prepared, SendFailure } from "../PlatformClient.ts"
import { afterUnknown, end, fail, type OpenAccess, type Step } from "../steps.ts"
import { formTo, madeId, refusesToken, sendWith } from "./api.ts"
import { containerRequest, type ContainerState } from "./container.ts"
import type { Dialect } from "./dialect.ts"
import { openSend } from "../openOutcome.ts"
import type { ContainerPost } from "./prepared.ts"
import { isNotFound, problemOf } from "./problem.ts"
import { makeRefusals } from "./refusals.ts"
import { permalinkRequest, placeIn } from "./timeline.ts"

type SendStep = Step<Publication, SendFailure>

/** The platform says that the container is published, but not as which post. */
export const withoutAddress: Publication = { platformPostId: null, url: null, addressFollows: true }

/** Meta finds a new container late, and some never. After this time, another container is made. */
const longestUnfound = Duration.minutes(3)

const isOld = ({ madeAt }: Pick<ContainerPost, "madeAt">, now: DateTime.Utc): boolean =>
  DateTime.isGreaterThan(now, DateTime.addDuration(madeAt, longestUnfound))

/**
 * Publishes a container once. Its state is read before, so that a container that is out is never published again, and
 * after each answer that leaves the outcome open.
 */
export const makeSend = (dialect: Dialect) => {
  const { name, paths, readPost, stateIn } = dialect
  const { refusedIdly, refusedPublish } = makeRefusals(name)

  const lost = new UploadsGone({ message: `${name} does not find the container that it made for this post` })

  /** The end of a send whose container can't be published. Nothing was sent. */
  const unpublishable = ({ lastingError, status }: ContainerState): SendFailure => {
    switch (status) {
      case "EXPIRED":
        return new UploadsGone({
          message: `The container that ${name} made for this post has expired`,
          isAbsent: true
        })
      case "ERROR":
        return lastingError === undefined
          ? new UploadsGone({ message: `The container of this post on ${name} has failed`, isAbsent: true })
          : new Rejected({ message: `${name} refused this post: ${lastingError}` })
      default:
        return new Unavailable({ message: `${name} is still processing this post` })
    }
  }

  const unreadState = (post: ContainerPost, response: PlatformResponse, now: DateTime.Utc): SendFailure => {
    const problem = problemOf(response)
    if (problem !== undefined && problem.status < 500 && isNotFound(problem)) {
      return isOld(post, now)
        ? lost
        : new TooEarly({ message: `${name} does not find this post yet: ${problem.detail}` })
    }
    return response.status === 200
      ? new Unavailable({ message: `${name} did not tell the state of this post` })
      : refusedIdly(response, now)
  }

  /** Reads the address of the published post. Nothing is lost if that fails: the address follows. */
  const named = (access: OpenAccess, mediaId: string): SendStep => {
    const known: Publication = { ...withoutAddress, cid: mediaId }
    return afterUnknown<Publication, SendFailure>(
      sendWith<Publication, SendFailure>(dialect, access, permalinkRequest(mediaId), "nothing", (answer) => {
        const place = Result.isSuccess(answer) ? placeIn(dialect, mediaId, answer.success) : Option.none()
        return end(
          Result.succeed(
            Option.match(place, {
              onNone: () => known,
              onSome: ({ key, url }) => ({ platformPostId: key, url, cid: mediaId })
            })
          )
        )
      }),
      () => false
    )
  }

  /** Asks for the state of a container whose publication has an open outcome. */
  const settled = (access: OpenAccess, container: string, unknown: OutcomeUnknown): SendStep =>
    afterUnknown<Publication, SendFailure>(
      sendWith<Publication, SendFailure>(dialect, access, containerRequest(dialect, container), "nothing", (answer) => {
        const state = Result.isSuccess(answer) ? stateIn(container, answer.success) : Option.none()
        const isOut = Option.exists(state, ({ status }) => status === "PUBLISHED")
        return isOut ? end(Result.succeed(withoutAddress)) : fail(openSend(unknown))
      }),
      ({ _tag }) => _tag === "OutcomeUnknown"
    )

  const publish = (post: ContainerPost, container: string, access: OpenAccess, renews: boolean): SendStep =>
    sendWith<Publication, SendFailure>(
      dialect,
      access,
      formTo(paths.publish(access), { creation_id: container }),
      "post",
      (answer, now) => {
        if (Result.isFailure(answer)) {
          const error = unansweredPost(answer.failure)
          return error._tag === "OutcomeUnknown" ? settled(access, container, error) : fail(error)
        }
        const mediaId = madeId(answer.success)
        if (mediaId !== undefined && mediaId !== container) return named(access, mediaId)
        if (renews && refusesToken(answer.success)) {
          return { _tag: "Renew", next: (renewed) => begin(post, container, renewed, false) }
        }
        const error = refusedPublish(answer.success, now)
        if (error._tag === "OutcomeUnknown") return settled(access, container, error)
        return fail(error._tag === "TooEarly" && isOld(post, now) ? lost : error)
      }
    )

  const begin = (post: ContainerPost, container: string, access: OpenAccess, renews: boolean): SendStep =>
    sendWith<Publication, SendFailure>(
      dialect,
      access,
      containerRequest(dialect, container),
      "nothing",
      (answer, now) => {
        if (Result.isFailure(answer)) return fail(new Unavailable({ message: answer.failure.message }))
        const state = stateIn(container, answer.success)
        if (Option.isNone(state)) {
          return renews && refusesToken(answer.success)
            ? { _tag: "Renew", next: (renewed) => begin(post, container, renewed, false) }
            : fail(unreadState(post, answer.success, now))
        }
        switch (state.value.status) {
          case "PUBLISHED":
            return end(Result.succeed(withoutAddress))
          case "FINISHED":
            return publish(post, container, access, renews)
          default:
            return fail(unpublishable(state.value))
        }
      }
    )

  return (prepared: Prepared, access: OpenAccess): SendStep => {
    const read = readPost.toSend(prepared, access)
    if (Result.isFailure(read)) return fail(read.failure)
    const { container } = read.success
    return container === undefined
      ? fail(new UploadsGone({ message: "The post was prepared only to be looked for" }))
      : begin(read.success, container, access, true)
  }
}
