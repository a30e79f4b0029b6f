import { Result, Schema } from "effect"
import { makeObjects } from "../../../src/platforms/facebook/standIn/objects.ts"
import { facebookPosts } from "../../../src/platforms/facebook/standIn/posts.ts"
import { facebookStandIn } from "../../../src/platforms/facebook/standIn/standIn.ts"
import { instagramApis } from "../../../src/platforms/instagram/standIn/apis.ts"
import { instagramStandIn, instagramTokens } from "../../../src/platforms/instagram/standIn/standIn.ts"
import { fromLittleText } from "../../../src/platforms/linkedin/rules/littleText.ts"
import { makeContainers } from "../../../src/platforms/meta/standIn/containers.ts"
import { publishedIn } from "../../../src/platforms/meta/standIn/endpoints.ts"
import { threadsPosts } from "../../../src/platforms/threads/standIn/posts.ts"
import { threadsStandIn, threadsTokens } from "../../../src/platforms/threads/standIn/standIn.ts"
import { makeJobs } from "../../../src/platforms/tiktok/standIn/jobs.ts"
import { makeTiktokStandIn } from "../../../src/platforms/tiktok/standIn/standIn.ts"
import type { StandIn } from "../../../src/sandbox/StandIn.ts"

const decodeBody = Schema.decodeUnknownResult(
  Schema.fromJsonString(
    Schema.Union([
      Schema.Struct({ record: Schema.Struct({ text: Schema.String }) }),
      Schema.Struct({ commentary: Schema.String }),
      Schema.Struct({ snippet: Schema.Struct({ description: Schema.String }) }),
      Schema.Struct({ text: Schema.String })
    ])
  )
)

/** A request that publishes a post. */
interface SentPost {
  readonly body: string
  readonly path: string
}

export type TextOf = (post: SentPost) => string

/** The text in a JSON body that would publish it. */
export const textInJson: TextOf = (post) => {
  const body = Result.getOrThrow(decodeBody(post.body))
  if ("commentary" in body) return fromLittleText(body.commentary)
  if ("snippet" in body) return body.snippet.description
  return "record" in body ? body.record.text : body.text
}

/** A stand-in whose requests to publish name only what was made before, and the text of each such request. */
export interface WithTexts {
  readonly standIn: StandIn
  readonly textOf: TextOf
}

const ofContainers = (makeStandIn: (containers: ReturnType<typeof makeContainers>) => StandIn) => {
  const containers = makeContainers()
  const containerOf = (id: string) => containers.get(id)
  const textOf: TextOf = ({ body }) => containerOf(publishedIn(body))?.text ?? ""
  return { containerOf, standIn: makeStandIn(containers), textOf } satisfies WithTexts & { containerOf: unknown }
}
export type ContainersWithTexts = ReturnType<typeof ofContainers>

export const makeThreadsWithTexts = () =>
  ofContainers((containers) => ({
    ...threadsStandIn,
    endpoints: (memory) => [...threadsPosts(memory, containers), ...threadsTokens(memory)]
  }))

export const makeInstagramWithTexts = () =>
  ofContainers((containers) => ({
    ...instagramStandIn,
    endpoints: (memory) => [...instagramApis(memory, containers), ...instagramTokens(memory)]
  }))

export const makeFacebookWithTexts = (): WithTexts => {
  const objects = makeObjects()
  return {
    standIn: { ...facebookStandIn, endpoints: (memory) => facebookPosts(memory, objects) },
    textOf: ({ body, path }) => {
      // A reel's text is in the request that publishes it. Every other request has the id of an unpublished post.
      const description = new URLSearchParams(body).get("description")
      const id = path.slice(path.lastIndexOf("/") + 1)
      return description ?? objects.posts.of(id.split("_")[0] ?? "", id)?.text ?? ""
    }
  }
}

/** A chunk's address has the key of the upload, which has the text. */
export const makeTiktokWithTexts = () => {
  const uploads = makeJobs()
  const uploadOf = (path: string) => uploads.get(path.slice(path.lastIndexOf("/") + 1))
  return {
    standIn: makeTiktokStandIn({ processing: 3_000, naming: 5_000 }, uploads),
    uploadOf,
    textOf: ({ path }) => uploadOf(path)?.title ?? ""
  } satisfies WithTexts & { uploadOf: unknown }
}
