import { Result, Schema } from "effect"
import { fromLittleText } from "../../../src/platforms/linkedin/rules/littleText.ts"
import { makeContainers } from "../../../src/platforms/meta/standIn/containers.ts"
import { threadsPosts } from "../../../src/platforms/threads/standIn/posts.ts"
import { threadsStandIn, threadsTokens } from "../../../src/platforms/threads/standIn/standIn.ts"
import type { StandIn } from "../../../src/sandbox/StandIn.ts"

const decodeBody = Schema.decodeUnknownResult(
  Schema.fromJsonString(
    Schema.Union([
      Schema.Struct({ record: Schema.Struct({ text: Schema.String }) }),
      Schema.Struct({ commentary: Schema.String }),
      Schema.Struct({ text: Schema.String })
    ])
  )
)

/** The text in a JSON body that would publish it. */
export const textInJson = (text: string): string => {
  const body = Result.getOrThrow(decodeBody(text))
  if ("commentary" in body) return fromLittleText(body.commentary)
  return "record" in body ? body.record.text : body.text
}

/** Threads' stand-in, and the text of each request to publish there: such a request names only a container. */
export const makeThreadsWithTexts = () => {
  const containers = makeContainers()
  const standIn: StandIn = {
    ...threadsStandIn,
    endpoints: (memory) => [...threadsPosts(memory, containers), ...threadsTokens(memory)]
  }
  const containerOf = (id: string) => containers.get(id)
  const textOf = (body: string): string => containerOf(new URLSearchParams(body).get("creation_id") ?? "")?.text ?? ""
  return { containerOf, standIn, textOf }
}

export type TextOf = (body: string) => string
