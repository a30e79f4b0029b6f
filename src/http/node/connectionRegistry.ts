import { subscriberOf } from "../caller/clientNetwork.ts"

/** How many connections may be open at a time. */
export interface ConnectionLimits {
  /** In this process. */
  readonly maxConnections: number
  /** From one address, or one subscriber's network of IPv6. */
  readonly maxConnectionsPerAddress: number
}

/** A connection that is open. */
export interface Connection {
  readonly close: () => void
  readonly subscriber: string
  /** Whether a request was ever read from it. */
  asked: boolean
  /** Requests that were read and are not answered yet. */
  serving: number
}

/** Why a connection is not taken in. */
export type Refusal = "process_full" | "address_full"

/**
 * Keeps the connections that are open, and decides on new ones. Where the process has as many as it may, the connection
 * that has gone longest without being owed an answer makes room: clients that send or read slowly on purpose, or not at
 * all, displace each other and nobody else. Of one address, those beyond its share are refused.
 */
export const makeConnectionRegistry = (limits: ConnectionLimits, onDisplaced: () => void) => {
  const open = new Set<Connection>()
  const counts = new Map<string, number>()
  /** Those that are owed no answer, in the order in which that began. */
  const waiting = new Set<Connection>()

  const leave = (connection: Connection): void => {
    if (!open.delete(connection)) return
    waiting.delete(connection)
    const others = (counts.get(connection.subscriber) ?? 1) - 1
    if (others === 0) counts.delete(connection.subscriber)
    else counts.set(connection.subscriber, others)
  }

  const makeRoom = (): boolean => {
    const longest = waiting.values().next().value
    if (longest === undefined) return false
    leave(longest)
    longest.close()
    onDisplaced()
    return true
  }

  return {
    size: (): number => open.size,
    /** Takes a connection in, or says why not. */
    admit: (address: string, close: () => void): Connection | Refusal => {
      const subscriber = subscriberOf(address)
      const count = counts.get(subscriber) ?? 0
      if (count >= limits.maxConnectionsPerAddress) return "address_full"
      if (open.size >= limits.maxConnections && !makeRoom()) return "process_full"
      const connection = { close, subscriber, asked: false, serving: 0 }
      open.add(connection)
      waiting.add(connection)
      counts.set(subscriber, count + 1)
      return connection
    },
    /** A request was read. */
    owe: (connection: Connection): void => {
      connection.asked = true
      connection.serving += 1
      waiting.delete(connection)
    },
    /** A request was answered, as far as that is up to this side. */
    answered: (connection: Connection): void => {
      connection.serving -= 1
      if (connection.serving === 0 && open.has(connection)) waiting.add(connection)
    },
    leave,
    /** Closes those that nothing was read from yet. */
    closeUnasked: (): void => {
      for (const connection of waiting) if (!connection.asked) connection.close()
    },
    closeAll: (): void => {
      for (const connection of open) connection.close()
    }
  }
}
