// An upper limit: node:http with prepared responses, as large as the API's.
import { createServer } from "node:http"
import { answerParent } from "../support/answerParent.ts"
import { findCaller, findPost, listPosts } from "./store.ts"

interface Question {
  /** The `Authorization` header of the caller whose post and list are the responses. */
  readonly authorization: string
  readonly id: string
  readonly limit: number
}

answerParent(async (question) => {
  const { authorization, id, limit }: Question = JSON.parse(question)
  const caller = await findCaller(authorization)
  const workspaceId = caller?.workspaceId ?? ""
  const post = JSON.stringify({ data: await findPost(workspaceId, id) })
  const list = JSON.stringify(await listPosts(workspaceId, limit))
  const server = createServer((request, response) => {
    const body = request.url?.startsWith("/v1/posts?") === true ? list : post
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) }).end(body)
  })
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve({ port: typeof address === "object" && address !== null ? address.port : 0 })
    })
  })
})
