import { DateTime, type Duration, Effect, type Redacted, Result, Stream } from "effect"
import { Headers, type HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { IntegrationId } from "../../../src/domain/ids.ts"
import type { LivePlatform } from "../../../src/domain/platform.ts"
import type { PlatformRules } from "../../../src/domain/posts/platformRules.ts"
import { type Answer, type Call, NoResponse } from "../../../src/platforms/call.ts"
import type { FormValues, Link } from "../../../src/platforms/Link.ts"
import { type Files, noFiles } from "../../../src/platforms/MediaFiles.ts"
import type { LiveFacts, Preview } from "../../../src/platforms/Platform.ts"
import type { Account, PlatformAdapter, PublishRequest, Uploads } from "../../../src/platforms/PlatformClient.ts"
import type { OpenAccess } from "../../../src/platforms/steps.ts"
import type { StandIn } from "../../../src/sandbox/StandIn.ts"
import type { CallKind, Fault } from "../../../src/sandbox/state/faults.ts"
import { targetId } from "../world.ts"

/** The platform's own answers, by what they prove. */
interface Answers {
  /** They say that the post is there. */
  readonly published: ReadonlyArray<Answer>
  /** They say that the platform took the post and is still processing it. */
  readonly accepted?: ReadonlyArray<Answer>
  /** They prove that the request showed nothing. */
  readonly refused: ReadonlyArray<Answer>
  /** Those of `refused` that say the same of an earlier request with the same post. */
  readonly judged?: ReadonlyArray<Answer>
  /** They say that the key of the post is taken, perhaps by the post itself. What holds the key has to be looked at. */
  readonly taken?: ReadonlyArray<Answer>
  /** They say that the platform can't take the post at the moment, which it may have kept nevertheless. */
  readonly overloaded?: ReadonlyArray<Answer>
  /** They say that a person has the post on the platform, and may publish it. Nobody else can tell if it is out. */
  readonly handedOver?: ReadonlyArray<Answer>
  /** They leave open whether the post is there. */
  readonly open: ReadonlyArray<Answer>
  /** Answers of gateways that look most like the platform's own. They leave it open too. */
  readonly alike: ReadonlyArray<Answer>
}

/** Everything that the conformance suite needs of one platform. */
export interface Conformance {
  readonly facts: LiveFacts
  readonly preview: Preview
  readonly rules: PlatformRules
  readonly adapterAt: (url: string, call: Call) => PlatformAdapter
  readonly linkAt: (url: string) => Link
  /** The values of a form that connects an account. A consent page needs none. */
  readonly form?: FormValues
  readonly standIn: Omit<StandIn, "platform">
  /** The name by which the sandbox's state knows the stand-in. A platform of the tests alone borrows one. */
  readonly storedAs: LivePlatform
  readonly accountId: string
  readonly credentials: Redacted.Redacted
  /** The possible results of a renewal. */
  readonly renewed: ReadonlyArray<Redacted.Redacted>
  /** The members of every post on a platform that takes none without a file. */
  readonly always?: Partial<PublishRequest>
  /** The uploads of each part of what the stand-in gets, if a part can't have those of another. */
  readonly uploadsOf?: (part: number) => Uploads
  /** The members that make the posts of each kind. Their text is "Hello" otherwise. */
  readonly posts: Readonly<Record<string, Partial<PublishRequest>>>
  /** The number of different outlines of their conversations (`outlines.ts`); 1 if absent. */
  readonly outlines?: number
  /** The possible results of repeated uploads: first the references that the posts were prepared with. */
  readonly references: ReadonlyArray<ReadonlyArray<string>>
  /** The time after which a missing post certainly is not on the way any more; none if absent. */
  readonly settlesAfter?: Duration.Duration
  /** True if a send whose response is lost asks the platform immediately. */
  readonly asksImmediately?: true
  /** The answers to what the preparation of a post asks; a 404 if absent. */
  readonly preparing?: (request: HttpClientRequest.HttpClientRequest) => Answer
  /** The name of the answers' format, if several platforms have the same. Their answers are no strangers' then. */
  readonly format?: string
  readonly answers: Answers
  /** Tells a request that shows a post from all others. */
  readonly isPost: (request: HttpClientRequest.HttpClientRequest) => boolean
  /** The text that a post's request carries. */
  readonly textOf: (request: HttpClientRequest.HttpClientRequest) => string | undefined
  /** A platform that shortens links itself gets them as they were written. Others get them as they are shown. */
  readonly sendsLinks: "as written" | "as shown"
  /** A mention that the platform recognizes. Absent if it recognizes none. */
  readonly mention?: string
  /** The platform's refusal of an access token. */
  readonly refusedToken: Fault
  /** The first call of a send that has a token, if it is not the one that publishes. */
  readonly asksWithToken?: CallKind
  /** The kind of post whose address the platform tells later. Absent if each publication has its address. */
  readonly addressFollows?: string
  /** False if nobody can look for an earlier send, so that a person has to. */
  readonly looks?: false
  /** Absent if the platform would make a second post of a request that is sent again. */
  readonly repeats?: {
    /** Everything by which two requests are the same post. Throws if the request could make a second one. */
    readonly identity: (request: HttpClientRequest.HttpClientRequest) => unknown
    /** Tells if a send of this kind of post may go on after an answer that leaves open whether the post is there. */
    readonly goesOn: (kind: string, answer: Answer) => boolean
  }
}

export const now = DateTime.makeUnsafe("2030-01-31T12:00:00Z")

export const bodyOf = ({ body }: HttpClientRequest.HttpClientRequest) =>
  body._tag === "Uint8Array" ? JSON.parse(new TextDecoder().decode(body.body)) : undefined

/** An answer with a JSON body, or with a text. */
export const respond = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer =>
  Result.succeed({
    status,
    headers: Headers.fromInput(headers),
    body: body === null || typeof body === "string" ? body : JSON.stringify(body)
  })

const lost: Answer = Result.fail(new NoResponse({ message: "Lost", maybeSent: true }))
export const notSent: Answer = Result.fail(new NoResponse({ message: "No connection", maybeSent: false }))

/** Answers of nobody or of somebody else, which say nothing about the post. */
export const strangers: ReadonlyArray<Answer> = [
  lost,
  respond(500, ""),
  respond(403, "<h1>Forbidden</h1>"),
  respond(401, "<h1>Log in</h1>"),
  respond(429, null),
  respond(200, "{}")
]

const unexpected: Call = () => Effect.die("A request is sent")

/** The adapter of a platform whose requests must not be sent. */
export const adapterOf = ({ adapterAt }: Conformance, call = unexpected) => adapterAt("https://platform.test", call)

/** Files of zeros, also under links that nobody fetches. */
export const sharedFiles: Files = {
  ...noFiles,
  read: (_, { length } = { offset: 0, length: 1 }) => Stream.make(new Uint8Array(length)),
  share: ({ hash }) => Effect.succeed({ id: hash, url: `https://files.test/${hash}` })
}

export const accountOf = ({ accountId, credentials }: Conformance): Account => ({
  integrationId: IntegrationId.make("01a1fc17-0000-7000-8000-000000000003"),
  accountId,
  username: "team",
  serviceUrl: null,
  credentials: { current: Effect.succeed(credentials), refresh: () => Effect.die("Unexpected renewal") },
  files: sharedFiles,
  others: { published: () => Effect.succeed(new Set()), unresolved: () => Effect.succeed([]) }
})

export const accessOf = (
  { accountId, credentials }: Pick<Conformance, "accountId" | "credentials">,
  stored = credentials
): OpenAccess => ({ accountId, username: "team", serviceUrl: null, credentials: stored })

/** More questions than any preparation has whose platform is ready immediately. */
const mostQuestions = 3

/** Prepares a post with what answers its requests. A platform that makes something first is asked again immediately. */
export const prepareBy = (platform: Conformance, call: Call, more: Partial<PublishRequest> = {}) => {
  const request: PublishRequest = { targetId, text: "Hello", settings: {}, ...platform.always, ...more }
  const prepare = (
    begun: PublishRequest["begun"] = null,
    left = mostQuestions
  ): ReturnType<PlatformAdapter["prepare"]> =>
    adapterOf(platform, call)
      .prepare({ ...request, begun }, accountOf(platform))
      .pipe(
        Effect.catchTag("Preparing", (preparing) =>
          left > 0 ? prepare(preparing.begun, left - 1) : Effect.fail(preparing)
        )
      )
  return prepare(more.begun)
}

/** Answers what the preparation of a post asks. A platform that is asked about a mention knows nobody. */
export const answerPreparing =
  ({ preparing = () => respond(404, "") }: Conformance): Call =>
  (request) =>
    Effect.fromResult(preparing(request))

/** Prepares a post at the time of its send. */
export const prepare = (platform: Conformance, more: Partial<PublishRequest> = {}) =>
  Effect.andThen(TestClock.setTime(DateTime.toEpochMillis(now)), prepareBy(platform, answerPreparing(platform), more))
