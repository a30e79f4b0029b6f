import { assert } from "@effect/vitest"
import { Result } from "effect"
import type { HttpClientRequest } from "effect/http"
import type { Publication } from "../../../src/domain/publishing/platformError.ts"
import type { Answer } from "../../../src/platforms/call.ts"
import type { SendFailure } from "../../../src/platforms/PlatformClient.ts"
import { adapterOf, type Conformance } from "./conformance.ts"

interface SentPost {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly answer: Answer
}

/** A conversation so far. */
export interface Conversation {
  readonly kind: string
  /** The requests that show the post, with their responses. */
  readonly posts: ReadonlyArray<SentPost>
  /** The response to the last request. */
  readonly last: Answer | undefined
}

export const beginning = (kind: string): Conversation => ({ kind, posts: [], last: undefined })

export const afterAnswer = (
  conversation: Conversation,
  request: HttpClientRequest.HttpClientRequest,
  answer: Answer,
  shows: "nothing" | "post"
): Conversation => ({
  kind: conversation.kind,
  posts: shows === "post" ? [...conversation.posts, { request, answer }] : conversation.posts,
  last: answer
})

/** Runs checks, and adds the conversation that is checked to what they throw. */
export const tellConversation = <A>(checked: () => Conversation, run: () => A): A => {
  try {
    return run()
  } catch (cause) {
    throw new Error(`In the conversation ${JSON.stringify(checked(), null, 2)}`, { cause })
  }
}

/** Judges conversations only by the platform's own responses in them. */
export const makeJudge = (platform: Conformance) => {
  const { answers, repeats, textOf } = platform
  const { findAddress, longestProcessing } = adapterOf(platform)
  const {
    accepted = [],
    alike,
    handedOver = [],
    judged = [],
    open,
    overloaded = [],
    published,
    refused,
    taken = []
  } = answers
  const isRefused = ({ answer }: SentPost) => refused.includes(answer)

  const identityOf = (request: HttpClientRequest.HttpClientRequest) =>
    JSON.stringify([textOf(request), repeats?.identity(request)])

  /** True if an earlier request may have shown the post. */
  const mayBeOut = ({ posts }: Conversation) => !posts.every(isRefused)

  /** Checks a request that shows the post before it is sent. */
  const checkPost = ({ kind, posts }: Conversation, request: HttpClientRequest.HttpClientRequest) => {
    for (const before of posts) {
      assert.isFalse(accepted.includes(before.answer), "What the platform took is sent again")
      const mayGoOn = isRefused(before) || repeats?.goesOn(kind, before.answer) === true
      assert.isTrue(mayGoOn, "What may be out is sent again")
    }
    const [first] = posts
    assert.strictEqual(identityOf(request), identityOf(first?.request ?? request), "Another post is sent")
  }

  const checkEnd = (conversation: Conversation, result: Result.Result<Publication, SendFailure>) => {
    const { last, posts } = conversation
    const answer = posts.at(-1)?.answer
    if (Result.isSuccess(result)) {
      const says = [last, answer].some((each) => each !== undefined && published.includes(each))
      assert.isTrue(says, "No answer says that the post is there")
      const { addressFollows = false, url } = result.success
      assert.isTrue(!addressFollows || (url === null && findAddress !== undefined), "Nobody finds the address")
      return
    }
    const { _tag, message } = result.failure
    const isTaken = answer !== undefined && taken.includes(answer)
    const isHandedOver = last !== undefined && handedOver.includes(last)
    switch (_tag) {
      case "OutcomeUnknown":
        assert.isTrue(mayBeOut(conversation) || isTaken || isHandedOver, `A proven end is unknown: ${message}`)
        break
      case "Accepted":
        assert.isTrue(
          [last, answer].some((each) => each !== undefined && accepted.includes(each)),
          `Nobody took it: ${message}`
        )
        assert.isDefined(longestProcessing)
        break
      case "Overloaded":
        assert.isTrue(answer !== undefined && overloaded.includes(answer), `Nobody said so: ${message}`)
        break
      default: {
        const isJudged = answer !== undefined && judged.includes(answer)
        assert.isTrue(!mayBeOut(conversation) || isJudged || isTaken, `${_tag} is not proven: ${message}`)
        assert.isFalse(isHandedOver, `${_tag} is not proven: ${message}`)
        assert.isTrue(!isTaken || last !== answer, "Nobody looked at what holds the key")
      }
    }
  }

  return {
    all: [...published, ...accepted, ...refused, ...taken, ...overloaded, ...handedOver, ...open, ...alike],
    mayBeOut,
    checkPost,
    checkEnd
  }
}
