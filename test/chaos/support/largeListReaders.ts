import { type ClientRequest, get } from "node:http"

/** The readers' responses by status; 0 if the connection broke. */
export interface ReaderReport {
  readonly statuses: Readonly<Record<number, number>>
  readonly megabytes: number
}

// Runs as a separate process, so that its CPU time and memory are not counted as the service's.
const [url = "", key = "", count = "0", pace = "fast"] = process.argv.slice(2)
const statuses: Record<number, number> = {}
let bytes = 0
const open = new Set<ClientRequest>()

const record = (status: number) => {
  statuses[status] = (statuses[status] ?? 0) + 1
}

/** Requests the list repeatedly, or requests it once and does not read the response. */
const read = (): void => {
  const request = get(url, { agent: false, headers: { authorization: `Bearer ${key}` } }, (response) => {
    const status = response.statusCode ?? 0
    if (pace === "slow" && status === 200) {
      record(status)
      response.pause()
      return
    }
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length
    })
    response.once("close", () => {
      open.delete(request)
      record(response.complete ? status : 0)
      if (status === 200) read()
      else setTimeout(read, 1_000)
    })
  })
  open.add(request)
  request.once("error", () => {
    record(0)
    setTimeout(read, 1_000)
  })
}
for (let reader = 0; reader < Number(count); reader++) read()

process.once("message", () => {
  const report: ReaderReport = { statuses, megabytes: Math.round(bytes / 1e6) }
  process.send?.(report, () => process.exit())
})
