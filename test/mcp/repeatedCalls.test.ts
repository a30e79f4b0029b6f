import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ServerUrl } from "../support/http/server.ts"
import { makeTeam } from "../support/http/team.ts"
import { agentServerLayer, callTool } from "./agent.ts"

/** A team, and calls with its key. */
const start = Effect.gen(function* () {
  const url = yield* ServerUrl
  const { key } = yield* makeTeam
  return (name: string, args: object = {}) => callTool(url, key, name, args)
})

layer(agentServerLayer())("repeated calls", (it) => {
  it.effect("A change that changes nothing is the same call when it is repeated", () =>
    Effect.gen(function* () {
      const call = yield* start
      const { data } = yield* call("create_post", { content: "Hello", platforms: ["bluesky"] })
      const change = { id: data.id, etag: data.etag, content: "Hello" }
      assert.deepInclude((yield* call("update_post", change)).data, { etag: "1-draft", replayed: false })
      assert.deepInclude((yield* call("update_post", change)).data, { etag: "1-draft", replayed: true })
    })
  )
})
