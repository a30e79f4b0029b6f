import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "../../../src/api/Api.ts"
import { renderAgentsText, renderLlmsText } from "../../../src/http/pages/agentTexts.ts"
import { send } from "../../support/http/client.ts"
import { baseUrl, startServer } from "../../support/http/server.ts"

const document = OpenApi.fromApi(Api)
const options = { document, baseUrl: "https://posts.example.com", platforms: "live" } as const

/** The calls that a text names, such as `GET /v1/posts`. */
const callsOf = (text: string) =>
  Array.from(text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/v1\/[^`]*)`/g), ([, method = "", path = ""]) => [
    method.toLowerCase(),
    path
  ])

describe("what agents read", () => {
  it.effect.each(["/llms.txt", "/agents.md"])("GET %s is public Markdown with the address that clients use", (path) =>
    Effect.gen(function* () {
      const { headers, status, text } = yield* send(`${yield* startServer()}${path}`)
      assert.deepStrictEqual([status, headers.get("content-type")], [200, "text/markdown; charset=utf-8"])
      assert.match(text, /^# \w/)
      for (const link of ["/openapi.json", "/mcp"]) assert.include(text, `${baseUrl}${link}`)
      assert.notInclude(text, "undefined")
    })
  )

  it("Every call that the texts name is an operation of the contract, and llms.txt has its summary", () => {
    const texts = [renderLlmsText(options), renderAgentsText(options)]
    const calls = texts.flatMap(callsOf)
    assert.isAbove(calls.length, 20)
    for (const [method = "", path = ""] of calls) assert.property(document.paths[path as `/${string}`], method)
    assert.include(texts[0], "- `POST /v1/posts`: Create a post\n")
  })

  it("The key is for people to put into a client, and for agents to write nowhere", () => {
    const text = renderAgentsText(options)
    assert.include(text, "People put it into your client's settings of MCP servers")
    assert.include(text, "Never write it anywhere")
    assert.notInclude(text, "command line")
  })

  it("A text that names an operation which the contract lost is not made", () => {
    const { "/v1/posts": lost, ...paths } = document.paths
    assert.isDefined(lost)
    for (const render of [renderLlmsText, renderAgentsText]) {
      assert.throws(() => render({ ...options, document: { ...document, paths } }), /no operation/)
    }
  })

  it("Only a sandbox says that its posts reach no platform", () => {
    for (const render of [renderLlmsText, renderAgentsText]) {
      assert.include(render({ ...options, platforms: "sandbox" }), "sandbox")
      assert.notInclude(render(options), "sandbox")
    }
  })
})
