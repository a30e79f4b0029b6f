import net from "node:net"

/** The pause of a slow client between two bytes and before it reconnects, in milliseconds. */
const pause = 2_000

/** Below the service's limit of connections per address. */
const perAddress = 200

const openings: ReadonlyArray<(key: string) => string> = [
  () => "",
  () => "GET /healthz HTTP/1.1\r\nHost: a\r\nX: ",
  (key) =>
    `POST /v1/posts HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"content":"`,
  // The client never reads these responses.
  () => "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n".repeat(8)
]

/**
 * Connects a client that sends nothing, never ends its headers (slowloris), never ends its body, or reads no response.
 * The client reconnects when the service closes the connection.
 */
const connectSlowClient = (url: URL, key: string, index: number): void => {
  const kind = index % openings.length
  const localAddress = `127.0.1.${1 + Math.floor(index / perAddress)}`
  const socket = net.connect({ host: url.hostname, port: Number(url.port), localAddress })
  let trickle: NodeJS.Timeout | undefined
  socket.once("connect", () => {
    socket.write(openings[kind]?.(key) ?? "")
    if (kind === 3) socket.pause()
    else socket.resume()
    if (kind === 1 || kind === 2) trickle = setInterval(() => socket.write("a"), pause)
  })
  socket.on("error", () => undefined)
  socket.once("close", () => {
    clearInterval(trickle)
    setTimeout(() => connectSlowClient(url, key, index), pause)
  })
}

// Runs as a separate process, so that its CPU time and memory are not counted as the service's.
const [url = "", key = "", size = "0"] = process.argv.slice(2)
for (let index = 0; index < Number(size); index++) setTimeout(() => connectSlowClient(new URL(url), key, index), index)
