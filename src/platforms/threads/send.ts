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
import type { ThreadsConfig } from "./config.ts"
import { unansweredPost } from "../outcome.ts"
import type { Prepared, SendFailure } from "../PlatformClient.ts"
import { afterUnknown, end, fail, type OpenAccess, type Step } from "../steps.ts"
import { formTo, madeId, refusesToken, sendWith } from "./api.ts"
import { containerRequest, type ContainerState, containerState, lastingError } from "./container.ts"
import { readPost, type ThreadsPost } from "./prepared.ts"
import { problemOf } from "../meta/problem.ts"
import { isNotFound, refusedIdly, refusedPublish } from "./problem.ts"
import { permalinkRequest, placeIn } from "./timeline.ts"

type SendStep = Step<Publication, SendFailure>

/** Threads says that the container is published, but not as which post. */
export const withoutAddress: Publication = { platformPostId: null, url: null, addressFollows: true }

/** Threads finds a new container late, and some never. After this time, another container is made. */
const longestUnfound = Duration.minutes(3)

const isOld = ({ madeAt }: Pick<ThreadsPost, "madeAt">, now: DateTime.Utc): boolean =>
  DateTime.isGreaterThan(now, DateTime.addDuration(madeAt, longestUnfound))

const lost = new UploadsGone({ message: "Threads does not find the container that it made for this post" })

/** The end of a send whose container can't be published. Nothing was sent. */
const unpublishable = (state: ContainerState): SendFailure => {
  switch (state.status) {
    case "EXPIRED":
      return new UploadsGone({ message: "The container that Threads made for this post has expired" })
    case "ERROR": {
      const reason = lastingError(state)
      return reason === undefined
        ? new UploadsGone({ message: "Threads could not make the post" })
        : new Rejected({ message: `Threads refused this post: ${reason}` })
    }
    default:
      return new Unavailable({ message: "Threads is still processing this post" })
  }
}

const unreadState = (post: ThreadsPost, response: PlatformResponse, now: DateTime.Utc): SendFailure => {
  const problem = problemOf(response)
  if (problem !== undefined && problem.status < 500 && isNotFound(problem)) {
    return isOld(post, now) ? lost : new TooEarly({ message: `Threads does not find this post yet: ${problem.detail}` })
  }
  return response.status === 200
    ? new Unavailable({ message: "Threads did not tell the state of this post" })
    : refusedIdly(response, now)
}

/**
 * Publishes a container once. Its state is read before, so that a container that is out is never published again, and
 * after each answer that leaves the outcome open.
 */
export const makeSend = (config: ThreadsConfig) => {
  /** Reads the address of the published post. Nothing is lost if that fails: the address follows. */
  const named = (access: OpenAccess, mediaId: string): SendStep => {
    const known: Publication = { ...withoutAddress, cid: mediaId }
    return afterUnknown<Publication, SendFailure>(
      sendWith<Publication, SendFailure>(access, permalinkRequest(config, mediaId), "nothing", (answer) => {
        const place = Result.isSuccess(answer) ? placeIn(mediaId, answer.success, config) : Option.none()
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
      sendWith<Publication, SendFailure>(access, containerRequest(config, container), "nothing", (answer) => {
        const state = Result.isSuccess(answer) ? containerState(container, answer.success) : Option.none()
        const isOut = Option.exists(state, ({ status }) => status === "PUBLISHED")
        return isOut ? end(Result.succeed(withoutAddress)) : fail(unknown)
      }),
      () => false
    )

  const publish = (post: ThreadsPost, container: string, access: OpenAccess, renews: boolean): SendStep =>
    sendWith<Publication, SendFailure>(
      access,
      formTo(config, "/me/threads_publish", { creation_id: container }),
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

  const begin = (post: ThreadsPost, container: string, access: OpenAccess, renews: boolean): SendStep =>
    sendWith<Publication, SendFailure>(access, containerRequest(config, container), "nothing", (answer, now) => {
      if (Result.isFailure(answer)) return fail(new Unavailable({ message: answer.failure.message }))
      const state = containerState(container, answer.success)
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
    })

  return (prepared: Prepared, access: OpenAccess): SendStep => {
    const read = readPost.toSend(prepared, access)
    if (Result.isFailure(read)) return fail(read.failure)
    const { container } = read.success
    return container === undefined
      ? fail(new UploadsGone({ message: "The post was prepared only to be looked for" }))
      : begin(read.success, container, access, true)
  }
}
