// Sends requests over keep-alive connections. Each connection sends its next request as soon as it has the complete
// response. Uses plain sockets to take little time from the processor that the server also uses.
import { randomUUID } from "node:crypto"
import { connect } from "node:net"
import { answerParent, now } from "./answerParent.ts"
import { summarize } from "./statistics.ts"

export interface Load {
  readonly port: number
  readonly connections: number
  readonly seconds: number
  /** Complete requests, sent in turn. Each time, another UUID replaces `{uuid}`. */
  readonly requests: ReadonlyArray<string>
}

const headEnd = "\r\n\r\n"
const lastChunk = "0\r\n\r\n"

/** True if a response is complete. A connection never has more than one response at a time. */
const isComplete = (received: string): boolean => {
  const end = received.indexOf(headEnd)
  if (end === -1) return false
  const head = received.slice(0, end)
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  return length === undefined
    ? received.endsWith(lastChunk)
    : received.length >= end + headEnd.length + Number.parseInt(length, 10)
}

const run = ({ connections, port, requests, seconds }: Load) =>
  new Promise<object>((resolve, reject) => {
    const times: Array<number> = []
    const began = now()
    const end = began + seconds * 1000
    let next = 0
    let open = connections

    const openConnection = () => {
      const socket = connect(port, "127.0.0.1").setNoDelay().setEncoding("latin1")
      let received = ""
      let sentAt = 0
      const send = () => {
        received = ""
        sentAt = now()
        socket.write(
          (requests[next++ % requests.length] ?? "").replace("{uuid}", () => randomUUID()),
          "latin1"
        )
      }
      socket.once("connect", send).once("error", reject)
      socket.on("data", (text: string) => {
        received = received === "" ? text : received + text
        if (!isComplete(received)) return
        if (!received.startsWith("HTTP/1.1 2")) {
          reject(new Error(`The server responded with ${received.slice(0, 2000)}`))
          return
        }
        const at = now()
        times.push(at - sentAt)
        if (at < end) {
          send()
          return
        }
        socket.destroy()
        open--
        if (open === 0) resolve(summarize(times, at - began))
      })
    }
    for (let connection = 0; connection < connections; connection++) openConnection()
  })

answerParent((question) => run(JSON.parse(question)))
