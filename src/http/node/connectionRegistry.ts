import { clientNetwork } from "../caller/clientNetwork.ts"

export interface ConnectionLimits {
  /** Open connections of this process. */
  readonly maxConnections: number
  /** Open connections from one address, or from one /64 network of IPv6. */
  readonly maxConnectionsPerAddress: number
}

/** An open connection. */
export interface Connection {
  readonly close: () => void
  readonly network: string
  /** Whether a request was ever read from it. */
  used: boolean
  /** Requests that were read and have no response yet. */
  pendingRequests: number
}

/** Why a connection is refused. */
export type Refusal = "process_full" | "address_full"

/**
 * Decides which connections may be open. Beyond the limit of an address, its connections are refused. At the limit of the
 * process, a connection closes the one that has been without a pending request for the longest time, which defends against
 * slowloris: clients that are slow or silent on purpose displace each other and nobody else.
 */
export const makeConnectionRegistry = (limits: ConnectionLimits, onDisplaced: () => void) => {
  const open = new Set<Connection>()
  const perNetwork = new Map<string, number>()
  /** Connections without a pending request, the one that has been for the longest time first. */
  const idle = new Set<Connection>()

  const remove = (connection: Connection): void => {
    if (!open.delete(connection)) return
    idle.delete(connection)
    const rest = (perNetwork.get(connection.network) ?? 1) - 1
    if (rest === 0) perNetwork.delete(connection.network)
    else perNetwork.set(connection.network, rest)
  }

  const displaceOldestIdle = (): boolean => {
    const oldest = idle.values().next().value
    if (oldest === undefined) return false
    remove(oldest)
    oldest.close()
    onDisplaced()
    return true
  }

  return {
    size: (): number => open.size,
    admit: (address: string, close: () => void): Connection | Refusal => {
      const network = clientNetwork(address)
      const count = perNetwork.get(network) ?? 0
      if (count >= limits.maxConnectionsPerAddress) return "address_full"
      if (open.size >= limits.maxConnections && !displaceOldestIdle()) return "process_full"
      const connection = { close, network, used: false, pendingRequests: 0 }
      open.add(connection)
      idle.add(connection)
      perNetwork.set(network, count + 1)
      return connection
    },
    requestStarted: (connection: Connection): void => {
      connection.used = true
      connection.pendingRequests += 1
      idle.delete(connection)
    },
    requestEnded: (connection: Connection): void => {
      connection.pendingRequests -= 1
      if (connection.pendingRequests === 0 && open.has(connection)) idle.add(connection)
    },
    remove,
    /** Closes the connections from which no request was read yet. */
    closeUnused: (): void => {
      for (const connection of idle) if (!connection.used) connection.close()
    },
    closeAll: (): void => {
      for (const connection of open) connection.close()
    }
  }
}
