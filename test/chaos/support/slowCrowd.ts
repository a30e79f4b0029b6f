import net from "node:net"

/** In milliseconds: how often a slow client sends another byte, and how long one waits before it comes again. */
const pause = 2_000

/** Below the share of connections that an address may have. */
const perAddress = 200

const openings: ReadonlyArray<(key: string) => string> = [
  () => "",
  () => "GET /healthz HTTP/1.1\r\nHost: a\r\nX: ",
  (key) =>
    `POST /v1/posts HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"content":"`,
  // These answers are left unread.
  () => "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n".repeat(8)
]

/** One of those who say nothing, never end their headers, never end their body, or read no answer. Comes again when it is hung up on. */
const join = (url: URL, key: string, index: number): void => {
  const kind = index % openings.length
  const localAddress = `127.0.1.${1 + Math.floor(index / perAddress)}`
  const socket = net.connect({ host: url.hostname, port: Number(url.port), localAddress })
  let dribbling: NodeJS.Timeout | undefined
  socket.once("connect", () => {
    socket.write(openings[kind]?.(key) ?? "")
    if (kind === 3) socket.pause()
    else socket.resume()
    if (kind === 1 || kind === 2) dribbling = setInterval(() => socket.write("a"), pause)
  })
  socket.on("error", () => undefined)
  socket.once("close", () => {
    clearInterval(dribbling)
    setTimeout(() => join(url, key, index), pause)
  })
}

// A process of its own, so that what it costs is not measured with the service.
const [url = "", key = "", size = "0"] = process.argv.slice(2)
for (let index = 0; index < Number(size); index++) setTimeout(() => join(new URL(url), key, index), index)
