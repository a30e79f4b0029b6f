import { Effect } from "effect"
import { connect, createServer, type Socket } from "node:net"
import { listenLocally } from "./listenLocally.ts"

/**
 * A fault at a statement. `lost before`: the connection is lost before the server gets the statement. `lost after`: it
 * is lost after the server has responded, and before the client gets the response. `silent`: the connection carries
 * nothing more while the server keeps its end open, as in a network that drops packets. `none`: only `onReached` runs,
 * and the client gets the response.
 */
export type StatementFault = "lost before" | "lost after" | "silent" | "none"

interface Armed {
  readonly statement: string
  readonly fault: StatementFault
  readonly onReached: () => void
}

/** One line, short enough for a table. */
const shorten = (text: string) => text.replaceAll(/--.*$/gm, "").replaceAll(/\s+/g, " ").trim().slice(0, 150)

const isControl = (text: string) => /^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)\b/.test(text)

/** Reads the statements that a client sends over a connection, by PostgreSQL's wire protocol 3. */
const makeReader = () => {
  let rest = Buffer.alloc(0)
  let isStarted = false
  const prepared = new Map<string, string>()
  let before = "nothing"

  /**
   * Statements that begin or end a transaction all look the same, so the name of an ending statement includes the
   * statement before it.
   */
  const name = (text: string): string => {
    const short = shorten(text)
    if (!isControl(short)) {
      before = short
      return short
    }
    return short.startsWith("BEGIN") ? short : `${short} after ${before}`
  }

  const textAt = (message: Buffer, start: number): readonly [string, number] => {
    const end = message.indexOf(0, start)
    return [message.toString("utf8", start, end), end + 1]
  }

  /** The statement that a message makes the server run; undefined for other messages. */
  const read = (type: string, body: Buffer): string | undefined => {
    if (type === "Q") return name(textAt(body, 0)[0])
    if (type === "P") {
      const [key, next] = textAt(body, 0)
      prepared.set(key, textAt(body, next)[0])
    }
    if (type !== "B") return undefined
    const [key] = textAt(body, textAt(body, 0)[1])
    return name(prepared.get(key) ?? "an unknown statement")
  }

  return (chunk: Buffer): ReadonlyArray<string> => {
    rest = Buffer.concat([rest, chunk])
    const found: Array<string> = []
    for (;;) {
      const header = isStarted ? 5 : 4
      if (rest.length < header) return found
      const length = rest.readUInt32BE(header - 4) + header - 4
      if (rest.length < length) return found
      const statement = isStarted ? read(rest.toString("latin1", 0, 1), rest.subarray(5, length)) : undefined
      if (statement !== undefined) found.push(statement)
      isStarted = true
      rest = rest.subarray(length)
    }
  }
}

/**
 * A TCP proxy in front of a PostgreSQL server on this machine. It records the statements that pass, and injects a fault
 * at one of them.
 */
export const statementProxy = Effect.fn("statementProxy")(function* (target: {
  readonly host: string
  readonly port: number
}) {
  let armed: Armed | undefined
  const passed = new Set<string>()
  const open = new Set<Socket>()

  const server = createServer((near) => {
    const far = connect(target)
    const statementsOf = makeReader()
    let losesResponse = false
    const lose = () => {
      near.destroy()
      far.destroy()
    }
    open.add(near).add(far)
    near.on("data", (chunk) => {
      const statements = statementsOf(chunk)
      for (const statement of statements) passed.add(statement)
      if (armed !== undefined && statements.includes(armed.statement)) {
        const { fault, onReached } = armed
        armed = undefined
        onReached()
        if (fault === "lost before") return lose()
        if (fault === "lost after") losesResponse = true
        if (fault === "silent") {
          far.pause()
          near.pause()
        }
      }
      far.write(chunk)
      return undefined
    })
    far.on("data", (chunk) => {
      if (losesResponse) lose()
      else near.write(chunk)
    })
    for (const [one, other] of [
      [near, far],
      [far, near]
    ] as const) {
      one.on("error", () => undefined)
      // If the connection went silent, the server's end stays open.
      one.on("close", () => {
        open.delete(one)
        if (!far.isPaused()) other.destroy()
      })
    }
  })
  const port = yield* listenLocally(server, open)
  return {
    port,
    /** The statements that have passed since the last `forget`. */
    passed: (): ReadonlyArray<string> => [...passed],
    forget: Effect.sync(() => passed.clear()),
    /** Injects a fault the next time a statement is executed. */
    arm: (fault: Armed) =>
      Effect.sync(() => {
        armed = fault
      }),
    /** Removes the fault. Returns true if its statement was not executed. */
    disarm: Effect.sync(() => {
      const waited = armed !== undefined
      armed = undefined
      return waited
    })
  }
})

export type StatementProxy = Effect.Success<ReturnType<typeof statementProxy>>
